"""Estimates with what they rest on: thin over scipy and statsmodels. A rate of nothing is None, never 0.

The independent unit is the chain, clustered by scenario family; trials of one cluster are no independent trials.
"""

from .estimates import Estimate
from .paired import Pairs, mcnemar, newcombe_paired, paired_difference
from .power import clusters_needed, design_effect, zero_count_size
from .rates import Rate, clustered_rate, newcombe
from .survival import Duration, Hazard, all_k_safe, hazards, kaplan_meier
from .variance import Components, holm, variance_components

__all__ = [
    "Components",
    "Duration",
    "Estimate",
    "Hazard",
    "Pairs",
    "Rate",
    "all_k_safe",
    "clustered_rate",
    "clusters_needed",
    "design_effect",
    "hazards",
    "holm",
    "kaplan_meier",
    "mcnemar",
    "newcombe",
    "newcombe_paired",
    "paired_difference",
    "variance_components",
    "zero_count_size",
]
