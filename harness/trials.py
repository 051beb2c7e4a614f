"""Which trials the cells of a run need. Contexts are stored and ids written down, so that what was asked stays known
when graders, which cut the contexts of some arms, get better."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import arms
from .arms import Context, Opaque
from .faults import BadInput
from .plan import Arm, Asked, Cell
from .scenario import Scenario
from .snapshots import Store, digest

FORMAT = "standfast-trials/1"
TRIAL_FORMAT = "standfast-trial/1"  # rises when the same trial would be run in another way


@dataclass
class Trial:
    """One trial: a probe in a stored context. It answers the cells (by index) whose contexts came out equal."""

    id: str
    scenario: Scenario
    source: str
    context: str
    arm: Arm
    rule: str | None
    residue_kind: str | None
    probe: str
    epoch: int
    seed: int
    cells: list[int] = field(default_factory=list)

    @property
    def logged(self) -> dict[str, Any]:
        """What the sample's metadata says. Which cells a trial answers is not logged: another chain makes that grow."""
        return {
            "scenario": self.scenario.id,
            "scenario_digest": self.scenario.digest,
            "source": self.source,
            "context": self.context,
            "arm": str(self.arm),
            "rule": self.rule,
            "residue_kind": self.residue_kind,
            "probe": self.probe,
            "epoch": self.epoch,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Trials:
    """The trials of a run by id, and the cells (by index) that have none, each with the reason."""

    by_id: Mapping[str, Trial]
    void: Mapping[int, str]


def plan_trials(cells: Sequence[Cell], store: Store, asked: Asked) -> Trials:
    """The trials that the cells need, from the snapshots that there are; their contexts lie in the store."""
    by_id: dict[str, Trial] = {}
    void: dict[int, str] = {}
    contexts = _Contexts(store)
    how = [asked.turns, dict(asked.config), dict(asked.model_args)]
    for i, cell in enumerate(cells):
        keys = store.finished(cell.chain.id)
        if keys is None:
            void[i] = "the chain has no snapshot"
            continue
        try:
            context, tools = contexts.of(cell, keys[cell.cycle])
        except Opaque as reason:
            void[i] = str(reason)
            continue
        seed = asked.seed + cell.epoch - 1
        scenario = cell.chain.scenario
        ask = [cell.probe.ask, cell.probe.at] if cell.probe.at else cell.probe.ask
        id = digest([TRIAL_FORMAT, context, tools, scenario.digest, ask, how, seed, cell.epoch])
        about = (keys[cell.cycle], context, cell.arm, cell.rule, cell.residue_kind, cell.probe.id, cell.epoch, seed)
        by_id.setdefault(id, Trial(id, scenario, *about)).cells.append(i)
    return Trials(by_id, void)


class _Contexts:
    """The contexts of cells, made and stored once each."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._made: dict[tuple[Any, ...], tuple[str, str]] = {}

    def of(self, cell: Cell, key: str) -> tuple[str, str]:
        """The context's digest, and that of the tools beside it. Raises Opaque."""
        about = cell.rule if cell.arm not in (Arm.FULL, Arm.COMPACTED) else None
        place = (key, cell.arm, about, cell.residue_kind)
        if place not in self._made:
            snapshot = self.store.get(key)
            rule = cell.chain.scenario.rule(about) if about else None
            made = arms.context(snapshot, cell.arm, rule, cell.residue_kind)
            self._made[place] = self.store.put_context(asdict(made)), digest(snapshot.tools)
        return self._made[place]


def context_of(trial: Trial, store: Store) -> Context:
    """The stored context of a trial; not to be changed. Raises ValueError where its file is damaged."""
    return Context(**store.get_context(trial.context))


# ---- written down


def write(path: Path, trials: Trials, cells: Sequence[Cell]) -> None:
    """Writes the trials of a run, with the cells that they answer by name."""
    entries = [
        {"id": trial.id, **trial.logged, "cells": [cells[i].key for i in trial.cells]}
        for trial in trials.by_id.values()
    ]
    value = {"format": FORMAT, "trials": entries, "void": {cells[i].key: reason for i, reason in trials.void.items()}}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, separators=(",", ":")), encoding="utf-8")
    part.replace(path)


def read(path: Path, cells: Sequence[Cell]) -> Trials:
    """The trials of a run as they were written, for these cells. Raises BadInput for no file or a damaged one."""
    places = {cell.key: i for i, cell in enumerate(cells)}
    scenarios = {cell.chain.scenario.digest: cell.chain.scenario for cell in cells}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        by_id = {each["id"]: _trial(each, scenarios, places) for each in value["trials"]}
        void = {places[key]: str(reason) for key, reason in value["void"].items() if key in places}
    except FileNotFoundError:
        raise BadInput(str(path.parent), "has no trials.json: the run did not reach its trials; run it again") from None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as fault:
        raise BadInput(str(path), f"is damaged: {type(fault).__name__} {fault}") from None
    return Trials(by_id, void)


def _trial(entry: dict[str, Any], scenarios: Mapping[str, Scenario], places: Mapping[str, int]) -> Trial:
    return Trial(
        id=entry["id"],
        scenario=scenarios[entry["scenario_digest"]],
        arm=Arm(entry["arm"]),
        **{key: entry[key] for key in ("source", "context", "rule", "residue_kind", "probe", "epoch", "seed")},
        cells=[places[key] for key in entry["cells"] if key in places],
    )
