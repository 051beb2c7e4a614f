"""Both stages of a run, resumed where they were left: chains without snapshots are driven, trials without a record are
run. What is done is found by content-addressed id, in the store and in the logs, so that nothing old passes for new."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import Model, get_model

from . import compactors, logs, rows
from .catalogue import Found
from .compact import compact_task
from .faults import BadInput, NotAvailable
from .folder import RunFolder, open_for
from .plan import Asked, Cell, Chain, cells, chains, needed
from .providers import scripted
from .replay import grouped, replay_task
from .snapshots import Store
from .trials import Trial, plan_trials, write

QUIET: dict[str, Any] = {
    "display": "none",
    "ctl_server": False,
    "score_display": False,
    "log_realtime": False,  # rows come from what is flushed; a live view of samples would cost a third more
    "fail_on_error": False,  # one sample's error is that sample's; what has no record is run again next time
    "log_buffer": 10,
    "max_tasks": 4,
    "model": "none/none",  # each task names its own
}


class Progress(Protocol):
    """How far a stage is; the command line draws it."""

    def stage(self, name: str, total: int, done: int) -> AbstractContextManager[Callable[[str], None]]: ...


@dataclass(frozen=True)
class _Run:
    asked: Asked
    cells: list[Cell]
    folder: RunFolder
    store: Store
    progress: Progress
    options: dict[str, Any]


def run(asked: Asked, found: Sequence[Found], out: Path, progress: Progress, **options: Any) -> RunFolder:
    """The run folder, with logs, snapshots and rows. `options` go to Inspect's `eval`.

    Raises BadInput and NotAvailable before anything is spent; what fails later costs its chain or its trial.
    """
    scenarios = [each.scenario for each in found]
    planned = cells(asked, chains(asked, scenarios))
    _check_available(cell.chain for cell in planned)
    scripted.cast(scenarios)
    _models(asked, [*asked.models, *(cell.chain.writer for cell in planned if cell.chain.writer)])
    folder = open_for(out, asked, found)
    this = _Run(asked, planned, folder, Store(folder.snapshots), progress, options)
    _compact(this)
    _replay(this)
    rows.build(folder)
    return folder


def _check_available(chains: Iterable[Chain]) -> None:
    for spec in {chain.compactor.name: chain.compactor for chain in chains}.values():
        compactors.check(spec)


def _models(asked: Asked, names: Iterable[str]) -> dict[str, Model]:
    """The models by name. Raises BadInput for one that Inspect does not know, NotAvailable for one that lacks a key or
    a package."""
    return {name: _model(name, asked.model_args) for name in dict.fromkeys(names)}


def _model(name: str, args: Mapping[str, Any]) -> Model:
    try:
        return get_model(name, **args)
    except PrerequisiteError as lacking:
        said = re.sub(r"\[/?[a-z ]*\]", "", str(lacking.message))  # it is marked up for a terminal
        raise NotAvailable(f"model {name}: {' '.join(said.split())}") from None
    except (ValueError, TypeError) as fault:
        raise BadInput(f"model {name}", " ".join(str(fault).split())) from None


def _compact(this: _Run) -> None:
    planned = {chain.id: chain for chain in needed(this.cells)}
    todo: dict[str | None, list[Chain]] = defaultdict(list)
    for chain in planned.values():
        if this.store.finished(chain.id) is None:
            todo[chain.writer].append(chain)
    left = sum(map(len, todo.values()))
    with this.progress.stage("chains", len(planned), len(planned) - left) as done:
        tasks = [compact_task(each, this.store, this.asked.model_args, done) for each in todo.values()]
        _evaluate(tasks, this.folder.logs / "compact", this.options)


def _replay(this: _Run) -> None:
    planned = plan_trials(this.cells, this.store, this.asked)
    write(this.folder.trials, planned, this.cells)
    recorded = logs.finished(this.folder.logs)
    todo: dict[str, list[Trial]] = defaultdict(list)
    total = 0
    for trial in planned.by_id.values():
        for actor in _actors(trial, this):
            total += 1
            if (trial.id, actor) not in recorded:
                todo[actor].append(trial)
    models = _models(this.asked, todo)
    with this.progress.stage("trials", total, total - sum(map(len, todo.values()))) as done:
        tasks = [
            replay_task(group, this.store, this.asked, models[actor], done, f"replay-{scenario}")
            for actor, each in todo.items()
            for scenario, group in grouped(each).items()
        ]
        _evaluate(tasks, this.folder.logs / "replay", this.options)


def _actors(trial: Trial, this: _Run) -> list[str]:
    who = (actor for i in trial.cells for actor in this.cells[i].actors(this.asked.models, this.asked.writers))
    return list(dict.fromkeys(who))


def _evaluate(tasks: list[Task], log_dir: Path, options: dict[str, Any]) -> None:
    """Runs the tasks; the logs lie in the folder, what `eval` returns is not kept."""
    if tasks:
        inspect_eval(tasks, log_dir=str(log_dir), **{**QUIET, **options})
