"""The calibration matrix of one scenario, in process: every scripted actor in every context, with its label.

The subjects of `providers/subjects.py` meet the scenario's first boundary without Inspect: a writer's text stands in
place of the history, calls run against a copy of the world, the graders and the validity rules are those of a run. A
test proves that the labels are those of the real two stages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...graders import summaries
from ...graders.behaviour import Grade
from ...graders.calls import Call as Record
from ...graders.calls import Trial
from ...graders.retention import classify
from .. import grading, validity
from ..agents.status import answer as answer_of
from ..history import Said, replayed, unstated
from ..plan import Arm
from ..providers.subjects import ACTORS, DONE, WRITERS, Call, Scene
from ..scenario import OF_SUBTASKS, Channel, Probe, Rule, Scenario
from ..texts import strings
from ..worlds.world import Refused, World

NO_WRITER = ""
# actors whose behaviour here is known beforehand; one that could look something up behaves as `reader`
SUBJECTS = ("obedient", "violating", "idle", "refusing", "reader")


@dataclass(frozen=True)
class Context:
    """What an actor meets before the probe; `writer` wrote it, where the arm is `compacted`."""

    arm: Arm
    writer: str
    text: str
    made: tuple[Call, ...]
    world: World


@dataclass(frozen=True)
class Outcome:
    """One trial of a scripted actor; retention is that of the probe's rule in the context, None for subtasks."""

    actor: str
    arm: Arm
    writer: str
    probe: Probe
    grade: Grade
    retention: str | None
    residue_kind: str | None
    valid: bool
    invalid_because: str | None
    subtasks: dict[str, str | None] = field(default_factory=dict)
    """For `resume` what became of each subtask, for `status` what was declared of it."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from the other outcomes of the same matrix."""
        return self.actor, str(self.arm), self.writer, self.probe.id

    @property
    def label(self) -> tuple[str, str | None, str | None]:
        """What must be the same under every seed."""
        return str(self.grade.behaviour), self.retention, self.residue_kind


def text_of(said: Sequence[Said]) -> str:
    """All that the messages say and the arguments of calls, as `messages.text_of` gives it of Inspect's."""
    parts = [[each.text, *(text for call in each.calls for text in strings(call.arguments))] for each in said]
    return "\n\n".join(text for part in parts for text in part if text)


class Stage:
    """A scenario at its first boundary: its contexts, and what the subjects do in them."""

    def __init__(self, scenario: Scenario, seed: int = 1, window: int = 0) -> None:
        self.scenario = scenario
        story = replayed(scenario, 1, seed, window)
        self.said, self.world = story.said, story.world
        made = tuple((call.tool, call.arguments) for each in self.said for call in each.calls)
        self.seen = Scene(scenario, text_of(self.said), made)
        self.summaries = {name: write(self.seen) for name, write in WRITERS.items()}
        self._known = summaries.identifiers(
            " ".join([*(name for s in scenario.subtasks for name in s.known_as), self.seen.text])
        )
        self._graded: dict[tuple[Any, ...], tuple[Grade, dict[str, str | None]]] = {}
        self._said_of: dict[tuple[str, str], tuple[str, str | None]] = {}

    def contexts(self, rule: Rule | None) -> Iterator[Context]:
        """The contexts in which a probe of this rule (None: one of the subtasks) is put."""
        if rule is not None:
            yield self._floor(rule)
        yield Context(Arm.FULL, NO_WRITER, self.seen.text, self.seen.made, self.world)
        for writer in WRITERS:
            yield Context(Arm.COMPACTED, writer, self._compacted(writer), (), self.world)

    def outcomes(self) -> list[Outcome]:
        """Every actor, context and probe, with the validity that a run would give it."""
        cells = [
            (context, probe, actor)
            for rule, probes in self._by_rule()
            for context in self.contexts(rule)
            for probe in probes
            for actor in SUBJECTS
        ]
        graded = [self._graded_in(*cell) for cell in cells]
        rows = [self._row(*cell, grade) for cell, (grade, _) in zip(cells, graded, strict=True)]
        return [
            Outcome(
                actor,
                context.arm,
                context.writer,
                probe,
                grade,
                *self._retention(context, probe),
                valid=judged["valid"],
                invalid_because=judged["invalid_because"],
                subtasks=states,
            )
            for (context, probe, actor), (grade, states), judged in zip(
                cells, graded, validity.judged(rows), strict=True
            )
        ]

    def summary_fault(self, writer: str) -> str | None:
        """What a run would say is wrong with this writer's summary, or None."""
        text = self.summaries.get(writer)
        if text is None or summaries.is_summary(text, self._known):
            return None
        return "non-summary" if text.strip() else "empty summary"

    def _by_rule(self) -> Iterator[tuple[Rule | None, list[Probe]]]:
        for rule in self.scenario.rules:
            yield rule, [probe for probe in self.scenario.probes if probe.rule == rule.id]
        yield None, [probe for probe in self.scenario.probes if probe.kind in OF_SUBTASKS]

    def _floor(self, rule: Rule) -> Context:
        """The context in which the rule was never stated; one world a rule, so that its trials are graded once."""
        world = type(self.world).load(unstated(self.world.dump(), rule))
        made = tuple(unstated(list(self.seen.made), rule))
        return Context(Arm.FLOOR, NO_WRITER, unstated(self.seen.text, rule), made, world)

    def _compacted(self, writer: str) -> str:
        """System text, opening and summary. A system text that states a rule would stay beside every summary: here it
        is left out, so that the summaries can be told apart."""
        states = any(rule.plant.channel is Channel.SYSTEM for rule in self.scenario.rules)
        kept = [said for said in self.said if said.origin in ("system", "opening")]
        head = [said for said in kept if not (said.role == "system" and states)]
        return "\n\n".join(part for part in (text_of(head), self.summaries[writer]) if part)

    def _graded_in(self, context: Context, probe: Probe, actor: str) -> tuple[Grade, dict[str, str | None]]:
        text = f"{context.text}\n\n{probe.ask}"
        answer = ACTORS[actor](Scene(self.scenario, text, context.made, probe))
        key = (context.arm is Arm.FLOOR, probe.id, json.dumps(answer, ensure_ascii=False, default=str))
        if key not in self._graded:
            self._graded[key] = _graded(self.scenario, context.world, probe, answer)
        return self._graded[key]

    def _row(self, context: Context, probe: Probe, actor: str, grade: Grade) -> validity.Row:
        return {
            "scenario": self.scenario.id,
            "chain": context.writer or "none",
            "cycle": 1,
            "arm": str(context.arm),
            "residue_arm": None,
            "actor": actor,
            "rule": probe.rule,
            "probe": probe.id,
            "probe_kind": str(probe.kind),
            "behaviour": str(grade.behaviour),
            "reason": grade.reason,
            "boundary_fault": self.summary_fault(context.writer),
        }

    def _retention(self, context: Context, probe: Probe) -> tuple[str | None, str | None]:
        if probe.rule is None or context.arm is Arm.FLOOR:
            return None, None
        key = (context.writer, probe.rule)
        if key not in self._said_of:
            rule = self.scenario.rule(probe.rule)
            found = classify(context.text, rule.atoms, rule.text)
            self._said_of[key] = str(found.retention), None if found.kind is None else str(found.kind)
        return self._said_of[key]


def _graded(
    scenario: Scenario, world: World, probe: Probe, answer: list[Call] | str
) -> tuple[Grade, dict[str, str | None]]:
    """The grade of one answer, and what it says or does of the subtasks where it was asked for them."""
    begun = grading.at(world, probe)
    setting = grading.setting(begun)
    trial = _trial(begun, answer)
    grade = grading.behaviour(trial, scenario, probe.id, setting)
    if probe.kind not in OF_SUBTASKS:
        return grade, {}
    if probe.kind == "resume":
        return grade, dict(grading.outcomes(trial, scenario, setting))
    return grade, grading.declared(trial, scenario)


def _trial(world: World, answer: list[Call] | str) -> Trial:
    """The recorded trial of one turn; its calls run against the world, which is the caller's to give away."""
    earlier, now = grading.history_calls(world), world.now
    if isinstance(answer, str):
        return Trial((), answer, "stop", earlier=earlier)
    calls = []
    for tool, arguments in answer:
        error = None
        try:
            answer_of(world, tool, dict(arguments))
        except Refused as refusal:
            error = str(refusal)
        calls.append(Record(tool, arguments, at=now, executed=error is None, error=error))
    return Trial(tuple(calls), DONE, "stop", earlier=earlier)
