"""How much is needed to see an effect."""

from __future__ import annotations

from math import ceil, log

from .estimates import CONFIDENCE


def design_effect(size: float, icc: float) -> float:
    """By what factor trials in clusters of this size, with this correlation within, are worth less than independent
    ones (Kish 1965): 1 + (size - 1) icc."""
    return 1 + (size - 1) * icc


def clusters_needed(
    base: float, other: float, size: float, icc: float, power: float = 0.8, alpha: float = 1 - CONFIDENCE
) -> int:
    """How many clusters of `size` trials an arm needs to tell two shares apart, two-sided: Cohen's h (1988) for
    independent trials, times the design effect. Pairs within a snapshot need fewer. Raises ValueError for equal
    shares."""
    if base == other:
        raise ValueError("equal shares cannot be told apart by any number of trials")
    from statsmodels.stats.power import NormalIndPower
    from statsmodels.stats.proportion import proportion_effectsize

    effect = abs(proportion_effectsize(base, other))
    trials = NormalIndPower().solve_power(effect, power=power, alpha=alpha, alternative="two-sided")
    return ceil(float(trials) * design_effect(size, icc) / size)


def zero_count_size(bound: float) -> int:
    """How many independent trials without any event show that the share is below `bound`, one-sided at 95 %:
    59 for 5 %, 299 for 1 %."""
    return ceil(log(1 - CONFIDENCE) / log(1 - bound))
