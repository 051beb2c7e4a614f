"""A comparison of two runs as text."""

from __future__ import annotations

import pandas as pd

from ..comparing import SHARES, Comparison
from .estimated import between, points, whole
from .sheets import NOTHING, Sheet


def sheets(found: Comparison) -> list[Sheet]:
    """The differences, and what has no partner; sheets without a line are left out."""
    return [sheet for sheet in (*(_differences(found, share) for share in SHARES), _unmatched(found)) if sheet.lines]


def _differences(found: Comparison, share: str) -> Sheet:
    sheet = Sheet(
        f"{SHARES[share]}: A minus B, in percentage points",
        f"A: {found.a}, {found.actors[0]}; B: {found.b}, {found.actors[1]}; pairs of the same cell in both runs; "
        "interval clustered by scenario family; p: McNemar's exact test, not adjusted; no verdict is meant",
        ["arm", "compactor", "cycle"],
        ["A", "B", "difference", "95% interval", "pairs", "families", "only A", "only B", "p", "not measured"],
    )
    lines = found.differences
    for _, each in (lines[lines.share.eq(share)] if len(lines) else lines).iterrows():
        sheet.add_row(
            each["arm"],
            each["compactor"],
            whole(each["cycle"]),
            *(f"{each[name]}/{each['n']}" if each["n"] else NOTHING for name in ("a_k", "b_k")),
            points(each["value"]),
            between(each["low"], each["high"], "+"),
            *(whole(each[name]) for name in ("n", "clusters", "only_a", "only_b")),
            NOTHING if pd.isna(each["p"]) else f"{each['p']:.3g}",
            whole(each["not_measured"]),
        )
    return sheet


def _unmatched(found: Comparison) -> Sheet:
    sheet = Sheet("Without a partner", "cells of one run alone: they count in no difference",
                  ["share", "only in", "because"], ["cells"])  # fmt: skip
    for _, each in found.unmatched.iterrows():
        sheet.add_row(each["share"], each["side"].upper(), each["because"], str(each["cells"]))
    return sheet
