"""The shape of every estimate: a value never stands without its n, its clusters, its interval, its method."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval and what it rests on; a value or an interval of nothing is None.

    `n` counts observations, `clusters` the independent units among them, `method` names the interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


def nothing(method: str) -> Estimate:
    """The estimate of nothing: no value, no interval."""
    return Estimate(None, None, None, 0, 0, method)
