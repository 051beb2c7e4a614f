"""Shares: exact, score and cluster-adjusted intervals, and differences of independent shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from .estimates import CONFIDENCE, Estimate, nothing


@dataclass(frozen=True)
class Rate:
    """A share with what it rests on: `k` of `n`. A rate of nothing is None, never 0."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson score interval (Wilson 1927), for `n` independent trials; None for a rate of nothing."""
        return self._interval("wilson")

    @property
    def exact(self) -> tuple[float, float] | None:
        """The 95 % interval of Clopper and Pearson (1934), for `n` independent trials; None for a rate of nothing."""
        return self._interval("exact")

    @property
    def upper(self) -> float | None:
        """The one-sided exact 95 % upper bound, for `n` independent trials: what a count of zero still allows, about
        3 / n (Hanley and Lippman-Hand 1983). None for a rate of nothing."""
        if not self.n:
            return None
        from scipy.stats import binomtest

        bounds = binomtest(self.k, self.n, alternative="less").proportion_ci(CONFIDENCE, method="exact")
        return float(bounds.high)

    def _interval(self, method: str) -> tuple[float, float] | None:
        if not self.n:
            return None
        from scipy.stats import binomtest

        low, high = binomtest(self.k, self.n).proportion_ci(confidence_level=CONFIDENCE, method=method)
        return float(low), float(high)


CLUSTERED = "Wilson on the effective sample size of the clusters"


def clustered_rate(k: Sequence[int], n: Sequence[int]) -> Estimate:
    """A share over clusters, `k[i]` of `n[i]` in each, with a Wilson interval on the effective sample size.

    The design effect is the linearised variance between clusters over that of independent trials, with Korn and
    Graubard's (1998) correction for few clusters (t in place of z); score interval as in Dean and Pagano (2015). Where
    all clusters agree on 0 or 1 their spread says nothing, and each cluster counts as one trial. One cluster alone has
    no interval.
    """
    pairs = [(int(a), int(b)) for a, b in zip(k, n, strict=True) if b]
    if not pairs:
        return nothing(CLUSTERED)
    total, hits, groups = sum(b for _, b in pairs), sum(a for a, _ in pairs), len(pairs)
    share = hits / total
    if groups == 1:
        return Estimate(share, None, None, total, 1, CLUSTERED)
    low, high = _score(share, _effective_size(pairs, share, total))
    return Estimate(share, low, high, total, groups, CLUSTERED)


def _effective_size(pairs: Sequence[tuple[int, int]], share: float, total: int) -> float:
    from scipy.stats import norm, t

    groups = len(pairs)
    if share in (0.0, 1.0):
        return float(groups)
    between = groups / (groups - 1) * sum((a - share * b) ** 2 for a, b in pairs) / total**2
    alone = share * (1 - share) / total
    size = total / max(between / alone, 1.0) if between else float(total)
    tail = (1 + CONFIDENCE) / 2
    return size * float(norm.ppf(tail) / t.ppf(tail, groups - 1)) ** 2


def _score(share: float, size: float) -> tuple[float, float]:
    """Wilson's interval for a size that need not be a whole number."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


NEWCOMBE = "Newcombe, independent shares"


def newcombe(one: Rate, other: Rate) -> Estimate:
    """The difference of two shares of independent trials, with Newcombe's (1998, method 10) hybrid score interval."""
    if one.value is None or other.value is None:
        return nothing(NEWCOMBE)
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(one.k, one.n, other.k, other.n, method="newcomb", compare="diff")
    size = one.n + other.n
    return Estimate(one.value - other.value, float(low), float(high), size, size, NEWCOMBE)
