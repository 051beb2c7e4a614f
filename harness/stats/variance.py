"""Where the spread comes from, and many comparisons at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Components:
    """The variance of an outcome, split: between scenarios, between draws of the writer within a scenario, between
    draws of the actor within a summary. Each is 0 or more; None where the design has no repeats to tell."""

    scenario: float | None
    writer: float | None
    actor: float | None

    @property
    def shares(self) -> dict[str, float | None]:
        """Each component's share of their sum; None where one is not known or all are 0."""
        parts = {"scenario": self.scenario, "writer": self.writer, "actor": self.actor}
        known = [value for value in parts.values() if value is not None]
        total = sum(known)
        return {
            name: value / total if total and value is not None and len(known) == 3 else None
            for name, value in parts.items()
        }


def variance_components(
    outcomes: Sequence[float], scenarios: Sequence[Hashable], writers: Sequence[Hashable]
) -> Components:
    """The components of a two-stage nested design by the method of moments (Searle, Casella and McCulloch 1992,
    section 3.6; unbalanced designs by their expected mean squares). `writers` names the draw of the writer; repeats
    with the same scenario and writer are draws of the actor. An estimate below 0 is 0."""
    import pandas as pd

    frame = pd.DataFrame({"y": list(outcomes), "s": [str(s) for s in scenarios], "w": [str(w) for w in writers]})
    if frame.empty:
        return Components(None, None, None)
    cells = frame.groupby(["s", "w"]).y.agg(["mean", "size", "var"]).reset_index()
    groups = frame.groupby("s").y.agg(["mean", "size"])
    total, cell_count, group_count = len(frame), len(cells), len(groups)
    sums = cells.assign(square=cells["size"] ** 2).groupby("s").square.sum()
    inner = ((cells["size"] - 1) * cells["var"].fillna(0)).sum()
    middle = (cells["size"] * (cells["mean"] - cells.s.map(groups["mean"])) ** 2).sum()
    outer = (groups["size"] * (groups["mean"] - frame.y.mean()) ** 2).sum()
    actor = inner / (total - cell_count) if total > cell_count else None
    within = (sums / groups["size"]).sum()
    writer = None
    if actor is not None and cell_count > group_count:
        size = (total - within) / (cell_count - group_count)
        writer = max(0.0, (middle / (cell_count - group_count) - actor) / size)
    scenario = None
    if actor is not None and writer is not None and group_count > 1:
        of_writer = (within - sums.sum() / total) / (group_count - 1)
        of_scenario = (total - (groups["size"] ** 2).sum() / total) / (group_count - 1)
        scenario = max(0.0, (outer / (group_count - 1) - actor - of_writer * writer) / of_scenario)
    return Components(_plain(scenario), _plain(writer), _plain(actor))


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values adjusted for their number by Holm's (1979) step-down method; None stays and is not counted."""
    known = [p for p in p_values if p is not None]
    if not known:
        return list(p_values)
    from statsmodels.stats.multitest import multipletests

    adjusted = iter(multipletests(known, method="holm")[1])
    return [None if p is None else float(next(adjusted)) for p in p_values]
