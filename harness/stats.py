"""Intervals for counts."""

from __future__ import annotations

from dataclasses import dataclass


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
        if not self.n:
            return None
        from scipy.stats import binomtest

        low, high = binomtest(self.k, self.n).proportion_ci(confidence_level=0.95, method="wilson")
        return float(low), float(high)
