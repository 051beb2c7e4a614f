"""The tables as plain data, for `--json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import tables


def as_data(run: Path) -> dict[str, Any]:
    """Every table of the report as a list of records; what was not measured is null."""
    return {
        each.__name__: json.loads(each(run).to_json(orient="records"))
        for each in (
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
    }
