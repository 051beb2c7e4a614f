"""The tables and estimates as plain data, for `--json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from .. import effects, tables
from ..loading import Source, as_runs

COUNTS: tuple[Callable[[Source], pd.DataFrame], ...] = (
    tables.cross,
    tables.retention,
    tables.behaviour,
    tables.arms,
    tables.twin_states,
    tables.subtasks,
    tables.confusion,
    tables.transitions,
    tables.symptoms,
    tables.excluded,
    tables.failures,
)
ESTIMATES: dict[str, Callable[[Source], pd.DataFrame]] = {
    "contrasts": effects.contrasts,
    "decay": effects.decay,
    "residue_value": effects.residue_value,
    **{f"by_{column}": partial(effects.by, column=column) for column in ("family", "norm", "channel")},
    "headroom": effects.headroom,
    "locus": effects.locus,
    "survival_to_loss": partial(effects.survival, of="loss"),
    "survival_to_violation": partial(effects.survival, of="violation"),
    "spread": effects.spread,
    "crossing": effects.crossing,
    "retained_too_long": effects.retained_too_long,
    "cost": effects.cost,
}


def as_data(source: Source) -> dict[str, Any]:
    """Every table and estimate of the report as a list of records; what was not measured is null."""
    runs = as_runs(source)
    counts = {each.__name__: _records(each(runs)) for each in COUNTS}
    return {"run": runs.name, **counts, "estimates": {name: _records(each(runs)) for name, each in ESTIMATES.items()}}


def _records(frame: pd.DataFrame) -> Any:
    return json.loads(frame.to_json(orient="records"))
