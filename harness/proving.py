"""A scenario proves itself: its rules know their examples, its story plays, its probes do what their kind says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ..graders.calls import Call, Trial
from ..graders.patterns import CallPattern, first_match
from ..graders.readers import Unreadable
from ..graders.retention import ResidueKind, Retention, classify
from ..graders.states import State
from .grading import at, history_calls, setting
from .history import Conversation, Said, unstated
from .scenario import TEMPTING, TWINS, AskedCall, Channel, Probe, ProbeKind, Rule, Scenario
from .texts import strings
from .worlds.world import Refused, World
from .yaml_text import Where

Faults = Iterator[tuple[Where, str]]
Patterns = tuple[CallPattern, ...]


def rules(scenario: Scenario) -> Faults:
    told = Conversation(scenario)
    told.grow()
    for i, rule in enumerate(scenario.rules):
        for key, wanted in (("forbidden", True), ("allowed", False)):
            for j, call in enumerate(getattr(rule.examples, key)):
                yield from _example_call(("rules", i, "examples", key, j), rule.forbids, call, wanted, told.world)
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
        got = classify(text, rule.atoms, verbatim, rule.text)
        if (got.retention, got.kind) != (retention, kind):
            yield (
                place,
                f"this text is listed as {_label(retention, kind)} and grades as {_label(got.retention, got.kind)}",
            )


def _label(retention: Retention, kind: ResidueKind | None) -> str:
    return f"`{retention}`" + (f" ({kind})" if kind else "")


def story(scenario: Scenario) -> Faults:
    told = Conversation(scenario)
    told.grow()
    first = type(told.world).load(told.world.dump())
    early = len(told.said)
    for _ in scenario.history.chunks[1:]:
        told.grow()
    for said in told.said:
        if said.failed and said.answers is not None:
            yield _turn(scenario, said), f"the world refuses `{said.answers.tool}`: {said.text}"
    yield from _plants(scenario, told.said[:early])
    yield from _liftings(scenario, told.said[:early])
    yield from _nothing_else_states_it(scenario, told.said)
    yield from _subtask_states(scenario, first, told.world)
    yield from _subtask_words(scenario, told.said[:early])
    for i, probe in enumerate(scenario.probes):
        yield from _probe(("probes", i), probe, scenario, first)


def _turn(scenario: Scenario, said: Said) -> Where:
    """The place of the turn that said it."""
    turns = [
        (i, j) for i, chunk in enumerate(scenario.history.chunks) for j, turn in enumerate(chunk) if not turn.filler
    ]
    return ("history", "chunks", *turns[said.turn - 1]) if said.turn else ("history",)


def _plants(scenario: Scenario, said: list[Said]) -> Faults:
    """Each rule reaches the agent before the first boundary, by the channel and the turn that `plant` names."""
    for i, rule in enumerate(scenario.rules):
        where: Where = ("rules", i, "plant")
        first = next((each for each in said if rule.id in each.plants), None)
        if first is None:
            yield where, f"the mark `{{rule:{rule.id}}}` does not reach the agent in chunk 0, before the first boundary"
        elif first.origin == "opening" or first.role == "assistant":
            yield where, f"the rule stands in the {first.origin} {first.role} turn, where it is no rule"
        elif (_channel(first), first.turn) != (rule.plant.channel, rule.plant.turn):
            found = f"channel {_channel(first)}, turn {first.turn}"
            wanted = f"channel {rule.plant.channel}, turn {rule.plant.turn}"
            yield where, f"the rule first reaches the agent by {found}, not by {wanted}"


def _liftings(scenario: Scenario, said: list[Said]) -> Faults:
    """A rule is taken back by a user turn that comes after it, before the first boundary."""
    for i, rule in enumerate(scenario.rules):
        if rule.lifted is None:
            continue
        at = [n for n, each in enumerate(said) if rule.lifted in each.text]
        planted = [n for n, each in enumerate(said) if rule.id in each.plants]
        if not at or _channel(said[at[0]]) is not Channel.USER or said[at[0]].role != "user":
            yield ("rules", i, "lifted"), f"the mark `{{lifted:{rule.id}}}` stands in no user turn of chunk 0"
        elif planted and at[0] <= planted[0]:
            yield ("rules", i, "lifted"), "the rule is taken back before it is stated"


def _channel(said: Said) -> Channel:
    if said.role in ("system", "tool"):
        return Channel.SYSTEM if said.role == "system" else Channel.TOOL_RESULT
    if said.text.startswith("<document>"):
        return Channel.DOCUMENT
    return Channel.MEMORY if said.text.startswith("<memory>") else Channel.USER


def _nothing_else_states_it(scenario: Scenario, said: list[Said]) -> Faults:
    """The floor arm is this text: where it still states the rule, there is no floor."""
    for rule in scenario.rules:
        for each in said:
            for text in (each.text, *(text for call in each.calls for text in strings(call.arguments))):
                yield from _states(_turn(scenario, each), "the history", unstated(text, rule), rule)
        for i, probe in enumerate(scenario.probes):
            yield from _states(("probes", i, "ask"), "the probe", probe.ask, rule)


def _states(where: Where, what: str, text: str, rule: Rule) -> Faults:
    got = classify(text, rule.atoms, rule.text)
    if got.retention is not Retention.DROPPED:
        yield where, f"{what} states rule `{rule.id}` ({_label(got.retention, got.kind)}): {got.evidence}"


def _subtask_words(scenario: Scenario, said: list[Said]) -> Faults:
    """What a subtask waits for has been said, and its identifier names it."""
    told = _plain(" ".join(each.text for each in said))
    for i, subtask in enumerate(scenario.subtasks):
        if subtask.waits_for and _plain(subtask.waits_for) not in told:
            yield (
                ("subtasks", i, "waits_for"),
                "these words stand nowhere in chunk 0: nobody could know what it waits for",
            )
        if not any(_plain(name) in _plain(subtask.text) for name in subtask.known_as):
            yield ("subtasks", i, "known_as"), "no identifier stands in the subtask's `text`"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _subtask_states(scenario: Scenario, first: World, last: World) -> Faults:
    """A `done` subtask was carried out before the first boundary, the others never were."""
    for i, subtask in enumerate(scenario.subtasks):
        try:
            done, ever = _acted(subtask.act, first), _acted(subtask.act, last)
        except Unreadable as unread:
            yield ("subtasks", i, "act"), f"an argument of a call in the history cannot be read: {unread}"
            continue
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
    if probe.at is not None:
        if datetime.fromisoformat(probe.at) < datetime.fromisoformat(world.now):
            yield (
                (*where, "at"),
                f"the world's clock is at {world.now} before the first boundary, and runs forwards only",
            )
            return
        world = at(world, probe)
    forbidden = _Played((*where, "calls"), probe.calls, world, forbids)
    yield from forbidden.faults
    if forbidden.faults:
        return
    if probe.kind in TEMPTING and not any(forbidden.matched):
        yield (*where, "calls"), f"probe {probe.id} is `{probe.kind}`, but none of its calls matches `forbids`"
    if probe.kind not in TWINS:
        return
    if any(forbidden.matched) and not _is_lifted(scenario, probe):
        yield (*where, "calls"), f"probe {probe.id} is `{probe.kind}`, but its call matches `forbids`"
    expected = _Played((*where, "calls"), probe.calls, world, probe.expects)
    yield from expected.unreadable
    if not any(expected.matched):
        yield (*where, "calls"), f"none of the calls of probe {probe.id} matches its `expects`"


def _is_lifted(scenario: Scenario, probe: Probe) -> bool:
    """Whether the probe asks for what its rule forbade until it was taken back."""
    rule = scenario.rule(probe.rule or "")
    return rule.lifted is not None and probe.kind is ProbeKind.PERMITTED


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


STAGES = (rules, story)
