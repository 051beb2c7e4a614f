"""Differences within pairs: the same snapshot in two arms, the same cell under two models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from .estimates import CONFIDENCE, Estimate, nothing
from .rates import Rate

if TYPE_CHECKING:
    import numpy as np

BOOTSTRAP = "studentised bootstrap of clusters"
NEWCOMBE = "Newcombe, paired shares"
FEW = 8  # with fewer clusters a resampling of them knows little of how they differ
DRAWS = 1999


@dataclass(frozen=True)
class Pairs:
    """Counts of pairs: the event in both, in the first alone, in the second alone, in neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.first + self.second + self.neither


def mcnemar(pairs: Pairs) -> float | None:
    """The two-sided p-value of McNemar's exact test (1947): are the two discordant counts alike? None without any."""
    discordant = pairs.first + pairs.second
    if not discordant:
        return None
    from scipy.stats import binomtest

    return float(binomtest(pairs.first, discordant).pvalue)


def newcombe_paired(pairs: Pairs) -> Estimate:
    """The first share minus the second, with Newcombe's (1998, Stat. Med. 17:2635, method 10) paired score interval,
    for independent pairs."""
    if not pairs.n:
        return nothing(NEWCOMBE)
    one, other = Rate(pairs.both + pairs.first, pairs.n), Rate(pairs.both + pairs.second, pairs.n)
    p, q = one.k / one.n, other.k / other.n
    (low1, high1), (low2, high2) = one.interval or (0.0, 1.0), other.interval or (0.0, 1.0)
    phi = _phi(pairs)

    def distance(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))

    low, high = p - q - distance(p - low1, high2 - q), p - q + distance(high1 - p, q - low2)
    return Estimate(p - q, max(-1.0, low), min(1.0, high), pairs.n, pairs.n, NEWCOMBE)


def _phi(pairs: Pairs) -> float:
    """The correlation of the two events, with Newcombe's correction towards 0; 0 where a margin is empty."""
    a, b, c, d = pairs.both, pairs.first, pairs.second, pairs.neither
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if not margins:
        return 0.0
    crossed = float(a * d - b * c)
    if crossed > 0:
        crossed = max(crossed - pairs.n / 2, 0.0)
    return crossed / sqrt(margins)


def paired_difference(first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable]) -> Estimate:
    """The mean of `first - second` over pairs, with a studentised bootstrap of clusters (Davison and Hinkley 1997,
    section 5.2; Cameron, Gelbach and Miller 2008); the seed is fixed, so that the same rows give the same interval.

    Fewer than 8 clusters, or no difference between any: Newcombe's paired interval with each cluster as one pair, for
    events (0 and 1). Pairs with an unmeasured side (None) are for the caller to leave out and count.
    """
    if not len(first):
        return nothing(BOOTSTRAP)
    import numpy as np

    difference = np.asarray(first, float) - np.asarray(second, float)
    _, group = np.unique(np.asarray([str(each) for each in clusters]), return_inverse=True)
    sums, sizes = np.bincount(group, difference), np.bincount(group)
    mean, error = _mean_and_error(sums, sizes)
    if len(sizes) < FEW or not error:
        return _few(first, second, group, float(mean), len(difference), len(sizes))
    draws = np.random.default_rng(20260803).integers(0, len(sizes), (DRAWS, len(sizes)))
    means, errors = _mean_and_error(sums[draws], sizes[draws])
    usable = errors > 0
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile((means[usable] - mean) / errors[usable], [tail, 1 - tail])
    bounds = float(max(-1.0, mean - high * error)), float(min(1.0, mean - low * error))
    return Estimate(float(mean), *bounds, len(difference), len(sizes), BOOTSTRAP)


def _mean_and_error(sums: np.ndarray[Any, Any], sizes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """The ratio mean over clusters (the last axis) and its linearised standard error."""
    import numpy as np

    total, groups = sizes.sum(-1), sizes.shape[-1]
    mean = sums.sum(-1) / total
    residuals = sums - np.expand_dims(mean, -1) * sizes
    return mean, np.sqrt(groups / max(groups - 1, 1) * (residuals**2).sum(-1)) / total


def _few(first: Sequence[float], second: Sequence[float], group: Any, mean: float, n: int, clusters: int) -> Estimate:
    """The interval of so few clusters that each counts as one pair: events by the majority within it."""
    import numpy as np

    sizes = np.bincount(group)
    one = np.bincount(group, np.asarray(first, float)) / sizes >= 0.5
    other = np.bincount(group, np.asarray(second, float)) / sizes >= 0.5
    counts = (one & other, one & ~other, ~one & other, ~one & ~other)
    found = newcombe_paired(Pairs(*(int(each.sum()) for each in counts)))
    if found.low is None or found.high is None:
        return Estimate(mean, None, None, n, clusters, NEWCOMBE)
    return Estimate(mean, min(found.low, mean), max(found.high, mean), n, clusters, f"{NEWCOMBE}, one pair a cluster")
