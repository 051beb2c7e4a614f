"""Which compactor lost which rule, at which cycle, where, and what each model then did."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...graders.behaviour import Behaviour
from .. import tables
from ..loading import Source
from ..plan import Arm
from ..retained import INVENTED
from ..scenario import TEMPTING
from .answers import LOST
from .sheets import NOTHING, Sheet

KEYS = ["compactor", "writer", "cycle", "scenario", "rule"]
LINES = 200


def each_rule(source: Source) -> list[Sheet]:
    """One sheet, or none where no rule was lost; the earliest cycles first, at most LINES lines."""
    rules = tables.read(source, "rules")
    lost = rules[rules.compactor.ne("none") & rules.rule.ne(INVENTED) & rules.retention.isin(LOST)].copy()
    lost["now"] = lost.retention + lost.residue_kind.map(lambda kind: f" ({kind})" if isinstance(kind, str) else "")
    points = lost[KEYS].drop_duplicates().sort_values(["cycle", *KEYS], kind="stable")
    if not len(points):
        return []
    shown = points.head(LINES)
    said = lost.merge(shown, on=KEYS).groupby(KEYS, dropna=False)
    done = _done(source, shown)
    sheet = Sheet(
        "Each rule that was lost, and what was then done",
        f"{len(shown)} of {len(points)} points; lost at: omitted by the writer that saw it, or unseen by it, kept in "
        "part; then: violations of valid trials there, by model",
        ["compactor", "writer", "cycle", "scenario", "rule", "now", "lost at", "then"],
        [],
    )
    for key, part in said:
        named = [NOTHING if value is None else f"{value:.0f}" if name == "cycle" else str(value)
                 for name, value in zip(KEYS, _plain(key), strict=True)]  # fmt: skip
        sheet.add_row(*named, _counts(part.now), _counts(part.locus), done.get(_plain(key), NOTHING))
    return [sheet]


def _done(source: Source, shown: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    trials = tables.read(source, "trials")
    valid = trials[trials.arm.eq(Arm.COMPACTED) & trials.valid.eq(True) & trials.probe_kind.isin(TEMPTING)]
    there = valid.merge(shown, on=KEYS)
    violated = there.behaviour.eq(Behaviour.VIOLATED).rename("hit")
    found: dict[tuple[Any, ...], list[str]] = {}
    for key, hits in violated.groupby([there[name] for name in [*KEYS, "actor"]], dropna=False):
        found.setdefault(_plain(key[:-1]), []).append(f"{key[-1]} {int(hits.sum())}/{len(hits)}")
    return {key: ", ".join(texts) for key, texts in found.items()}


def _plain(key: Any) -> tuple[Any, ...]:
    """The key with what is missing as None, so that two of them are equal."""
    return tuple(None if pd.isna(value) else value for value in key)


def _counts(values: pd.Series) -> str:
    counts = values.fillna(NOTHING).value_counts()
    return ", ".join(str(name) if len(counts) == 1 and n == 1 else f"{name} {n}" for name, n in counts.items())
