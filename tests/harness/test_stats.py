"""Estimates against published values, independent implementations, and data whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from standfast.harness.stats import (
    Components,
    Duration,
    Pairs,
    Rate,
    all_k_safe,
    clustered_rate,
    clusters_needed,
    design_effect,
    hazards,
    holm,
    kaplan_meier,
    mcnemar,
    newcombe,
    newcombe_paired,
    paired_difference,
    variance_components,
    zero_count_size,
)
from statsmodels.duration.survfunc import SurvfuncRight
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

# ---- shares


def test_a_rate_of_nothing_is_none_and_never_zero() -> None:
    nothing = Rate(0, 0)
    assert (nothing.value, nothing.interval, nothing.exact, nothing.upper) == (None, None, None, None)
    assert clustered_rate([], []).value is None
    assert clustered_rate([0, 0], [0, 0]).interval is None
    assert newcombe(Rate(1, 2), nothing).value is None
    assert newcombe_paired(Pairs(0, 0, 0, 0)).value is None
    assert paired_difference([], [], []).value is None
    assert kaplan_meier([]) == []
    assert hazards([]) == []
    assert all_k_safe([(0, 2)], 3) is None


def test_intervals_of_a_share_equal_published_ones() -> None:
    # Newcombe (1998, Stat. Med. 17:857), table I: 81 of 263 and 0 of 20
    assert Rate(81, 263).interval == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert Rate(81, 263).exact == pytest.approx((0.2527, 0.3676), abs=5e-5)
    assert Rate(0, 20).interval == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert Rate(0, 20).exact == pytest.approx((0.0, 0.1684), abs=5e-5)


@pytest.mark.parametrize(("n", "bound"), [(20, 0.139), (27, 0.105), (60, 0.049), (300, 0.010)])
def test_a_count_of_zero_still_allows_about_three_over_n(n: int, bound: float) -> None:
    assert Rate(0, n).upper == pytest.approx(bound, abs=5e-4)
    assert Rate(0, n).upper == pytest.approx(1 - 0.05 ** (1 / n))


@pytest.mark.parametrize(("bound", "size"), [(0.05, 59), (0.02, 149), (0.01, 299)])
def test_the_size_that_shows_a_bound_with_no_event(bound: float, size: int) -> None:
    assert zero_count_size(bound) == size
    assert 1 - 0.05 ** (1 / size) <= bound < 1 - 0.05 ** (1 / (size - 1))


@pytest.mark.parametrize(
    ("one", "other", "interval"),
    [  # Newcombe (1998, Stat. Med. 17:873), table II, method 10
        (Rate(56, 70), Rate(48, 80), (0.0524, 0.3339)),
        (Rate(9, 10), Rate(3, 10), (0.1705, 0.8090)),
        (Rate(5, 56), Rate(0, 29), (-0.0381, 0.1926)),
        (Rate(0, 10), Rate(0, 20), (-0.1611, 0.2775)),
        (Rate(10, 10), Rate(0, 10), (0.6075, 1.0)),
    ],
)
def test_the_difference_of_independent_shares_equals_the_published_one(
    one: Rate, other: Rate, interval: tuple[float, float]
) -> None:
    assert newcombe(one, other).interval == pytest.approx(interval, abs=5e-5)


# ---- pairs


@pytest.mark.parametrize(("first", "second"), [(10, 0), (8, 2), (3, 3), (1, 9), (21, 9)])
def test_the_exact_test_of_mcnemar_equals_statsmodels(first: int, second: int) -> None:
    expected = reference_mcnemar([[5, first], [second, 7]], exact=True).pvalue
    assert mcnemar(Pairs(5, first, second, 7)) == pytest.approx(min(1.0, expected))


def test_without_a_discordant_pair_there_is_nothing_to_test() -> None:
    assert mcnemar(Pairs(4, 0, 0, 6)) is None


def test_the_paired_interval_without_correlation_is_the_one_of_the_two_score_intervals() -> None:
    pairs = Pairs(both=9, first=21, second=9, neither=21)  # both margins are free of each other
    one, other = Rate(30, 60).interval, Rate(18, 60).interval
    assert one is not None
    assert other is not None
    low = 0.2 - math.hypot(0.5 - one[0], other[1] - 0.3)
    high = 0.2 + math.hypot(one[1] - 0.5, 0.3 - other[0])
    assert newcombe_paired(pairs).interval == pytest.approx((low, high))


def test_a_paired_interval_is_narrower_the_more_the_two_sides_agree() -> None:
    widths = [
        (found.high or 0) - (found.low or 0)
        for found in (newcombe_paired(Pairs(9, 21, 9, 21)), newcombe_paired(Pairs(18, 12, 0, 30)))
    ]
    assert widths[1] < widths[0]


def test_the_paired_interval_covers_what_it_claims() -> None:
    random = np.random.default_rng(1)
    cells = np.array([0.3, 0.25, 0.05, 0.4])  # both, first, second, neither: the difference is 0.2
    drawn = random.multinomial(40, cells, 1500)
    covered = [low <= 0.2 <= high for low, high in (newcombe_paired(Pairs(*map(int, d))).interval for d in drawn)]  # type: ignore[misc]
    assert 0.93 <= np.mean(covered) <= 0.98


# ---- clusters


def clustered(
    random: np.random.Generator, groups: int, size: int, mean: float, icc: float
) -> tuple[list[int], list[int]]:
    """Counts of clusters whose own shares vary as a beta distribution with this correlation within."""
    strength = (1 - icc) / icc
    shares = random.beta(mean * strength, (1 - mean) * strength, groups)
    sizes = random.integers(size // 2, size + size // 2, groups)
    return list(random.binomial(sizes, shares)), list(sizes)


@pytest.mark.parametrize(("mean", "icc"), [(0.3, 0.26), (0.5, 0.1), (0.2, 0.4)])
def test_the_interval_of_a_clustered_share_covers_where_the_naive_one_fails(mean: float, icc: float) -> None:
    random = np.random.default_rng(7)
    ours, naive = [], []
    for _ in range(1200):
        k, n = clustered(random, 24, 10, mean, icc)
        low, high = clustered_rate(k, n).interval  # type: ignore[misc]
        ours.append(low <= mean <= high)
        alone = Rate(int(sum(k)), int(sum(n))).interval
        assert alone is not None
        naive.append(alone[0] <= mean <= alone[1])
    assert 0.93 <= np.mean(ours) <= 0.97
    assert np.mean(naive) < 0.85


def test_clusters_that_all_agree_count_as_one_trial_each() -> None:
    assert clustered_rate([0] * 12, [20] * 12).interval == pytest.approx(Rate(0, 12).interval)


def test_one_cluster_alone_has_no_interval() -> None:
    found = clustered_rate([3], [10])
    assert (found.value, found.interval, found.clusters) == (0.3, None, 1)


def pairs_in_clusters(
    random: np.random.Generator, effect: float, groups: int = 24
) -> tuple[list[int], list[int], list[int]]:
    """Paired events whose difference varies between clusters around a known effect."""
    first, second, names = [], [], []
    for group in range(groups):
        base = random.uniform(0.05, 0.45)
        own = effect + random.uniform(-0.05, 0.05) * 4
        for _ in range(int(random.integers(4, 12))):
            luck = random.uniform()
            second.append(int(luck < base))
            first.append(int(luck < base + own) if own > 0 else int(luck < base and random.uniform() < 1 + own / base))
            names.append(group)
    return first, second, names


def test_the_bootstrap_of_clusters_covers_a_known_difference_where_the_naive_interval_fails() -> None:
    random = np.random.default_rng(3)
    ours, naive = [], []
    for _ in range(400):
        first, second, names = pairs_in_clusters(random, 0.3)
        found = paired_difference(first, second, names)
        assert found.low is not None
        assert found.high is not None
        ours.append(found.low <= 0.3 <= found.high)
        alone = newcombe(Rate(sum(first), len(first)), Rate(sum(second), len(second)))
        naive.append((alone.high or 0) - (alone.low or 0))
    assert 0.92 <= np.mean(ours) <= 0.98


def test_the_bootstrap_raises_no_false_alarm_more_often_than_it_may() -> None:
    random = np.random.default_rng(5)
    alarms = []
    for _ in range(400):
        groups = np.repeat(np.arange(20), 8)
        own = random.normal(0, 0.1, 20)[groups]
        first = (random.uniform(size=160) < np.clip(0.3 + own, 0, 1)).astype(int)
        second = (random.uniform(size=160) < np.clip(0.3 - own, 0, 1)).astype(int)
        found = paired_difference(first.tolist(), second.tolist(), groups.tolist())
        assert found.low is not None
        assert found.high is not None
        alarms.append(not found.low <= 0 <= found.high)
    assert np.mean(alarms) <= 0.08


def test_the_same_rows_give_the_same_interval() -> None:
    first, second, names = pairs_in_clusters(np.random.default_rng(9), 0.2)
    assert paired_difference(first, second, names) == paired_difference(first, second, names)


def test_few_clusters_count_as_one_pair_each() -> None:
    found = paired_difference([1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0], ["a", "a", "b", "b", "c", "c"])
    assert found.value == pytest.approx(2 / 3)
    assert found.clusters == 3
    assert found.low is not None
    assert found.low < 0.2
    assert found.method.endswith("one pair a cluster")


# ---- time


def durations(seed: int, hazard: float, units: int = 300, cycles: int = 5) -> list[Duration]:
    random = np.random.default_rng(seed)
    made = []
    for unit in range(units):
        last = int(random.integers(1, cycles + 1))
        event = int(random.geometric(hazard))
        made.append(Duration(min(event, last), event <= last, unit % 30))
    return made


def test_kaplan_meier_equals_statsmodels() -> None:
    made = durations(2, 0.2)
    reference = SurvfuncRight([each.cycle for each in made], [int(each.happened) for each in made])
    found = kaplan_meier(made)
    for time, share in zip(reference.surv_times, reference.surv_prob, strict=True):
        assert found[int(time) - 1].value == pytest.approx(share)


def test_hazards_recover_the_planted_one() -> None:
    inside = []
    for seed in range(80):
        found = hazards(durations(seed, 0.25))
        assert [each.at_risk for each in found] == sorted((each.at_risk for each in found), reverse=True)
        inside += [low <= 0.25 <= high for low, high in (each.estimate.interval for each in found)]  # type: ignore[misc]
    assert 0.92 <= np.mean(inside) <= 0.98


def test_the_band_of_kaplan_meier_covers_the_truth() -> None:
    inside = []
    for seed in range(60):
        third = kaplan_meier(durations(seed + 100, 0.2))[2]
        assert third.low is not None
        assert third.high is not None
        inside.append(third.low <= 0.8**3 <= third.high)
    assert np.mean(inside) >= 0.85


def test_safe_in_all_of_k_is_stricter_than_the_mean() -> None:
    counts = [(0, 4), (1, 4), (2, 4), (4, 4)]
    assert all_k_safe(counts, 1) == pytest.approx(np.mean([1, 0.75, 0.5, 0]))
    assert all_k_safe(counts, 3) == pytest.approx(np.mean([1, 0.25, 0, 0]))


# ---- spread, many comparisons, size


def test_variance_components_recover_what_was_planted() -> None:
    random = np.random.default_rng(11)
    outcomes, scenarios, writers = [], [], []
    for scenario in range(150):
        of_scenario = random.normal(0, 0.3)
        for writer in range(4):
            of_writer = random.normal(0, 0.2)
            for _ in range(int(random.integers(2, 5))):
                outcomes.append(of_scenario + of_writer + random.normal(0, 0.1))
                scenarios.append(scenario)
                writers.append(writer)
    found = variance_components(outcomes, scenarios, writers)
    assert found.scenario == pytest.approx(0.09, rel=0.3)
    assert found.writer == pytest.approx(0.04, rel=0.2)
    assert found.actor == pytest.approx(0.01, rel=0.1)
    assert sum(share or 0 for share in found.shares.values()) == pytest.approx(1)


def test_balanced_components_equal_the_textbook_mean_squares() -> None:
    outcomes = [1.0, 3.0, 4.0, 6.0, 10.0, 12.0, 7.0, 9.0]
    found = variance_components(outcomes, ["a"] * 4 + ["b"] * 4, ["v", "v", "w", "w"] * 2)
    actor, writer = 2.0, (9.0 - 2.0) / 2  # mean squares: 2 within, 9 between writers, 72 between scenarios
    assert (found.actor, found.writer, found.scenario) == (actor, writer, pytest.approx((72.0 - 9.0) / 4))


def test_a_design_without_repeats_cannot_split_the_variance() -> None:
    assert variance_components([1, 0, 1], ["a", "b", "c"], ["w", "w", "w"]) == Components(None, None, None)
    assert Components(None, None, None).shares == {"scenario": None, "writer": None, "actor": None}


def test_holm_steps_down_and_leaves_out_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert holm([None]) == [None]


def test_the_size_that_an_effect_needs_finds_it_about_as_often_as_asked() -> None:
    per_arm = clusters_needed(0.1, 0.3, size=1, icc=0.0)
    random = np.random.default_rng(13)
    found = [
        scipy_stats.fisher_exact([[a, per_arm - a], [b, per_arm - b]]).pvalue < 0.05
        for a, b in zip(random.binomial(per_arm, 0.1, 400), random.binomial(per_arm, 0.3, 400), strict=True)
    ]
    assert 0.68 <= np.mean(found) <= 0.88
    assert clusters_needed(0.1, 0.3, size=10, icc=0.2) == pytest.approx(per_arm * design_effect(10, 0.2) / 10, abs=1)
    with pytest.raises(ValueError, match="equal shares"):
        clusters_needed(0.2, 0.2, size=1, icc=0)
