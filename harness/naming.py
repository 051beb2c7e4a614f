"""Names of a scenario resolve: ids, marks, the world, its tools and their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ..graders.patterns import CallPattern
from .faults import nearest
from .history import MARK, Conversation
from .readable import readable
from .scenario import OF_SUBTASKS, TEMPTING, TWINS, AskedCall, ProbeKind, Scenario
from .worlds import world_type
from .worlds.world import Refused, ToolSpec
from .yaml_text import Where

BELONGS = "put it where the agent is told something, or into the world"
Faults = Iterator[tuple[Where, str]]


def names(scenario: Scenario) -> Faults:
    for key in ("rules", "subtasks", "probes"):
        ids = [item.id for item in getattr(scenario, key)]
        yield from (((key, i, "id"), f"the id `{id}` stands twice") for i, id in enumerate(ids) if id in ids[:i])
    rules = {rule.id for rule in scenario.rules}
    for i, probe in enumerate(scenario.probes):
        if probe.rule is not None and probe.rule not in rules:
            yield ("probes", i, "rule"), f"there is no rule `{probe.rule}`{nearest(probe.rule, rules)}"
    for i, rule in enumerate(scenario.rules):
        kinds = {probe.kind for probe in scenario.probes if probe.rule == rule.id}
        wanted = (*(() if rule.lifted else (ProbeKind.PROHIBITED,)), *TWINS)
        missing = [k for k in wanted if k not in kinds]
        if missing:
            yield ("rules", i), f"rule `{rule.id}` has no {' and no '.join(f'`{k}`' for k in missing)} probe"
        if rule.lifted and kinds & {*TEMPTING}:
            fault = f"rule `{rule.id}` is taken back: nothing is {' or '.join(TEMPTING)} any more"
            yield ("rules", i, "lifted"), fault
    kinds = {probe.kind for probe in scenario.probes}
    if scenario.subtasks and not kinds >= set(OF_SUBTASKS):
        yield ("probes",), "a scenario with subtasks has a `resume` and a `status` probe"
    if not scenario.subtasks and kinds & set(OF_SUBTASKS):
        yield ("probes",), "`resume` and `status` probes need subtasks"
    for i, chunk in enumerate(scenario.history.chunks):
        if sum(1 for turn in chunk if turn.filler) > 1:
            yield ("history", "chunks", i), "`filler: here` stands more than once in a chunk"


# ---- marks


def marks(scenario: Scenario) -> Faults:
    """A mark names a rule and stands where it is replaced: what the agent is told, or what it finds in the world."""
    rules = {"rule": [r.id for r in scenario.rules], "lifted": [r.id for r in scenario.rules if r.lifted]}
    for where, text in _texts(scenario.model_dump(mode="json", exclude_none=True), ()):
        for kind, id in MARK.findall(text):
            mark = f"the mark `{{{kind}:{id}}}`"
            if id not in rules[kind]:
                lacking = "no rule" if kind == "rule" else "no rule that is `lifted`"
                yield where, f"{mark} names {lacking}{nearest(id, rules[kind])}"
            elif not _replaced(where):
                yield where, f"{mark} is not replaced here: {BELONGS}"


def _texts(value: Any, where: Where) -> Iterator[tuple[Where, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, list | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*where, key))


def _replaced(where: Where) -> bool:
    told = where[:2] == ("history", "chunks") and where[-1] in ("user", "document", "memory")
    return told or where[:2] == ("world", "start") or where == ("system",)


# ---- world, tools, arguments


def world(scenario: Scenario) -> Faults:
    try:
        kind = world_type(scenario.world.name)
    except ValueError as fault:
        yield ("world", "name"), str(fault)
        return
    try:
        kind.start(kind.Start.model_validate(scenario.world.start), 1)
    except ValidationError as error:
        for where, said in readable(error, scenario.world.start, (kind.Start,)):
            yield ("world", "start", *where), said
    except (ValueError, Refused) as fault:
        yield ("world", "start"), str(fault)


def calls(scenario: Scenario) -> Faults:
    tools = _tools(scenario)
    for where, pattern in _patterns(scenario):
        yield from _pattern_names(where, pattern, tools)
    for where, call in _examples_and_calls(scenario):
        yield from _call_names(where, call, tools)


def _tools(scenario: Scenario) -> dict[str, ToolSpec]:
    return Conversation(scenario).world.tools()


def _patterns(scenario: Scenario) -> Iterator[tuple[Where, CallPattern]]:
    for i, rule in enumerate(scenario.rules):
        yield from ((("rules", i, "forbids", j), pattern) for j, pattern in enumerate(rule.forbids))
    for i, subtask in enumerate(scenario.subtasks):
        yield ("subtasks", i, "act"), subtask.act
    for i, probe in enumerate(scenario.probes):
        yield from ((("probes", i, "expects", j), pattern) for j, pattern in enumerate(probe.expects))


def _pattern_names(where: Where, pattern: CallPattern, tools: dict[str, ToolSpec]) -> Faults:
    for tool in pattern.tools():
        if tool not in tools:
            yield (*where, "tool"), f"the world has no tool `{tool}`{nearest(tool, tools)}"
    for tool, argument in pattern.mentions():
        if tool in tools and argument not in (known := tools[tool].parameters.get("properties", {})):
            section = next((key for key in ("args", "total") if argument in getattr(pattern, key)), None)
            place = (*where, section, argument) if section else where
            yield place, f"tool `{tool}` has no argument `{argument}`{nearest(argument, known)}"


def _examples_and_calls(scenario: Scenario) -> Iterator[tuple[Where, AskedCall]]:
    for i, rule in enumerate(scenario.rules):
        for key in ("forbidden", "allowed"):
            yield from ((("rules", i, "examples", key, j), call) for j, call in enumerate(getattr(rule.examples, key)))
    for i, subtask in enumerate(scenario.subtasks):
        yield ("subtasks", i, "call"), subtask.call
    for i, probe in enumerate(scenario.probes):
        yield from ((("probes", i, "calls", j), call) for j, call in enumerate(probe.calls))
    for i, chunk in enumerate(scenario.history.chunks):
        for j, turn in enumerate(chunk):
            yield from ((("history", "chunks", i, j, "calls", k), call) for k, call in enumerate(turn.calls))


def _call_names(where: Where, call: AskedCall, tools: dict[str, ToolSpec]) -> Faults:
    if call.tool not in tools:
        yield where, f"the world has no tool `{call.tool}`{nearest(call.tool, tools)}"
        return
    known = tools[call.tool].parameters.get("properties", {})
    for argument in call.arguments:
        if argument not in known:
            yield (
                (*where, call.tool, argument),
                f"tool `{call.tool}` has no argument `{argument}`{nearest(argument, known)}",
            )
    lacking = [name for name in tools[call.tool].parameters.get("required", ()) if name not in call.arguments]
    if lacking:
        yield (*where, call.tool), f"the call lacks the argument {' and '.join(f'`{name}`' for name in lacking)}"


STAGES = (names, marks, world, calls)
