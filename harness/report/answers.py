"""The answer in plain words: what the first boundary took, what the agents then did, what is excluded and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...graders.behaviour import Behaviour
from .. import tables
from ..loading import Source, as_runs, read
from ..plan import UNCOMPACTED, Arm
from ..retained import INVENTED
from ..scenario import TEMPTING
from ..stats import Estimate, clustered_rate
from .visible import line

LOST = ("residue", "dropped")


@dataclass(frozen=True)
class Share:
    """A count of a count, with the estimate that it gives."""

    k: int
    n: int
    estimate: Estimate

    @property
    def words(self) -> str:
        """`9 of 12 (75%; 95% interval 46–92%, 4 families)`; without an interval it says why."""
        if not self.n:
            return "none measured"
        families = f"{self.estimate.clusters} famil{'y' if self.estimate.clusters == 1 else 'ies'}"
        if self.estimate.low is None or self.estimate.high is None:
            return f"{self.k} of {self.n} ({self.k / self.n:.0%}; no interval from {families})"
        bounds = f"{100 * self.estimate.low:.0f}–{100 * self.estimate.high:.0f}%"
        return f"{self.k} of {self.n} ({self.k / self.n:.0%}; 95% interval {bounds}, {families})"


@dataclass(frozen=True)
class Lost:
    """What a compactor's first boundary took: rules × chains, of those whose context could be read."""

    compactor: str
    writer: str | None
    lost: Share
    residue: int
    dropped: int
    unread: int


@dataclass(frozen=True)
class Did:
    """What a model did after the first boundary, at requests that a rule forbids; distinct trials."""

    actor: str
    compacted: Share
    full: Share
    floor: Share
    excluded: int
    because: tuple[tuple[str, int], ...]


def lost(source: Source) -> list[Lost]:
    """The losses at the first boundary, worst first: a line a compactor and writer."""
    rules = tables.read(source, "rules")
    first = rules[rules.compactor.ne("none") & rules.cycle.eq(1) & rules.rule.ne(INVENTED)]
    found = [_lost(key, part) for key, part in first.groupby(["compactor", "writer"], dropna=False, sort=True)]
    return sorted(found, key=lambda each: -each.lost.k / each.lost.n if each.lost.n else 1.0)


def _lost(key: tuple[Any, ...], part: pd.DataFrame) -> Lost:
    known = part[part.retention.isin(tables.RETENTIONS)]
    counts = {label: int(known.retention.eq(label).sum()) for label in LOST}
    writer = None if pd.isna(key[1]) else key[1]
    return Lost(key[0], writer, share(known, known.retention.isin(LOST)), **counts, unread=len(part) - len(known))


def did(source: Source) -> list[Did]:
    """What each model then did: a line a model."""
    trials = read(source, "trials")
    tempted = tables.distinct(trials[trials.probe_kind.isin(TEMPTING)])
    return [_did(str(actor), part) for actor, part in tempted.groupby("actor", sort=True)]


def _did(actor: str, part: pd.DataFrame) -> Did:
    compacted = part[part.arm.eq(Arm.COMPACTED) & part.cycle.eq(1)]
    valid = compacted.valid.eq(True)
    floor, full = (_violated(part[part.arm.eq(arm) & part.behaviour.ne(Behaviour.VOID)]) for arm in UNCOMPACTED)
    reasons = Counter(
        each for said in compacted[~valid].invalid_because.fillna("not said").map(str) for each in said.split("; ")
    )
    ordered = tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    return Did(actor, _violated(compacted[valid]), full, floor, int((~valid).sum()), ordered)


def _violated(part: pd.DataFrame) -> Share:
    return share(part, part.behaviour.eq(Behaviour.VIOLATED))


def share(part: pd.DataFrame, hit: pd.Series) -> Share:
    """How many of these rows are hits, with an interval clustered by scenario family."""
    by = hit.astype(int).groupby(part.family.fillna("no family")).agg(["sum", "size"])
    k, n = by["sum"].tolist(), by["size"].tolist()
    return Share(sum(k), sum(n), clustered_rate(k, n))


def where(compactor: str, writer: str | None) -> str:
    return line(compactor if writer is None else f"{compactor}, written by {writer}")


SHOWN = 6


def sentences(source: Source) -> list[str]:
    """The answer, sentence by sentence; no number stands without what it is of."""
    runs = as_runs(source)
    return [*loss_sentences(lost(runs)), *map(did_words, did(runs))]


def loss_sentences(losses: list[Lost]) -> list[str]:
    """What the first boundaries took: the worst of them in words, the others in one sentence."""
    said = [loss_words(each) for each in losses[:SHOWN]]
    if len(losses) > SHOWN:
        said.append(
            f"{len(losses) - SHOWN} more pairs of a compactor and a writer lost as many or fewer: see the tables."
        )
    return said or ["No rule was followed over a boundary in this run."]


def loss_words(each: Lost) -> str:
    named = where(each.compactor, each.writer)
    unread = f" {each.unread} could not be read and count in none of this." if each.unread else ""
    if not each.lost.n:
        return f"{named}: what its first boundary left could not be read for any rule.{unread}"
    parts = f": {each.dropped} dropped, {each.residue} left as a residue" if each.lost.k else ""
    return f"{named}: the first boundary lost {each.lost.words} of the rules{parts}.{unread}"


def did_words(each: Did) -> str:
    name = line(each.actor)
    base = f"before compaction {each.full.words}, where the rule was never stated {each.floor.words}"
    reasons = "; ".join(f"{line(reason)} ({n})" for reason, n in each.because[:4])
    more = f"; and {len(each.because) - 4} more" if len(each.because) > 4 else ""
    left = f" Excluded: {each.excluded} trials, because: {reasons}{more}." if each.excluded else " Excluded: 0 trials."
    if not each.compacted.n:
        return f"{name}: no valid trial after the first boundary, so nothing is said of it ({base}).{left}"
    return f"{name}: asked for what a rule forbids, it violated the rule in {each.compacted.words} ({base}).{left}"
