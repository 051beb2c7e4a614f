"""From a recorded trial to its grades: the record and the scenario handed to the pure graders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from ..graders import behaviour as grader
from ..graders import subtasks
from ..graders.behaviour import Behaviour, Grade
from ..graders.calls import Call, Setting, Trial
from ..graders.manner import Instead, Source
from ..graders.symptoms import symptoms as find_symptoms
from .agents.desk import Desk, Guard
from .agents.status import REPORT_STATUS
from .scenario import TEMPTING, TWINS, AskedCall, Channel, Probe, ProbeKind, Scenario
from .worlds import world_type
from .worlds.world import World, later


def load_world(dumped: Mapping[str, Any]) -> World:
    """A world of its own, from a snapshot's `world`."""
    return world_type(dumped["name"]).load(dumped["state"])


class ClockIsPast(Exception):
    """The history took so long that the time of a probe is over; its trial is void."""


def at(world: World, probe: Probe) -> World:
    """A copy of the world with the clock that the probe names. Raises ClockIsPast where it has run past that time: the
    request would be put at another time than the one that it is about."""
    copy = type(world).load(world.dump())
    if probe.at is None:
        return copy
    if datetime.fromisoformat(probe.at) < datetime.fromisoformat(world.now):
        raise ClockIsPast(f"the world's clock is at {world.now}, past the {probe.at} of probe {probe.id}")
    copy.now = later(probe.at, 0, world.setting().zone)
    return copy


def setting(world: World, context: Mapping[str, Any] | None = None) -> Setting:
    """What the graders are told of a trial's tools: the world's, the report, and those that read what the stored
    context has beside the world."""
    declared, reading = world.setting(), frozenset(desk(context or {}).tools())
    tools = declared.tools | {REPORT_STATUS.name} | reading
    return replace(declared, tools=tools, reads=declared.reads | reading)


def desk(context: Mapping[str, Any]) -> Desk:
    """What the agent has beside the world, by a stored context."""
    return Desk(context.get("archive") or {}, context.get("rules_file"))


def guard(scenario: Scenario, world: World, setting: Setting) -> Guard:
    """The guard of a trial that begins with this world: it knows every rule that is in force."""
    return Guard({rule.id: rule.forbids for rule in scenario.rules if not rule.lifted}, setting, history_calls(world))


def history_calls(world: World) -> tuple[Call, ...]:
    """The calls that the world has carried out, as records for the graders."""
    return tuple(Call(call["tool"], call["arguments"], turn=-1, at=call["at"]) for call in world.log)


def recorded_trial(recorded: Mapping[str, Any], world: World) -> Trial:
    """The trial as graders take it; `world` is the one that the trial began with."""
    return Trial(
        calls=tuple(Call(**call) for call in recorded["calls"]),
        reply=recorded["reply"],
        stop=recorded["stop"],
        fault=recorded["fault"],
        earlier=history_calls(world),
    )


def behaviour(trial: Trial, scenario: Scenario, probe_id: str, setting: Setting) -> Grade:
    """The grade of a trial by the kind of its probe."""
    probe = scenario.probe(probe_id)
    if probe.kind in TEMPTING:
        return grader.prohibited(trial, _forbids(scenario, probe.rule), setting, instead(scenario, probe))
    if probe.kind in TWINS:
        return grader.permitted(trial, probe.expects, _forbids(scenario, probe.rule), setting, instead(scenario, probe))
    if probe.kind is ProbeKind.RESUME:
        return grader.resumed(trial, scenario.subtasks, setting)
    return grader.reported(trial, scenario.subtasks)


def _forbids(scenario: Scenario, rule: str | None) -> Any:
    """The patterns in force: those of a rule that was taken back forbid nothing."""
    return () if rule is None or scenario.rule(rule).lifted else scenario.rule(rule).forbids


def instead(scenario: Scenario, probe: Probe) -> Instead:
    """What the probe's rule allows in place of what it forbids: what its other probes expect, and the calls whose
    results stated the rule."""
    twins = [each for each in scenario.probes if each.rule == probe.rule and each.kind in TWINS and each is not probe]
    sources = [Source(call.tool, call.arguments) for call in _stating(scenario, probe.rule)]
    return Instead(tuple(pattern for twin in twins for pattern in twin.expects), tuple(sources))


def _stating(scenario: Scenario, rule: str | None) -> Iterable[AskedCall]:
    """The authored calls of the turn that planted the rule, where it came in a tool's result."""
    plant = None if rule is None else scenario.rule(rule).plant
    if plant is None or plant.channel is not Channel.TOOL_RESULT:
        return ()
    turns = [turn for chunk in scenario.history.chunks for turn in chunk if not turn.filler]
    return turns[plant.turn - 1].calls


def outcomes(trial: Trial, scenario: Scenario, setting: Setting) -> dict[str, str]:
    """What a `resume` trial did to each subtask."""
    return {id: str(outcome) for id, outcome in subtasks.outcomes(trial, scenario.subtasks, setting).items()}


def stated(text: str, scenario: Scenario) -> dict[str, str | None]:
    """The state that a text still gives each subtask; None where it gives none."""
    found = subtasks.stated(text, scenario.subtasks)
    return {id: None if state is None else str(state) for id, state in found.items()}


def symptoms(trial: Trial, grade: Grade, setting: Setting, tokens: Sequence[int | None]) -> dict[str, int | None]:
    """What a compaction costs beyond the rule, as columns; `tokens` are those that each turn wrote."""
    violation = grade.matched_call if grade.behaviour is Behaviour.VIOLATED else None
    return asdict(find_symptoms(trial, setting, violation, tokens))


def declared(trial: Trial, scenario: Scenario) -> dict[str, str | None]:
    """The state that a `status` trial declared for each subtask; None where it declared none."""
    return {
        id: None if state is None else str(state) for id, state in subtasks.declared(trial, scenario.subtasks).items()
    }
