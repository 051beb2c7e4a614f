"""standfast: do the rules that an agent was given still stand after its context was compacted?

>>> import standfast
>>> run = standfast.load("results/first")        # doctest: +SKIP
>>> run.trials.groupby("behaviour").size()       # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .harness.loading import Runs

__all__ = ["load"]


def load(*runs: str | Path) -> Runs:
    """The rows of one run or several, read when they are asked for: `trials`, `rules`, `boundaries`, `spans`,
    `subtasks` as pandas data frames, `arrow(table)` as an Arrow table, `columns(table)` for what each column holds.

    A name is a run folder, or a folder of run folders. No log is opened. Raises BadInput for a folder without rows, and
    for rows of another version, which `standfast regrade` makes again.
    """
    from .harness.loading import Runs

    return Runs.of(runs)
