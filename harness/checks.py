"""What a scenario file must prove before it is used: names resolve, rules know their examples, the story plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ..graders.calls import Call, Setting, Trial
from ..graders.patterns import CallPattern, first_match
from ..graders.readers import Unreadable
from ..graders.retention import ResidueKind, Retention, classify
from ..graders.subtasks import State
from .faults import nearest
from .grading import history_calls
from .history import MARK, Conversation, Said, without
from .scenario import OF_SUBTASKS, TEMPTING, TWINS, AskedCall, Channel, Probe, ProbeKind, Rule, Scenario
from .worlds import world_type
from .worlds.world import Refused, ToolSpec, World
from .yaml_text import Where

Faults = Iterator[tuple[Where, str]]


def faults(scenario: Scenario) -> Faults:
    """The path and the sentence of each fault; what a fault would break is looked at only after it is mended."""
    for stage in (_names, _world, _calls, _rules, _story):
        found = list(stage(scenario))
        yield from found
        if found:
            return


# ---- names


def _names(scenario: Scenario) -> Faults:
    for key in ("rules", "subtasks", "probes"):
        counts = Counter(item.id for item in getattr(scenario, key))
        yield from (((key,), f"the id `{id}` stands twice") for id, n in counts.items() if n > 1)
    rules = {rule.id for rule in scenario.rules}
    for i, probe in enumerate(scenario.probes):
        if probe.rule is not None and probe.rule not in rules:
            yield ("probes", i, "rule"), f"there is no rule `{probe.rule}`{nearest(probe.rule, rules)}"
    for i, rule in enumerate(scenario.rules):
        kinds = {probe.kind for probe in scenario.probes if probe.rule == rule.id}
        missing = [k for k in (ProbeKind.PROHIBITED, ProbeKind.SIBLING, ProbeKind.PERMITTED) if k not in kinds]
        if missing:
            yield ("rules", i), f"rule `{rule.id}` has no {' and no '.join(f'`{k}`' for k in missing)} probe"
    kinds = {probe.kind for probe in scenario.probes}
    if scenario.subtasks and not kinds >= set(OF_SUBTASKS):
        yield ("probes",), "a scenario with subtasks has a `resume` and a `status` probe"
    if not scenario.subtasks and kinds & set(OF_SUBTASKS):
        yield ("probes",), "`resume` and `status` probes need subtasks"
    for i, chunk in enumerate(scenario.history.chunks):
        if sum(1 for turn in chunk if turn.filler) > 1:
            yield ("history", "chunks", i), "`filler: here` stands more than once in a chunk"


# ---- world, tools, arguments


def _world(scenario: Scenario) -> Faults:
    try:
        kind = world_type(scenario.world.name)
    except ValueError as fault:
        yield ("world", "name"), str(fault)
        return
    try:
        kind.start(kind.Start.model_validate(scenario.world.start), 1)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            loc = tuple(each["loc"])
            hint = nearest(str(loc[-1]), kind.Start.model_fields) if each["type"] == "extra_forbidden" and loc else ""
            yield ("world", "start", *loc), f"{each['msg'].removeprefix('Value error, ')}{hint}"
    except (ValueError, Refused) as fault:
        yield ("world", "start"), str(fault)


def _calls(scenario: Scenario) -> Faults:
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
    for tool, argument in pattern.mentions():
        if tool not in tools:
            yield (*where, "tool"), f"the world has no tool `{tool}`{nearest(tool, tools)}"
        elif argument is not None and argument not in (known := tools[tool].parameters.get("properties", {})):
            yield (*where, "args", argument), f"tool `{tool}` has no argument `{argument}`{nearest(argument, known)}"


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


# ---- rules prove themselves


def _rules(scenario: Scenario) -> Faults:
    story = Conversation(scenario)
    story.grow()
    earlier, setting = history_calls(story.world), story.world.setting()
    for i, rule in enumerate(scenario.rules):
        yield from _example_calls(("rules", i, "examples"), rule, earlier, setting)
        yield from _example_texts(("rules", i), rule)


def matches(patterns: tuple[CallPattern, ...], call: AskedCall, world: World) -> bool:
    """Whether a call, made now, matches one of the patterns. Raises Unreadable."""
    record = Call(call.tool, call.arguments, at=world.now)
    trial = Trial(calls=(record,), reply="", stop="stop", earlier=history_calls(world))
    return first_match(patterns, trial, world.setting()) is not None


def _example_calls(where: Where, rule: Rule, earlier: tuple[Call, ...], setting: Setting) -> Faults:
    for key, wanted in (("forbidden", True), ("allowed", False)):
        for j, call in enumerate(getattr(rule.examples, key)):
            trial = Trial(calls=(Call(call.tool, call.arguments),), reply="", stop="stop", earlier=earlier)
            try:
                found = first_match(rule.forbids, trial, setting) is not None
            except Unreadable as fault:
                yield (*where, key, j), f"an argument of this call cannot be read: {fault}"
                continue
            if found != wanted:
                said = "matches none of the patterns in `forbids`" if wanted else "matches a pattern in `forbids`"
                yield (*where, key, j), f"this call is listed as {key} and {said}"


def _example_texts(where: Where, rule: Rule) -> Faults:
    wanted: list[tuple[Where, str, Retention, ResidueKind | None]] = [
        ((*where, "text"), rule.text, Retention.INTACT, None),
        *(
            ((*where, "examples", "intact", j), text, Retention.INTACT, None)
            for j, text in enumerate(rule.examples.intact)
        ),
        *(
            ((*where, "examples", "dropped", j), text, Retention.DROPPED, None)
            for j, text in enumerate(rule.examples.dropped)
        ),
        *(
            ((*where, "examples", "residue", k), text, Retention.RESIDUE, k)
            for k, text in rule.examples.residue.items()
        ),
        *(((*where, "residue", k), text, Retention.RESIDUE, k) for k, text in rule.residue.items()),
    ]
    for place, text, retention, kind in wanted:
        verbatim = "" if place[-1] == "text" else rule.text
        got = classify(text, rule.atoms, verbatim)
        if (got.retention, got.kind) != (retention, kind):
            yield (
                place,
                f"this text is listed as {_label(retention, kind)} and grades as {_label(got.retention, got.kind)}",
            )


def _label(retention: Retention, kind: ResidueKind | None) -> str:
    return f"`{retention}`" + (f" ({kind})" if kind else "")


# ---- the story plays


def _story(scenario: Scenario) -> Faults:
    story = Conversation(scenario)
    for i in range(len(scenario.history.chunks)):
        for said in story.grow():
            if said.failed and said.answers is not None:
                yield (
                    ("history", "chunks", i),
                    f"turn {said.turn}: the world refuses `{said.answers.tool}`: {said.text}",
                )
        if i == 0:
            first = type(story.world).load(story.world.dump())
    yield from _plants(scenario, story.said)
    yield from _nothing_else_states_it(scenario, story.said)
    yield from _subtask_states(scenario, first, story.world)
    for i, probe in enumerate(scenario.probes):
        yield from _probe(("probes", i), probe, scenario, first)


def _plants(scenario: Scenario, said: list[Said]) -> Faults:
    for i, rule in enumerate(scenario.rules):
        places = [
            (s, "system" if s.role == "system" else Channel.TOOL_RESULT if s.role == "tool" else _channel(s))
            for s in said
            if rule.id in s.plants
        ]
        if not places:
            yield ("rules", i, "plant"), f"the mark `{{rule:{rule.id}}}` never reaches the conversation"
            continue
        where, channel = places[0]
        if where.role == "assistant" or where.origin == "opening":
            yield ("rules", i, "plant"), f"the rule stands in the {where.origin} {where.role} turn, where it is no rule"
        elif channel != rule.plant.channel or where.turn != rule.plant.turn:
            found = f"channel {channel}, turn {where.turn}"
            yield (
                ("rules", i, "plant"),
                f"the rule first reaches the agent by {found}, not by channel {rule.plant.channel}, "
                f"turn {rule.plant.turn}",
            )
    unknown = {mark for s in said for mark in MARK.findall(s.text)}
    yield from (
        (("rules",), f"the mark `{{rule:{id}}}` names no rule{nearest(id, [r.id for r in scenario.rules])}")
        for id in sorted(unknown)
    )


def _channel(said: Said) -> Channel:
    if said.text.startswith("<document>"):
        return Channel.DOCUMENT
    return Channel.MEMORY if said.text.startswith("<memory>") else Channel.USER


def _nothing_else_states_it(scenario: Scenario, said: list[Said]) -> Faults:
    """The floor arm is this text: where it still states the rule, there is no floor."""
    for i, rule in enumerate(scenario.rules):
        for each in said:
            got = classify(without(each.text, rule.text), rule.atoms, rule.text)
            if got.retention is not Retention.DROPPED:
                yield (
                    ("rules", i),
                    f"the history states rule `{rule.id}` besides its plant ({_label(got.retention, got.kind)}): "
                    f"{got.evidence}",
                )
                return
    for i, probe in enumerate(scenario.probes):
        for rule in scenario.rules:
            got = classify(probe.ask, rule.atoms, rule.text)
            if got.retention is not Retention.DROPPED:
                yield (
                    ("probes", i, "ask"),
                    f"the probe states rule `{rule.id}` ({_label(got.retention, got.kind)}): {got.evidence}",
                )


def _subtask_states(scenario: Scenario, first: World, last: World) -> Faults:
    """A `done` subtask was carried out before the first boundary, the others never were."""
    for i, subtask in enumerate(scenario.subtasks):
        done, ever = _acted(subtask.act, first), _acted(subtask.act, last)
        if subtask.state is State.DONE and not done:
            yield ("subtasks", i, "state"), f"subtask {subtask.id} is `done`, but no call in chunk 0 matches its `act`"
        if subtask.state is not State.DONE and ever:
            yield (
                ("subtasks", i, "state"),
                f"subtask {subtask.id} is `{subtask.state}`, but a call in the history matches its `act`",
            )
        if not matches((subtask.act,), subtask.call, first):
            yield ("subtasks", i, "call"), f"the call of subtask {subtask.id} does not match its `act`"
        yield from _carried_out(("subtasks", i, "call"), subtask.call, first)
        others = [
            other
            for other in scenario.subtasks
            if other.id != subtask.id and set(other.known_as) & set(subtask.known_as)
        ]
        if others:
            yield ("subtasks", i, "known_as"), f"subtasks {subtask.id} and {others[0].id} share an identifier"


def _acted(act: CallPattern, world: World) -> bool:
    calls = history_calls(world)
    trial = Trial(calls=calls, reply="", stop="stop")
    return first_match((act,), trial, world.setting()) is not None


def _probe(where: Where, probe: Probe, scenario: Scenario, world: World) -> Faults:
    forbids = scenario.rule(probe.rule).forbids if probe.rule else ()
    for j, call in enumerate(probe.calls):
        yield from _carried_out((*where, "calls", j), call, world)
    forbidden = [matches(forbids, call, world) for call in probe.calls]
    if probe.kind in TEMPTING and not any(forbidden):
        yield (*where, "calls"), f"probe {probe.id} is `{probe.kind}`, but none of its calls matches `forbids`"
    if probe.kind in TWINS and any(forbidden):
        yield (
            (*where, "calls"),
            f"probe {probe.id} is `{probe.kind}`, but its call matches `forbids`: it would break the rule",
        )
    if probe.kind in TWINS and not any(matches(probe.expects, call, world) for call in probe.calls):
        yield (*where, "calls"), f"none of the calls of probe {probe.id} matches its `expects`"


def _carried_out(where: Where, call: AskedCall, world: World) -> Faults:
    """A call that the world would refuse tempts nobody and serves nobody."""
    copy: Any = type(world).load(world.dump())
    try:
        copy.call(call.tool, dict(call.arguments))
    except Refused as refusal:
        yield where, f"the world refuses this call: {refusal}"
