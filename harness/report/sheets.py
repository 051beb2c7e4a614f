"""The tables of counts as text, for every output alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ...graders.states import State
from ...graders.subtasks import Outcome
from ...graders.twins import TwinState
from .. import tables
from ..loading import Source
from ..plan import Arm
from ..stats import Rate
from .visible import visible

NOTHING = "–"


@dataclass
class Sheet:
    """A table of the report as text: `left` columns name a line, `right` ones are its numbers."""

    title: str
    about: str
    left: Sequence[str]
    right: Sequence[str]
    lines: list[tuple[str, ...]] = field(default_factory=list)

    def add_row(self, *cells: Any) -> None:
        self.lines.append(tuple(visible(str(cell)) for cell in cells))


def counted(run: Source) -> list[Sheet]:
    """The sheets of counts that have any line."""
    parts = (
        [_cross(run), _retention(run), _transitions(run)],
        _behaviour(run),
        [_arms(run), _twin_states(run)],
        _subtasks(run),
        _confusion(run),
        [_symptoms(run)],
        [_excluded(run), _failures(run)],
    )
    return [sheet for part in parts for sheet in part if sheet.lines]


def _text(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else str(value)


def _rate(line: pd.Series, name: str, interval: bool = False) -> str:
    k, n = line.get(f"{name}_k"), line.get(f"{name}_n")
    if k is None or pd.isna(k) or not n:
        return NOTHING
    rate = Rate(int(k), int(n))
    low, high = rate.interval or (0.0, 1.0)
    return f"{rate.value:.0%} {k}/{n}" + (f" [{low:.0%}–{high:.0%}]" if interval else "")


def _part(line: pd.Series, name: str) -> str:
    """A share of the rules of a line."""
    return f"{line[name] / line['rules']:.0%} {line[name]:.0f}" if line["rules"] else NOTHING


def _cross(run: Source) -> Sheet:
    table = Sheet(
        "Does the rule still stand? Share that violates it",
        "floor: rule never stated; full: not compacted; then valid trials after compaction, by what the context still "
        "says; over-blocked: permitted requests not done; distinct trials",
        ["model"],
        ["floor", "full", "intact", "residue", "dropped", "over-blocked", "excluded"],
    )
    for _, line in tables.cross(run).iterrows():
        shares = (_rate(line, name, interval=True) for name in ("floor", "full", "intact", "residue", "dropped"))
        table.add_row(line["actor"], *shares, _rate(line, "overblocked"), _count(line.get("excluded")))
    return table


def _count(value: Any) -> str:
    return NOTHING if value is None or pd.isna(value) else f"{value:.0f}"


def _retention(run: Source) -> Sheet:
    table = Sheet(
        "What the compacted context still says",
        "rules × chains; other: no summary of this conversation, or unreadable; lost facts: neutral tracers gone; "
        "tokens: characters / 4",
        ["compactor", "writer", "cycle"],
        ["rules", "intact", "residue", "dropped", "other", "invented", "lost facts", "tokens"],
    )
    for _, line in tables.retention(run).iterrows():
        if pd.isna(line.get("rules")):
            continue
        table.add_row(
            line["compactor"],
            _text(line["writer"]),
            _count(line["cycle"]),
            _count(line["rules"]),
            *(_part(line, name) for name in ("intact", "residue", "dropped", "other")),
            _count(line["invented"]),
            NOTHING if line.get("pressure") is None or pd.isna(line["pressure"]) else f"{line['pressure']:.0%}",
            f"{line['tokens_before']:.0f} → {line['tokens_after']:.0f}"
            if pd.notna(line.get("tokens_before"))
            else NOTHING,
        )
    return table


def _sizes(line: pd.Series) -> str:
    known = pd.notna(line.get("tokens_before"))
    return f"{line['tokens_before']:.0f} → {line['tokens_after']:.0f}" if known else NOTHING


def _behaviour(run: Source) -> list[Sheet]:
    return [_behaviour_of(actor, lines) for actor, lines in _by_model(tables.behaviour(run))]


def _behaviour_of(actor: str, lines: pd.DataFrame) -> Sheet:
    table = Sheet(
        f"{actor}: what it did when asked for what the rule forbids",
        "share that violates: floor (rule never stated), full (not compacted), then after compaction over valid "
        "trials, all and by what the context still says; void and inv. (invalid) trials count in none of these; "
        "over-bl.: permitted requests not done",
        ["compactor", "writer", "cycle"],
        ["n", "void", "inv.", "floor", "full", "all", "intact", "residue", "dropped", "over-bl."],
    )
    for _, line in lines.iterrows():
        table.add_row(
            *_where(line, actor),
            *(_count(line.get(name)) for name in ("trials", "void", "invalid")),
            _rate(line, "floor"),
            _rate(line, "full"),
            _rate(line, "violated", interval=True),
            *(_rate(line, name) for name in ("intact", "residue", "dropped", "overblocked")),
        )
    return table


def _by_model(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(str(actor), lines) for actor, lines in frame.groupby("actor", sort=True)] if len(frame) else []


def _where(line: pd.Series, actor: str) -> list[str]:
    """Compactor, writer and cycle; a model that wrote for itself is `self`."""
    writer = _text(line["writer"])
    return [line["compactor"], "self" if writer == actor else writer, str(line["cycle"])]


def _arms(run: Source) -> Sheet:
    table = Sheet(
        "By arm: what a clean drop, the rule restored, a residue are worth",
        "share that violates at prohibited and indirect requests, over valid trials and over all that are not void",
        ["model", "arm", "wording"],
        ["valid", "all measured"],
    )
    for _, line in tables.arms(run).iterrows():
        table.add_row(
            _text(line["actor"]),
            line["arm"],
            _text(line["residue_arm"]).replace(NOTHING, ""),
            _rate(line, "violated", interval=True),
            _rate(line, "measured"),
        )
    return table


def _subtasks(run: Source) -> list[Sheet]:
    return [_subtasks_of(actor, lines) for actor, lines in _by_model(tables.subtasks(run))]


def _subtasks_of(actor: str, lines: pd.DataFrame) -> Sheet:
    table = Sheet(
        f"{actor}: what it took the subtasks for",
        "asked to carry on: blocked work acted on, done work repeated, pending work left; "
        "asked for the state: declared wrongly",
        ["arm", "compactor", "writer", "cycle"],
        ["blocked acted on", "done repeated", "pending left", "declared wrong"],
    )
    for _, line in lines.iterrows():
        shares = (_rate(line, name) for name in ("blocked_acted", "done_repeated", "pending_left", "declared_wrong"))
        table.add_row(line["arm"], *_where(line, actor), *shares)
    return table


def _transitions(run: Source) -> Sheet:
    table = Sheet(
        "What became of the rules from one cycle to the next",
        "rules × chains that were so before the boundary of this cycle, and what they are after it",
        ["compactor", "writer", "cycle", "before"],
        ["rules", *tables.RETENTIONS, "other"],
    )
    for _, line in tables.transitions(run).iterrows():
        where = (line["compactor"], _text(line["writer"]), str(line["cycle"]), line["before"])
        table.add_row(*where, str(line["rules"]), *(_part(line, name) for name in (*tables.RETENTIONS, "other")))
    return table


def _twin_states(run: Source) -> Sheet:
    names = [*map(str, TwinState), "not_measured"]
    table = Sheet(
        "Does the rule act? The tempted request beside its twin, in each context",
        "armed: refused, and the twin served; disarmed: done, and the twin served; no headroom: the twin not served",
        ["model", "arm"],
        ["contexts", *(name.replace("_", " ") for name in names)],
    )
    for _, line in tables.twin_states(run).iterrows():
        table.add_row(line["actor"], line["arm"], *(_count(line[name]) for name in ["contexts", *names]))
    return table


def _confusion(run: Source) -> list[Sheet]:
    return [_confusion_of(actor, lines) for actor, lines in _by_model(tables.confusion(run))]


def _confusion_of(actor: str, lines: pd.DataFrame) -> Sheet:
    said = [*map(str, State), "nothing"]
    did = [str(outcome) for outcome in Outcome if outcome is not Outcome.VOID]
    table = Sheet(
        f"{actor}: each state, and what it was taken for",
        "by the context's text, by the model asked for the state, and by what it did when asked to carry on; "
        "over all compactors and cycles",
        ["arm", "planted", "stated", "declared", "did"],
        [],
    )
    for _, line in lines.iterrows():
        counts = [{name: line.get(f"{column}_{name}") for name in said} for column in ("stated", "declared")]
        table.add_row(line["arm"], line["planted"], *map(_counts, [*counts, {name: line.get(name) for name in did}]))
    return table


def _counts(found: dict[str, Any]) -> str:
    """What was counted at all, with its count."""
    some = {name: n for name, n in found.items() if n is not None and pd.notna(n) and n > 0}
    return ", ".join(f"{name.replace('_', ' ')} {n:.0f}" for name, n in some.items()) or NOTHING


def _symptoms(run: Source) -> Sheet:
    table = Sheet(
        "What else it costs",
        "a trial, on average: calls that the world refused, reads made before and made again, questions to people; "
        "median turns and tokens from the boundary to the first violation",
        ["model", "arm", "compactor", "writer", "cycle"],
        ["trials", "refused", "read again", "asked", "turns", "tokens"],
    )
    lines = tables.symptoms(run)
    for _, line in lines[lines.arm.isin([Arm.FULL, Arm.COMPACTED])].iterrows() if len(lines) else ():
        means = (f"{line[name]:.2f}" for name in ("blocked_calls", "repeated_reads", "questions"))
        table.add_row(
            line["actor"],
            line["arm"],
            *_where(line, line["actor"]),
            _count(line["trials"]),
            *means,
            *(_count(line[name]) for name in ("turns", "tokens")),
        )
    return table


def _excluded(run: Source) -> Sheet:
    table = Sheet(
        "Excluded",
        "trials of every arm and probe that count in no share over valid trials",
        ["model", "because"],
        ["trials"],
    )
    for _, line in tables.excluded(run).iterrows():
        table.add_row(_text(line["actor"]), line["invalid_because"], str(line["trials"]))
    return table


def _failures(run: Source) -> Sheet:
    table = Sheet("Chains that failed", "their trials are void", ["chain", "error"], [])
    for _, line in tables.failures(run).iterrows():
        table.add_row(line["chain"], line["error"])
    return table
