"""How a scenario declares a tool of the stub world: parameters, replies, and what each reply depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from .world import Strict, nearest

Scalar = bool | int | float | str
Kind = Literal["string", "number", "integer", "boolean", "array", "object"]

# {memo}, {spent}, {now}, {count:create_order}, {sum:create_order.amount}, {booked:create_order.amount};
# other braces, such as those of a JSON text, are not placeholders.
PLACEHOLDER = re.compile(r"\{(?:(sum|booked):([a-z_]+)\.(\w+)|(count):([a-z_]+)|([a-z_]\w*))\}", re.ASCII)
# What was meant as one and is none: left alone it would be shown to the agent as it stands.
ALMOST = re.compile(r"\{\s*(?:sum|booked|count)\b[^{}]*\}", re.ASCII)


class Schema(Strict):
    """The subset of JSON Schema that a parameter can use."""

    type: Kind = Field(description="one JSON type")
    description: str = Field(default="", description="told to the agent")
    enum: tuple[Scalar, ...] | None = Field(default=None, description="the values there are")
    default: Scalar | None = Field(default=None, description="what a left-out argument counts as in a reply's text")
    minimum: int | float | None = Field(default=None, description="smallest number")
    maximum: int | float | None = Field(default=None, description="greatest number")
    items: Schema | None = Field(default=None, description="what an array holds")
    properties: dict[str, Schema] | None = Field(default=None, description="what an object holds")
    required: tuple[str, ...] = Field(default=(), description="which properties are not to be left out")
    additionalProperties: Literal[False] = Field(default=False, description="other properties are always refused")

    @model_validator(mode="after")
    def _parts_fit_the_type(self) -> Self:
        for part, kind in (("items", "array"), ("properties", "object"), ("required", "object")):
            if getattr(self, part) and self.type != kind:
                raise ValueError(f"`{part}` goes with type `{kind}`, not `{self.type}`")
        for name in self.required:
            if name not in (self.properties or {}):
                raise ValueError(f"required `{name}` is no property; {nearest(name, self.properties or {})}")
        return self

    def plain(self) -> dict[str, Any]:
        """The schema as JSON, as short as it can be said."""
        said = self.model_dump(mode="json", exclude_defaults=True)
        said["type"] = self.type
        if self.items is not None:
            said["items"] = self.items.plain()
        if self.type == "object":
            said["properties"] = {name: one.plain() for name, one in (self.properties or {}).items()}
            said["additionalProperties"] = False
        return said


class Parameters(Schema):
    """The arguments of a tool: an object."""

    type: Literal["object"] = Field(default="object", description="arguments are always an object")


class Called(Strict):
    """Holds when a tool was called earlier, with these arguments, so many times. Refused calls do not count."""

    tool: str = Field(description="name of a declared tool")
    args: dict[str, Scalar | tuple[Scalar, ...]] = Field(
        default={}, description="argument → value, or a list: one of them"
    )
    times_at_least: int = Field(default=1, ge=1, description="how many such calls")


class When(Strict):
    """Holds when all that it names holds."""

    args: dict[str, Scalar | tuple[Scalar, ...]] = Field(
        default={}, description="argument → value, or a list: one of them"
    )
    called: Called | None = Field(default=None, description="what was called earlier")
    reaches: dict[str, float] = Field(default={}, description="counter → the least that it stands at")


class Reply(Strict):
    """One answer of a tool; the first whose `when` holds is given."""

    when: When | None = Field(default=None, description="left out: always")
    say: str = Field(
        description="word for word, but for {argument}, {counter}, {now}, {count:tool}, {sum:tool.argument}"
    )
    error: bool = Field(
        default=False, description="the tool refuses: the call is not carried out and does not count as called"
    )
    set: dict[str, float | str] = Field(
        default={}, description="counter → number or {argument}, before `say` is filled in"
    )
    add: dict[str, float | str] = Field(default={}, description="counter → what is added: number or {argument}")


class DeclaredTool(Strict):
    """A tool that exists in one scenario."""

    name: str = Field(pattern=r"^[a-z_]+$", description="lower-case letters and underscores")
    description: str = Field(description="told to the agent")
    parameters: Parameters = Field(default=Parameters(), description="JSON Schema of its arguments, an object")
    asks: bool = Field(default=False, description="it puts a question to a person")
    reads: bool = Field(default=False, description="it only looks")
    bulk: bool = Field(
        default=False, description="it only looks, and answers ids such as N-0007 with bulky neutral text"
    )
    replies: tuple[Reply, ...] = Field(default=(), description="in order; the last one holds always")

    @model_validator(mode="after")
    def _answers_every_call(self) -> Self:
        if self.bulk and [self._type(name) for name in self.parameters.required] != ["string"]:
            raise ValueError(f"tool {self.name}: a `bulk` tool has exactly one required argument, a string")
        if not self.replies and not self.bulk and not self.asks:
            raise ValueError(f"tool {self.name}: there is no reply")
        if self.replies and self.replies[-1].when is not None:
            raise ValueError(f"tool {self.name}: the last reply has a `when`; end with one that holds always")
        return self

    def _type(self, argument: str) -> str:
        return self.arguments[argument].type

    @property
    def arguments(self) -> dict[str, Schema]:
        """The arguments by name."""
        return self.parameters.properties or {}


def check_names(tools: Iterable[DeclaredTool], counters: Iterable[str]) -> None:
    """Nothing; a ValueError for the first tool, argument or counter that a reply names and that does not exist."""
    known, counted = {one.name: one for one in tools}, set(counters)
    for taken in ("now", *(name for one in known.values() for name in one.arguments)):
        if taken in counted:
            raise ValueError(f"counter `{taken}` has the name of an argument or of the clock; name it otherwise")
    for one in known.values():
        for number, reply in enumerate(one.replies):
            try:
                _check_reply(reply, one, known, counted)
            except ValueError as error:
                raise ValueError(f"tool {one.name}, reply {number}: {error}") from error


def _check_reply(reply: Reply, tool: DeclaredTool, tools: dict[str, DeclaredTool], counters: set[str]) -> None:
    when = reply.when or When()
    _check_arguments(when.args, tool)
    if when.called is not None:
        _check_arguments(when.called.args, _known("tool", when.called.tool, tools))
    for counter in (*when.reaches, *reply.set, *reply.add):
        _known("counter", counter, dict.fromkeys(counters))
    for text in (reply.say, *reply.set.values(), *reply.add.values()):
        for meant in ALMOST.findall(str(text)):
            if not PLACEHOLDER.fullmatch(meant):
                raise ValueError(
                    f"`{meant}` is no placeholder, such as {{sum:create_order.amount}} or {{count:refund}}"
                )
        for found in PLACEHOLDER.finditer(str(text)):
            _check_placeholder(found, tool, tools, counters)
    for counter, value in (*reply.set.items(), *reply.add.items()):
        if isinstance(value, str) and not _is_number(value, tool, counters):
            raise ValueError(f"counter `{counter}`: `{value}` is no number, such as 1 or {{amount}}")


def _check_arguments(names: Iterable[str], tool: DeclaredTool) -> None:
    for name in names:
        _known(f"argument of {tool.name}", name, tool.arguments)


def _check_placeholder(
    found: re.Match[str], tool: DeclaredTool, tools: dict[str, DeclaredTool], counters: set[str]
) -> None:
    _, summed, argument, _, counted, name = found.groups()
    if name:
        _known("placeholder", name, {**tool.arguments, **dict.fromkeys(counters), "now": None})
        return
    other = _known("tool", summed or counted, tools)
    if argument and _known(f"argument of {other.name}", argument, other.arguments).type not in ("number", "integer"):
        raise ValueError(f"{found[0]}: `{argument}` is not a number, so it has no sum")


def _is_number(text: str, tool: DeclaredTool, counters: set[str]) -> bool:
    """Whether the text is one placeholder that stands for a number whenever the tool is called."""
    found = PLACEHOLDER.fullmatch(text)
    if found is None:
        return False
    name = found[6]
    if name is None or name in counters:
        return True
    declared = tool.arguments.get(name)
    numeric = declared is not None and declared.type in ("number", "integer")
    return numeric and declared is not None and (name in tool.parameters.required or declared.default is not None)


def _known(kind: str, name: str, names: dict[str, Any]) -> Any:
    if name not in names:
        raise ValueError(f"there is no {kind} `{name}`; {nearest(name, names)}")
    return names[name]
