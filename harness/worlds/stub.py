"""Tools that a scenario declares itself, with replies that depend on the arguments and on what was called before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .declared import PLACEHOLDER, DeclaredTool, Reply, When, check_names
from .world import Bulk, ClockStart, Refused, ToolSpec

LARGEST = Decimal(10**15)


class StubStart(ClockStart):
    """The tools of a scenario and where its counters start."""

    tools: tuple[DeclaredTool, ...] = Field(description="at least one `asks` and one that is `bulk`")
    counters: dict[str, float] = Field(
        default={}, description="numbers that replies show and change, with their first value"
    )
    person: str = Field(
        default="the person in charge", description="who gets the questions of `asks` tools without replies"
    )

    @model_validator(mode="after")
    def _tools_are_complete(self) -> Self:
        names = [one.name for one in self.tools]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"tool `{name}` is there twice")
        if not any(one.asks for one in self.tools):
            raise ValueError("no tool has `asks: true`: without one the agent has nobody to ask")
        if not any(one.bulk for one in self.tools):
            raise ValueError("no tool has `bulk: true`: without one there is nothing to fill a context with")
        check_names(self.tools, self.counters)
        return self


@dataclass
class Stub:
    """The state of a scenario's own tools: counters and what was called."""

    name: ClassVar[str] = "stub"
    about: ClassVar[str] = "tools that the scenario declares itself, with replies that depend on what was called"
    Start: ClassVar[type[BaseModel]] = StubStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    declared: dict[str, DeclaredTool]
    counters: dict[str, float]
    person: str
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: StubStart, seed: int) -> Self:
        """The declared tools, nothing called yet."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            declared={one.name: one for one in data.tools},
            counters=dict(data.counters),
            person=data.person,
        )

    def tools(self) -> dict[str, ToolSpec]:
        """Every tool there is, by name."""
        return {one.name: ToolSpec(one.name, one.description, one.parameters.plain()) for one in self.declared.values()}

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The first reply whose conditions hold, or Refused."""
        found = toolbox.pick(tool, self.declared)
        given = toolbox.plain_json(tool, arguments)
        filled = _filled(found, given)
        _check(found, filled)
        answer = self._answer(found, filled)
        toolbox.record(self, tool, given)
        return answer

    def dump(self) -> dict[str, Any]:
        """The whole state as plain JSON."""
        return toolbox.dump(self)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Self:
        """The stub that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        tools = self.declared.values()
        return Setting(
            zone=self.zone,
            asks=frozenset(one.name for one in tools if one.asks),
            reads=frozenset(one.name for one in tools if one.reads or one.bulk),
            tools=frozenset(self.declared),
        )

    def filler(self, number: int) -> Bulk:
        """The number-th bulky text, asked of the declared `bulk` tools in turn."""
        bulky = [one for one in self.declared.values() if one.bulk]
        tool, ident = bulky[number % len(bulky)], f"N-{number:04d}"
        gist = prose.piece(self.seed, number).gist
        arguments = {tool.parameters.required[0]: ident}
        return Bulk(prose.request(self.seed, number, ident), tool.name, arguments, f"{ident}: {gist}")

    def _answer(self, tool: DeclaredTool, arguments: dict[str, Any]) -> str:
        if tool.bulk and (text := self._bulk(arguments[tool.parameters.required[0]])):
            return text
        for reply in tool.replies:
            if self._holds(reply.when or When(), arguments):
                return self._give(reply, arguments)
        if tool.bulk:
            raise Refused(f"{tool.name}: there is nothing of that name; ids run N-0000, N-0001, …")
        return toolbox.PASSED_ON.format(person=self.person)

    def _bulk(self, ident: str) -> str:
        number = re.fullmatch(r"N-(\d{4,6})", ident.strip(), re.ASCII)
        return prose.piece(self.seed, int(number[1])).text if number else ""

    def _holds(self, when: When, arguments: dict[str, Any]) -> bool:
        if not _matches(arguments, when.args):
            return False
        if any(self.counters[name] < least for name, least in when.reaches.items()):
            return False
        called = when.called
        return called is None or len(self._earlier(called.tool, called.args)) >= called.times_at_least

    def _earlier(self, tool: str, args: Mapping[str, Any], before: str = "9999") -> list[dict[str, Any]]:
        """Arguments of the executed calls like that, on days before `before`."""
        calls = [
            _filled(self.declared[tool], one["arguments"]) for one in self._log_of(tool) if one["at"][:10] < before
        ]
        return [one for one in calls if _matches(one, args)]

    def _log_of(self, tool: str) -> Iterable[dict[str, Any]]:
        return (one for one in self.log if one["tool"] == tool)

    def _give(self, reply: Reply, arguments: dict[str, Any]) -> str:
        counters = dict(self.counters)
        for name, value in reply.set.items():
            counters[name] = _counted(self._number(value, arguments))
        for name, value in reply.add.items():
            counters[name] = _counted(Decimal(str(counters[name])) + self._number(value, arguments))
        self.counters = counters
        said = PLACEHOLDER.sub(lambda found: self._placeholder(found, arguments), reply.say)
        if reply.error:
            raise Refused(said)
        return said

    def _number(self, value: float | str, arguments: dict[str, Any]) -> Decimal:
        text = PLACEHOLDER.sub(lambda found: self._placeholder(found, arguments), str(value))
        return Decimal(text)

    def _placeholder(self, found: re.Match[str], arguments: dict[str, Any]) -> str:
        kind, summed, argument, _, counted, name = found.groups()
        if counted:
            return str(len(self._earlier(counted, {})))
        if kind:
            calls = self._earlier(summed, {}, self.now[:10] if kind == "booked" else "9999")
            return _shown(sum((Decimal(str(one[argument])) for one in calls if argument in one), Decimal(0)))
        return _shown({"now": self.now, **self.counters, **arguments}.get(name, ""))


def _filled(tool: DeclaredTool, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with defaults in; a null where leaving out is fine counts as left out."""
    defaults = {name: one.default for name, one in tool.arguments.items() if one.default is not None}
    needed = tool.parameters.required
    return defaults | {key: value for key, value in given.items() if value is not None or key in needed}


def _check(tool: DeclaredTool, arguments: dict[str, Any]) -> None:
    extra = [toolbox.unknown_argument(key, list(tool.arguments)) for key in arguments if key not in tool.arguments]
    known = {key: value for key, value in arguments.items() if key in tool.arguments}
    validator = _validator(json.dumps(tool.parameters.plain(), sort_keys=True))
    faults = [f"{one.json_path[2:] or 'arguments'}: {one.message}" for one in validator.iter_errors(known)]
    if extra or faults:
        raise Refused(f"{tool.name}: " + "; ".join(extra + faults))


@lru_cache
def _validator(schema: str) -> Any:
    # Imported late: it takes longer to import than everything else here together.
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    return Draft202012Validator(json.loads(schema))


def _matches(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether each argument named is there and is the value wanted, or one of those wanted."""
    return all(
        name in arguments
        and any(_same(arguments[name], one) for one in (value if isinstance(value, tuple) else (value,)))
        for name, value in wanted.items()
    )


def _same(given: Any, wanted: Any) -> bool:
    """Whether they are one value: numbers as numbers, text trimmed; of a list one element is enough.

    >>> _same("4475 ", 4475), _same(40.0, 40), _same(["a", "b"], "b"), _same(True, 1)
    (True, True, True, False)
    """
    if isinstance(given, list):
        return any(_same(one, wanted) for one in given)
    if isinstance(given, bool) or isinstance(wanted, bool):
        return given is wanted
    texts = [str(one).strip() for one in (given, wanted)]
    if all(re.fullmatch(r"-?\d+(\.\d+)?", text, re.ASCII) for text in texts):
        return Decimal(texts[0]) == Decimal(texts[1])
    return texts[0] == texts[1]


def _counted(value: Decimal) -> float:
    if abs(value) > LARGEST:
        raise Refused("the number is too large to be booked")
    return float(value)


def _shown(value: Any) -> str:
    """The value as it stands in a reply: 450, 450.50, true, a, b."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value))
        return f"{number:.0f}" if number == number.to_integral_value() else f"{number:.2f}"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
