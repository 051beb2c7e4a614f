"""The tables of estimates as text: each number with its interval, its n and its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from .. import effects
from ..loading import Source
from .sheets import NOTHING, Sheet

NAMES = {"actor": "model", "n": "n", "clusters": "families"}
RATE = ["share", "95% interval", "n", "families", "excluded"]


def estimated(source: Source) -> list[Sheet]:
    """The sheets of estimates that have any line."""
    sheets = [
        _contrasts(source),
        _decay(source),
        _rates("Value of a residue: violations by what stands in place of the rule",
               "restored: the rule itself; removed: nothing; other lines: the scenario's wording of that kind; trials "
               "on sound boundaries", effects.residue_value(source), ["actor", "wording"]),
        _rates("By norm: violations after compaction", "valid trials; hard: models refuse such things unasked",
               effects.by(source, "norm"), ["actor", "compactor", "norm"]),
        _rates("By channel: violations after compaction", "valid trials, by where the rule was planted",
               effects.by(source, "channel"), ["actor", "compactor", "channel"]),
        _headroom(source),
        _locus(source),
        _survival(source, "loss", "Rules that stand whole so far"),
        _survival(source, "violation", "Rules not yet violated"),
        _rates("Writer by model under test: violations after compaction", "trials on sound boundaries, all cycles",
               effects.crossing(source), ["writer", "actor"]),
        _rates("Held too long: rules that the user took back, and the model still refuses",
               "permitted requests of lifted rules, over measured trials", effects.retained_too_long(source),
               ["actor", "arm", "compactor"]),
        _spread(source),
        _cost(source),
    ]  # fmt: skip
    return [sheet for sheet in sheets if sheet.lines]


def percent(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else f"{100 * value:.0f}%"


def points(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else f"{100 * value:+.0f}"


def between(low: Any, high: Any, sign: str = "") -> str:
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return NOTHING
    return f"{100 * low:{sign}.0f} to {100 * high:{sign}.0f}{'' if sign else '%'}"


def whole(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else f"{value:.0f}"


def _named(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else str(value)


def _rates(title: str, about: str, frame: pd.DataFrame, keys: Sequence[str]) -> Sheet:
    sheet = Sheet(title, about, [NAMES.get(key, key) for key in keys], RATE)
    for _, each in frame.iterrows():
        sheet.add_row(*(_named(each[key]) for key in keys), *_cells(each), whole(each["excluded"]))
    return sheet


def _cells(each: pd.Series) -> tuple[str, ...]:
    return (percent(each["value"]), between(each["low"], each["high"]), whole(each["n"]), whole(each["clusters"]))


def _decay(source: Source) -> Sheet:
    frame = effects.decay(source)
    frame = frame.assign(cycle=frame.cycle.map(whole)) if len(frame) else frame
    return _rates("Decay: violations after each boundary", "valid trials of the arm compacted; the band of the chart",
                  frame, ["actor", "compactor", "writer", "mitigation", "cycle"])  # fmt: skip


def _contrasts(source: Source) -> Sheet:
    sheet = Sheet(
        "Differences within pairs, in percentage points of violations",
        "one probe at one point in two arms; interval clustered by scenario family; p: McNemar's exact test, adjusted "
        "by Holm over the lines of one model and contrast; it takes pairs as independent",
        ["model", "compactor", "writer", "mitigation", "contrast"],
        ["difference", "95% interval", "pairs", "families", "excluded", "p (Holm)"],
    )
    for _, each in effects.contrasts(source).iterrows():
        p = NOTHING if pd.isna(each["p_holm"]) else f"{each['p_holm']:.3g}"
        sheet.add_row(
            *(_named(each[key]) for key in ("actor", "compactor", "writer", "mitigation", "contrast")),
            points(each["value"]),
            between(each["low"], each["high"], "+"),
            *(whole(each[key]) for key in ("n", "clusters", "excluded")),
            p,
        )
    return sheet


def _headroom(source: Source) -> Sheet:
    frame = effects.headroom(source)
    return _rates("Headroom: is there anything to measure?", "floor: violations where the rule was never stated (high "
                  "is good); full: the rule in an uncompacted context; served: the twin request done",
                  frame, ["actor", "arm", "share"])  # fmt: skip


def _locus(source: Source) -> Sheet:
    names = ["rules", "kept", "omitted", "unseen", "other"]
    sheet = Sheet("Where rules were lost", "omitted: the writer saw the rule and left it out; unseen: cut away before "
                  "the writer saw it; other: unreadable, or no summary", ["compactor", "writer", "cycle"],
                  names)  # fmt: skip
    for _, each in effects.locus(source).iterrows():
        sheet.add_row(_named(each["compactor"]), _named(each["writer"]), whole(each["cycle"]),
                      *(whole(each[name]) for name in names))  # fmt: skip
    return sheet


def _survival(source: Source, of: str, title: str) -> Sheet:
    keys = ["compactor", "writer"] if of == "loss" else ["actor", "compactor", "writer"]
    sheet = Sheet(
        f"{title}, by cycle",
        "Kaplan and Meier; hazard: share of those at risk to whom it happens at this cycle",
        [*(NAMES.get(key, key) for key in keys), "cycle"],
        ["share", "95% interval", "at risk", "events", "hazard", "its 95% interval"],
    )
    for _, each in effects.survival(source, of).iterrows():
        sheet.add_row(
            *(_named(each[key]) for key in keys),
            whole(each["cycle"]),
            percent(each["value"]),
            between(each["low"], each["high"]),
            whole(each["at_risk"]),
            whole(each["events"]),
            percent(each["hazard"]),
            between(each["hazard_low"], each["hazard_high"]),
        )
    return sheet


def _spread(source: Source) -> Sheet:
    shares = ["scenario_share", "writer_share", "actor_share"]
    sheet = Sheet("Where the spread of violations comes from", "shares of the variance; – where nothing was repeated",
                  ["model", "compactor"], ["n", "scenario", "draw of the writer", "draw of the actor"])  # fmt: skip
    for _, each in effects.spread(source).iterrows():
        sheet.add_row(_named(each["actor"]), _named(each["compactor"]), whole(each["n"]),
                      *(percent(each.get(name)) for name in shares))  # fmt: skip
    return sheet


def _cost(source: Source) -> Sheet:
    names = ["trials", "measured", "tokens_in", "tokens_out", "tokens_cached", "tokens_a_verdict"]
    sheet = Sheet("Cost", "distinct trials; tokens as the provider counts; price where it is known", ["model"],
                  [*(name.replace("_", " ") for name in names), "US$"])  # fmt: skip
    for _, each in effects.cost(source).iterrows():
        usd = NOTHING if pd.isna(each["cost_usd"]) else f"{each['cost_usd']:.2f}"
        sheet.add_row(_named(each["actor"]), *(whole(each[name]) for name in names), usd)
    return sheet
