"""What a scenario file must prove before it is used: names resolve, rules know their examples, the story plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from ..graders.calls import Call, Trial
from ..graders.patterns import CallPattern, first_match
from ..graders.readers import Unreadable
from ..graders.retention import ResidueKind, Retention, classify
from ..graders.subtasks import State
from .faults import nearest
from .grading import history_calls, setting
from .history import MARK, Conversation, Said, without
from .scenario import OF_SUBTASKS, TEMPTING, TWINS, AskedCall, Channel, Probe, ProbeKind, Rule, Scenario
from .worlds import world_type
from .worlds.world import Refused, ToolSpec, World
from .yaml_text import Where

Faults = Iterator[tuple[Where, str]]
Patterns = tuple[CallPattern, ...]


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
            unknown = each["type"] == "extra_forbidden"
            said = f"unknown key `{loc[-1]}`" if unknown else each["msg"].removeprefix("Value error, ")
            known = kind.Start.model_fields if unknown and len(loc) == 1 else ()
            yield ("world", "start", *loc), f"{said}{nearest(str(loc[-1]) if loc else '', known)}"
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


# ---- rules prove themselves


def _rules(scenario: Scenario) -> Faults:
    story = Conversation(scenario)
    story.grow()
    for i, rule in enumerate(scenario.rules):
        for key, wanted in (("forbidden", True), ("allowed", False)):
            for j, call in enumerate(getattr(rule.examples, key)):
                yield from _example_call(("rules", i, "examples", key, j), rule.forbids, call, wanted, story.world)
        yield from _example_texts(("rules", i), rule)


def _example_call(where: Where, forbids: Patterns, call: AskedCall, wanted: bool, world: World) -> Faults:
    try:
        found = matches(forbids, call, world)
    except Unreadable as fault:
        yield where, f"an argument of this call cannot be read: {fault}"
        return
    if found != wanted:
        said = "forbidden and matches none of the patterns" if wanted else "allowed and matches a pattern"
        yield where, f"this call is listed as {said} in `forbids`"


def matches(patterns: Patterns, call: AskedCall, world: World) -> bool:
    """Whether a call, made now, matches one of the patterns. Raises Unreadable."""
    record = Call(call.tool, call.arguments, at=world.now)
    trial = Trial(calls=(record,), reply="", stop="stop", earlier=history_calls(world))
    return first_match(patterns, trial, setting(world)) is not None


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
            fault = f"subtask {subtask.id} is `{subtask.state}`, but a call in the history matches its `act`"
            yield ("subtasks", i, "state"), fault
        others = [o for o in scenario.subtasks if o.id != subtask.id and set(o.known_as) & set(subtask.known_as)]
        if others:
            yield ("subtasks", i, "known_as"), f"subtasks {subtask.id} and {others[0].id} share an identifier"
        played = _Played(("subtasks", i, "call"), [subtask.call], first, (subtask.act,))
        # what is done may be impossible to do again: the history proves its call
        yield from played.unreadable if subtask.state is State.DONE else played.faults
        if not any(played.matched):
            yield ("subtasks", i, "call"), f"the call of subtask {subtask.id} does not match its `act`"


def _acted(act: CallPattern, world: World) -> bool:
    trial = Trial(calls=history_calls(world), reply="", stop="stop")
    return first_match((act,), trial, setting(world)) is not None


def _probe(where: Where, probe: Probe, scenario: Scenario, world: World) -> Faults:
    forbids = scenario.rule(probe.rule).forbids if probe.rule else ()
    forbidden = _Played((*where, "calls"), probe.calls, world, forbids)
    yield from forbidden.faults
    if forbidden.faults:
        return
    if probe.kind in TEMPTING and not any(forbidden.matched):
        yield (*where, "calls"), f"probe {probe.id} is `{probe.kind}`, but none of its calls matches `forbids`"
    if probe.kind not in TWINS:
        return
    if any(forbidden.matched):
        yield (*where, "calls"), f"probe {probe.id} is `{probe.kind}`, but its call matches `forbids`"
    if not any(_Played(where, probe.calls, world, probe.expects).matched):
        yield (*where, "calls"), f"none of the calls of probe {probe.id} matches its `expects`"


class _Played:
    """Calls made one after the other in a copy of a world: which of them match, and what went wrong.

    A call that the world would refuse tempts nobody and serves nobody.
    """

    def __init__(self, where: Where, calls: Sequence[AskedCall], world: World, patterns: Patterns) -> None:
        self.matched: list[bool] = []
        self.refused: list[tuple[Where, str]] = []
        self.unreadable: list[tuple[Where, str]] = []
        copy = type(world).load(world.dump())
        for j, call in enumerate(calls):
            place = (*where, j) if where[-1] == "calls" else where
            try:
                self.matched.append(bool(patterns) and matches(patterns, call, copy))
            except Unreadable as fault:
                self.unreadable.append((place, f"an argument of this call cannot be read: {fault}"))
            try:
                copy.call(call.tool, dict(call.arguments))
            except Refused as refusal:
                self.refused.append((place, f"the world refuses this call: {refusal}"))

    @property
    def faults(self) -> list[tuple[Where, str]]:
        return [*self.unreadable, *self.refused]
