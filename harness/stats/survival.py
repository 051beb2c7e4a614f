"""Time to first loss or first violation, in cycles: hazards, Kaplan and Meier's estimator, safe in all of k."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from .estimates import CONFIDENCE, Estimate
from .rates import clustered_rate

DRAWS = 999


@dataclass(frozen=True)
class Duration:
    """One unit (a rule of a chain, say): the cycle of its event, or of its last look where none came (censored)."""

    cycle: int
    happened: bool
    cluster: Hashable


@dataclass(frozen=True)
class Hazard:
    """The share of those still at risk to whom it happens at this cycle."""

    cycle: int
    at_risk: int
    events: int
    estimate: Estimate


def hazards(durations: Sequence[Duration]) -> list[Hazard]:
    """The discrete-time hazard of each cycle (Singer and Willett 1993): events over units at risk, censored ones
    leaving after their last cycle; intervals by cluster."""
    last = max((each.cycle for each in durations), default=0)
    found = []
    for cycle in range(1, last + 1):
        risk: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
        for each in durations:
            if each.cycle >= cycle:
                risk[each.cluster][1] += 1
                risk[each.cluster][0] += each.happened and each.cycle == cycle
        k, n = [counts[0] for counts in risk.values()], [counts[1] for counts in risk.values()]
        found.append(Hazard(cycle, sum(n), sum(k), clustered_rate(k, n)))
    return found


KAPLAN_MEIER = "Kaplan-Meier, bootstrap of clusters"


def kaplan_meier(durations: Sequence[Duration]) -> list[Estimate]:
    """The share without the event after cycle 1, 2 …: Kaplan and Meier (1958), right-censored; the band is the
    percentile bootstrap of whole clusters, with a fixed seed."""
    if not durations:
        return []
    import numpy as np

    last = max(each.cycle for each in durations)
    names = {name: i for i, name in enumerate(dict.fromkeys(each.cluster for each in durations))}
    events, risk = np.zeros((len(names), last)), np.zeros((len(names), last))
    for each in durations:
        risk[names[each.cluster], : each.cycle] += 1
        events[names[each.cluster], each.cycle - 1] += each.happened
    survival = _product_limit(events.sum(0), risk.sum(0))
    draws = np.random.default_rng(20260803).integers(0, len(names), (DRAWS, len(names)))
    drawn = _product_limit(events[draws].sum(1), risk[draws].sum(1))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    alone = len(names) == 1
    return [
        Estimate(
            float(survival[i]),
            None if alone else float(low[i]),
            None if alone else float(high[i]),
            int(risk[:, i].sum()),
            len(names),
            KAPLAN_MEIER,
        )
        for i in range(last)
    ]


def _product_limit(events: Any, risk: Any) -> Any:
    import numpy as np

    share = np.divide(events, risk, out=np.zeros_like(risk), where=risk > 0)
    return np.cumprod(1 - share, axis=-1)


def all_k_safe(counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """The chance that k repeats of a unit are all without the event, averaged over units `(events, repeats)`: the
    unbiased estimator of pass^k (Yao et al. 2024, tau-bench). Units with fewer than k repeats do not enter; None
    without any."""
    known = [(events, repeats) for events, repeats in counts if repeats >= k]
    if not known:
        return None
    return sum(comb(repeats - events, k) / comb(repeats, k) for events, repeats in known) / len(known)
