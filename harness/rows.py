"""Logs and snapshots → rows: five tables with fixed columns. No model is called; the same run gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..graders import GRADER_VERSION
from ..graders.behaviour import Behaviour
from ..graders.calls import Setting
from . import grading, logs, messages, retained, trials, validity
from .folder import RunFolder
from .plan import Arm, Cell, Chain, cells, chains, needed, uncompacted
from .scenario import OF_SUBTASKS, ProbeKind
from .schemas import SCHEMAS
from .snapshots import Store
from .trials import Trial
from .worlds.world import World

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]


def build(folder: RunFolder) -> dict[str, int]:
    """The number of rows of each table, which now lie under `rows/`, graded by the present graders."""
    source = _Source(folder)
    tables: dict[str, list[Row]] = {"boundaries": [], "rules": [], "spans": [], "trials": [], "subtasks": []}
    for chain in source.chains:
        for table, row in source.of_chain(chain):
            tables[table].append(row)
    tables["trials"] = sorted(validity.judged(list(source.trial_rows())), key=_trial_order)
    tables["subtasks"] = source.subtask_rows()
    for name, rows in tables.items():
        _write(folder.rows / f"{name}.parquet", rows, SCHEMAS[name])
    return {name: len(rows) for name, rows in tables.items()}


def _write(path: Path, rows: list[Row], schema: pa.Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {field.name: [row.get(field.name) for row in rows] for field in schema}
    part = path.with_suffix(".part")
    pq.write_table(pa.table(columns, schema=schema), part, compression="zstd")
    part.replace(path)


def _trial_order(row: Row) -> tuple[Any, ...]:
    return (
        *(str(row[key] or "") for key in ("scenario", "actor", "chain")),
        row["cycle"],
        list(Arm).index(row["arm"]),
        row["residue_arm"] or "",
        row["probe"],
        row["epoch"],
    )


@dataclass(frozen=True)
class _Begun:
    """What a trial began with: the world's record for the graders."""

    world: World
    setting: Setting


class _Source:
    """One run, read once: its plan, its snapshots, its logs."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder, self.store = folder, Store(folder.snapshots)
        self.asked, scenarios = folder.asked(), folder.scenarios()
        self.cells = cells(self.asked, chains(self.asked, scenarios))
        self.chains = needed(self.cells)
        self.failed = logs.chain_errors(folder.logs)
        self.planned = trials.read(folder.trials, self.cells)
        self.context = {i: trial.context for trial in self.planned.by_id.values() for i in trial.cells}
        self.begun = lru_cache(maxsize=256)(self._begun)
        self._readings: dict[tuple[Any, ...], Row] = {}
        self._retained: dict[tuple[str, int, str], retained.Retained] = {}
        self._subtasks: dict[tuple[Any, ...], Row] = {}
        self._texts: dict[str, dict[str, str | None]] = {}

    # ---- chains

    def of_chain(self, chain: Chain) -> Iterator[tuple[str, Row]]:
        """The rows of the tables `boundaries`, `rules` and `spans` for one chain."""
        keys = self.store.finished(chain.id)
        about = _about(chain, self.folder)
        if keys is None:
            yield "boundaries", {**about, "cycle": None, "error": self._why(chain)}
            return
        snapshots = [self.store.get(key) for key in keys]
        for cycle, snapshot in enumerate(snapshots):
            if snapshot.boundary is not None:
                yield "boundaries", {**about, "cycle": cycle, "snapshot": keys[cycle], **_listed(snapshot.boundary)}
        liftings = {rule.id: rule.lifted is not None for rule in chain.scenario.rules}
        for reading in retained.rules(chain.scenario, snapshots):
            self._retained[chain.id, reading.cycle, reading.rule] = reading
            yield "rules", {**about, **reading.as_row(), "lifted": liftings.get(reading.rule)}
        whole = self.store.finished(uncompacted(chain).id) if chain.compacts else None
        if whole:
            record = self.store.get(whole[-1])
            yield from (("spans", {**about, **row}) for row in retained.spans(snapshots, record))

    def _why(self, chain: Chain) -> str:
        return self.failed.get(chain.id, "the chain was not run to its end")

    # ---- trials

    def trial_rows(self) -> Iterator[Row]:
        """One row a cell and actor, measured or not."""
        answered: set[tuple[int, str]] = set()
        for logged in logs.trials(self.folder.logs, self.planned.by_id):
            trial = self.planned.by_id[logged.id]
            graded = self._graded(trial, logged)
            for i in trial.cells:
                cell = self.cells[i]
                if logged.actor in cell.actors(self.asked.models, self.asked.writers):
                    answered.add((i, logged.actor))
                    self._note_subtasks(cell, logged.actor, graded)
                    yield {**self._cell_row(i, logged.actor), **graded.row}
        yield from self._unanswered(answered)

    def _unanswered(self, answered: set[tuple[int, str]]) -> Iterator[Row]:
        """The cells that nobody measured: void, with the reason, and seen."""
        errors = logs.trial_errors(self.folder.logs)
        ids = {i: trial.id for trial in self.planned.by_id.values() for i in trial.cells}
        for i, cell in enumerate(self.cells):
            for actor in cell.actors(self.asked.models, self.asked.writers):
                if (i, actor) not in answered:
                    reason = self._why_none(cell, self.planned.void.get(i), errors.get((ids.get(i, ""), actor)))
                    row = {"behaviour": str(Behaviour.VOID), "reason": reason, "attempts": 0, "executions": 0}
                    yield {**self._cell_row(i, actor), **row}

    def _why_none(self, cell: Cell, void: str | None, error: str | None) -> str:
        if void is not None and self.store.finished(cell.chain.id) is None:
            return self._why(cell.chain)
        return void or error or "the trial was not run"

    def _begun(self, context: str) -> _Begun:
        world = grading.load_world(self.store.get_context(context)["world"])
        return _Begun(world, grading.setting(world))

    def _graded(self, trial: Trial, logged: logs.Logged) -> _Graded:
        about = {
            "reply": logged.recorded["reply"],
            "calls": json.dumps(logged.recorded["calls"], sort_keys=True),
            **{key: logged.recorded[key] for key in ("tokens_in", "tokens_out", "tokens_cached", "model_calls")},
            "log": logged.log,
            "sample_uuid": logged.uuid,
            "trial": logged.id,
        }
        try:
            graded = self._grade(trial, logged)
        except Exception as fault:
            # a grader that fails costs this trial, never the run, and never looks like an answer
            reason = f"grader error: {type(fault).__name__} {fault}"
            return _Graded({**about, "behaviour": str(Behaviour.VOID), "reason": reason}, {}, {})
        return replace(graded, row={**about, **graded.row})

    def _grade(self, trial: Trial, logged: logs.Logged) -> _Graded:
        begun = self.begun(trial.context)
        record = grading.recorded_trial(logged.recorded, begun.world)
        grade = grading.behaviour(record, trial.scenario, trial.probe, begun.setting)
        matched = None if grade.matched_call is None else record.calls[grade.matched_call]
        kind = trial.scenario.probe(trial.probe).kind
        row = {
            "behaviour": str(grade.behaviour),
            "manner": None if grade.manner is None else str(grade.manner),
            "reason": grade.reason,
            "matched_call": matched and json.dumps({matched.tool: dict(matched.arguments)}, sort_keys=True),
            "attempts": grade.attempts,
            "executions": grade.executions,
            **grading.symptoms(record, grade, begun.setting, logged.recorded.get("tokens_by_turn", [])),
        }
        outcomes = grading.outcomes(record, trial.scenario, begun.setting) if kind is ProbeKind.RESUME else {}
        declared = grading.declared(record, trial.scenario) if kind is ProbeKind.STATUS else {}
        return _Graded(row, outcomes, declared)

    def _cell_row(self, i: int, actor: str) -> Row:
        cell = self.cells[i]
        chain, rule = cell.chain, cell.chain.scenario.rule(cell.rule) if cell.rule else None
        keys = self.store.finished(chain.id)
        return {
            **_about(chain, self.folder),
            "actor": actor,
            "cycle": cell.cycle,
            "arm": str(cell.arm),
            "residue_arm": cell.residue_kind,
            "probe": cell.probe.id,
            "probe_kind": str(cell.probe.kind),
            "epoch": cell.epoch,
            "rule": cell.rule,
            "lifted": rule.lifted is not None if rule else None,
            "norm": rule.norm if rule else None,
            "channel": str(rule.plant.channel) if rule else None,
            "snapshot": keys[cell.cycle] if keys else None,
            **self._retention(i),
            "boundary_fault": self._boundary_fault(cell, keys),
            "grader_version": GRADER_VERSION,
            "standfast_version": self.folder.version,
        }

    def _retention(self, i: int) -> Row:
        """What the trial's own context says of the rule."""
        cell = self.cells[i]
        if cell.rule is None:
            return {}
        if cell.arm is Arm.COMPACTED:
            found = self._retained.get((cell.chain.id, cell.cycle, cell.rule))
            return found.label() if found else {}
        context = self.context.get(i)
        if context is None:
            return {}
        if (context, cell.rule, cell.arm) not in self._readings:
            text = messages.text_of(messages.load(self.store.get_context(context)["messages"]))
            rule = cell.chain.scenario.rule(cell.rule)
            self._readings[context, cell.rule, cell.arm] = retained.label_of(text, rule, cell.arm is not Arm.FLOOR)
        return self._readings[context, cell.rule, cell.arm]

    def _boundary_fault(self, cell: Cell, keys: list[str] | None) -> str | None:
        if keys is None or not cell.chain.compacts:
            return None
        snapshots = [self.store.get(key) for key in keys[: cell.cycle + 1]]
        channel = cell.chain.scenario.rule(cell.rule).plant.channel if cell.rule else None
        return validity.boundary_fault(snapshots, cell.rule, channel)

    # ---- subtasks

    def _note_subtasks(self, cell: Cell, actor: str, grades: _Graded) -> None:
        if cell.probe.kind not in OF_SUBTASKS:
            return
        fault = self._boundary_fault(cell, self.store.finished(cell.chain.id))
        for subtask in cell.chain.scenario.subtasks:
            key = (cell.chain.id, cell.cycle, str(cell.arm), actor, cell.epoch, subtask.id)
            row = self._subtasks.setdefault(
                key,
                {
                    **_about(cell.chain, self.folder),
                    "cycle": cell.cycle,
                    "arm": str(cell.arm),
                    "actor": actor,
                    "epoch": cell.epoch,
                    "subtask": subtask.id,
                    "planted": str(subtask.state),
                    "valid": fault is None,
                    "invalid_because": fault,
                    "stated": self._stated(cell).get(subtask.id),
                    "declared": None,
                    "status": None,
                    "outcome": None,
                },
            )
            if cell.probe.kind is ProbeKind.RESUME:
                row["outcome"] = grades.outcomes.get(subtask.id)
            else:
                row["declared"] = grades.declared.get(subtask.id)
                row["status"] = grades.row["behaviour"]

    def _stated(self, cell: Cell) -> dict[str, str | None]:
        """The states that the text of the cell's context gives the subtasks; the arms of subtasks leave it as it is."""
        keys = self.store.finished(cell.chain.id)
        key = keys[cell.cycle] if keys else None
        if key is not None and key not in self._texts:
            context = messages.text_of(messages.load(self.store.get(key).messages))
            self._texts[key] = grading.stated(context, cell.chain.scenario)
        return self._texts.get(key or "", {})

    def subtask_rows(self) -> list[Row]:
        """One row a subtask, context and actor; call it after `trial_rows`."""
        return [row for _, row in sorted(self._subtasks.items())]


@dataclass(frozen=True)
class _Graded:
    row: Row
    outcomes: dict[str, str]
    declared: dict[str, str | None]


def _about(chain: Chain, folder: RunFolder) -> Row:
    """The columns that name a chain."""
    return {
        "run": folder.name,
        "pack": folder.pack(chain.scenario.id),
        "family": chain.scenario.family,
        "scenario": chain.scenario.id,
        "scenario_version": chain.scenario.version,
        "scenario_digest": chain.scenario.digest,
        "chain": chain.id,
        "compactor": chain.compactor.label,
        "writer": chain.writer,
        "mitigation": None,
        "attack": chain.scenario.attack.name if chain.scenario.attack else None,
        "history": "replayed",
        "seed": chain.seed,
    }


def _listed(boundary: Mapping[str, Any]) -> Row:
    return {**boundary, "normalised": list(boundary["normalised"])}


def read(folder: Path, table: str, columns: Iterable[str] | None = None) -> pd.DataFrame:
    """One table of a run as a pandas data frame."""
    only = None if columns is None else list(columns)
    frame: pd.DataFrame = pq.read_table(folder / "rows" / f"{table}.parquet", columns=only).to_pandas()
    return frame
