"""Both stages of a run, resumed where they were left: chains without snapshots are driven, trials without a record are run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from inspect_ai import Task
from inspect_ai import eval as inspect_eval

from . import compactors, logs, rows
from .compact import compact_task
from .folder import RunFolder, open_for
from .plan import Asked, Chain, cells, chains
from .providers import scripted
from .replay import Trial, grouped, replay_task, trials
from .scenario import Scenario
from .snapshots import Store

QUIET: dict[str, Any] = {
    "display": "none",
    "ctl_server": False,
    "score_display": False,
    "log_realtime": False,  # rows come from what is flushed; a live view of samples would cost a third more
    "fail_on_error": False,  # one sample's error is that sample's; what has no record is run again next time
    "log_buffer": 10,
    "model": "none/none",  # each task names its own
}


class Progress(Protocol):
    """How far a stage is; `cli.py` draws it."""

    def stage(self, name: str, total: int, done: int) -> AbstractContextManager[Callable[[str], None]]: ...


def run(asked: Asked, scenarios: Sequence[Scenario], out: Path, progress: Progress, **options: Any) -> RunFolder:
    """The run folder, with logs, snapshots and rows. `options` go to Inspect's `eval`.

    Raises BadInput and NotAvailable before anything is spent; what fails later costs its chain or its trial.
    """
    planned = cells(asked, chains(asked, scenarios))
    _available(cell.chain for cell in planned)
    folder = open_for(out, asked, scenarios)
    store = Store(folder.snapshots)
    scripted.cast(scenarios)
    _compact({cell.chain.id: cell.chain for cell in planned}, store, folder, progress, options)
    _replay(asked, trials(planned, store, asked).by_id, planned, store, folder, progress, options)
    rows.build(folder)
    return folder


def _available(chains: Iterable[Chain]) -> None:
    for spec in {chain.compactor.name: chain.compactor for chain in chains}.values():
        compactors.check(spec)


def _compact(
    planned: dict[str, Chain], store: Store, folder: RunFolder, progress: Progress, options: dict[str, Any]
) -> None:
    todo = [chain for chain in planned.values() if store.finished(chain.id) is None]
    by_writer: dict[str | None, list[Chain]] = defaultdict(list)
    for chain in todo:
        by_writer[chain.writer].append(chain)
    with progress.stage("chains", len(planned), len(planned) - len(todo)) as done:
        _evaluate(
            [compact_task(chains, store, done) for chains in by_writer.values()], folder.logs / "compact", options
        )


def _replay(
    asked: Asked,
    planned: Any,
    cells: Sequence[Any],
    store: Store,
    folder: RunFolder,
    progress: Progress,
    options: dict[str, Any],
) -> None:
    recorded = logs.finished(folder.logs)
    wanted = [(actor, trial) for trial in planned.values() for actor in _actors(trial, cells, asked)]
    todo: dict[str, list[Trial]] = defaultdict(list)
    for actor, trial in wanted:
        if (trial.id, actor) not in recorded:
            todo[actor].append(trial)
    left = sum(len(each) for each in todo.values())
    with progress.stage("trials", len(wanted), len(wanted) - left) as done:
        tasks = [
            replay_task(group, store, asked.turns, actor, done, f"replay-{scenario}")
            for actor, each in todo.items()
            for scenario, group in grouped(each).items()
        ]
        _evaluate(tasks, folder.logs / "replay", options)


def _actors(trial: Trial, cells: Sequence[Any], asked: Asked) -> list[str]:
    return list(dict.fromkeys(actor for i in trial.cells for actor in cells[i].actors(asked.models, asked.writers)))


def _evaluate(tasks: list[Task], log_dir: Path, options: dict[str, Any]) -> None:
    """Runs the tasks; the logs lie in the folder, what they return is not kept."""
    if tasks:
        inspect_eval(tasks, log_dir=str(log_dir), **{**QUIET, "max_tasks": 4, **options})
