"""The rows of runs, as data frames: what tables, reports and notebooks read. No log is opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from .faults import BadInput, nearest
from .schemas import SCHEMAS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Runs:
    """The rows of some runs, one under the other; the column `run` says which run a row is of."""

    folders: tuple[Path, ...]

    @property
    def name(self) -> str:
        """The names of the folders."""
        return ", ".join(folder.resolve().name for folder in self.folders)

    def each(self) -> list[Runs]:
        """The same runs, one by one."""
        return [Runs((folder,)) for folder in self.folders]

    @classmethod
    def of(cls, named: Iterable[str | Path]) -> Runs:
        """The runs of these folders. Raises BadInput for one without rows, or with rows of another version."""
        folders = tuple(folder for name in named for folder in _runs(Path(name)))
        if not folders:
            raise BadInput("load", "names no run; a run folder is what `standfast run --out` made")
        for folder in folders:
            _check(folder)
        return cls(folders)

    def arrow(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """One table as Arrow; `columns` alone where they are named. Raises BadInput for a table or column that there is
        not."""
        if table not in SCHEMAS:
            raise BadInput("load", f"there is no table `{table}`{nearest(table, SCHEMAS)}")
        schema = SCHEMAS[table]
        for column in columns or ():
            if column not in schema.names:
                raise BadInput("load", f"`{table}` has no column `{column}`{nearest(column, schema.names)}")
        wanted = list(columns) if columns is not None else schema.names
        parts = [pq.read_table(folder / "rows" / f"{table}.parquet", columns=wanted) for folder in self.folders]
        return parts[0] if len(parts) == 1 else pa.concat_tables(parts)

    def pandas(self, table: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """One table as a pandas data frame; null is None or NaN."""
        frame: pd.DataFrame = self.arrow(table, columns).to_pandas()
        return frame

    @cached_property
    def _counted(self) -> dict[str, pd.DataFrame]:
        return {}

    @cached_property
    def trials(self) -> pd.DataFrame:
        return self.pandas("trials")

    @cached_property
    def rules(self) -> pd.DataFrame:
        return self.pandas("rules")

    @cached_property
    def boundaries(self) -> pd.DataFrame:
        return self.pandas("boundaries")

    @cached_property
    def spans(self) -> pd.DataFrame:
        return self.pandas("spans")

    @cached_property
    def subtasks(self) -> pd.DataFrame:
        return self.pandas("subtasks")

    def columns(self, table: str) -> dict[str, str]:
        """What each column of a table holds."""
        return {each.name: each.metadata[b"description"].decode() for each in SCHEMAS[table]}


Source = Path | Runs
# what is read by people, and counted by nobody: a table of a million trials holds gigabytes of it
PROSE = ("reply", "calls", "matched_call", "reason", "log", "sample_uuid")


def as_runs(source: Source) -> Runs:
    """The runs of a source."""
    return source if isinstance(source, Runs) else Runs((source,))


def read(source: Source, table: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """One table of a run folder, or of runs that are loaded, as a pandas data frame; without `columns`, all but those
    of PROSE, and read once for all who ask the same runs."""
    runs = as_runs(source)
    if columns is not None:
        return runs.pandas(table, columns)
    kept: dict[str, pd.DataFrame] = runs._counted
    if table not in kept:
        kept[table] = runs.pandas(table, [name for name in SCHEMAS[table].names if name not in PROSE])
    return kept[table].copy(deep=False)


def _runs(folder: Path) -> list[Path]:
    if (folder / "rows").is_dir():
        return [folder]
    below = sorted(each.parent for each in folder.glob("*/rows") if each.is_dir()) if folder.is_dir() else []
    if not below:
        raise BadInput(str(folder), "holds no rows of a run; `standfast run --out DIR` makes them, `regrade` again")
    return below


def _check(folder: Path) -> None:
    for table, schema in SCHEMAS.items():
        file = folder / "rows" / f"{table}.parquet"
        if not file.exists():
            raise BadInput(str(folder), f"has no {file.name}; `standfast regrade` makes the rows from the logs")
        lacking = [name for name in schema.names if name not in pq.read_schema(file).names]
        if lacking:
            fault = f"lacks the column `{lacking[0]}` of this version; `standfast regrade` makes the rows again"
            raise BadInput(str(file), fault)
