"""What Inspect finds of standfast: two tasks and two providers (`inspect eval standfast/replay -T run=DIR`)."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task

from .compact import compact_task
from .faults import BadInput
from .folder import RunFolder
from .plan import cells, chains
from .providers.local import local
from .providers.scripted import cast, scripted
from .replay import replay_task
from .snapshots import Store
from .trials import plan_trials

__all__ = ["compact", "local", "replay", "scripted"]


def _silent(id: str) -> None:
    return None


@task
def compact(run: str, writer: str | None = None) -> Task:
    """Stage 1 of a run folder: the chains of one writer (without `writer`: those that need none).

    Args:
        run: the run folder
        writer: the model that writes
    """
    folder = RunFolder(Path(run))
    scenarios = folder.scenarios()
    cast(scenarios)
    own = [chain for chain in chains(folder.asked(), scenarios) if chain.writer == writer]
    if not own:
        raise BadInput(run, f"this run has no chain of the writer {writer}")
    return compact_task(own, Store(folder.snapshots), folder.asked().model_args, _silent)


@task
def replay(run: str) -> Task:
    """Stage 2 of a run folder: every trial of its finished chains, for the model that is evaluated.

    Args:
        run: the run folder
    """
    folder = RunFolder(Path(run))
    asked, scenarios, store = folder.asked(), folder.scenarios(), Store(folder.snapshots)
    cast(scenarios)
    found = plan_trials(cells(asked, chains(asked, scenarios)), store, asked).by_id
    if not found:
        raise BadInput(run, "no chain of this run is finished: there is nothing to replay")
    return replay_task(list(found.values()), store, asked, None, _silent)
