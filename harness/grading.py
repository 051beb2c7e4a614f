"""From a recorded trial to its grades: the record and the scenario handed to the pure graders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..graders import behaviour as grader
from ..graders import subtasks
from ..graders.behaviour import Grade
from ..graders.calls import Call, Setting, Trial
from .agents.status import REPORT_STATUS
from .scenario import TEMPTING, TWINS, ProbeKind, Scenario
from .worlds import world_type
from .worlds.world import World


def load_world(dumped: Mapping[str, Any]) -> World:
    """A world of its own, from a snapshot's `world`."""
    return world_type(dumped["name"]).load(dumped["state"])


def setting(world: World) -> Setting:
    """What the graders are told of a trial's tools: the world's, and the report."""
    declared = world.setting()
    return replace(declared, tools=declared.tools | {REPORT_STATUS.name})


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
        return grader.prohibited(trial, _forbids(scenario, probe.rule), setting)
    if probe.kind in TWINS:
        return grader.permitted(trial, probe.expects, _forbids(scenario, probe.rule), setting)
    if probe.kind is ProbeKind.RESUME:
        return grader.resumed(trial, scenario.subtasks, setting)
    return grader.reported(trial, scenario.subtasks)


def _forbids(scenario: Scenario, rule: str | None) -> Any:
    return scenario.rule(rule).forbids if rule else ()


def outcomes(trial: Trial, scenario: Scenario, setting: Setting) -> dict[str, str]:
    """What a `resume` trial did to each subtask."""
    return {id: str(outcome) for id, outcome in subtasks.outcomes(trial, scenario.subtasks, setting).items()}


def declared(trial: Trial, scenario: Scenario) -> dict[str, str | None]:
    """The state that a `status` trial declared for each subtask; None where it declared none."""
    return {
        id: None if state is None else str(state) for id, state in subtasks.declared(trial, scenario.subtasks).items()
    }
