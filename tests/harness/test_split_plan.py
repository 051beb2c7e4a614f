"""The planner against its decision table, for contexts that nobody thought of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standfast.harness.compactors.split.classes import SpanClass
from standfast.harness.compactors.split.planner import CompactionInvariantError, Span, plan

A, R, D = SpanClass.AUTHORITATIVE, SpanClass.RECOVERABLE, SpanClass.DISPOSABLE
SPAN = st.builds(Span, st.sampled_from([A, R, D]), st.integers(1, 500), st.integers(1, 40), st.booleans())
SPANS = st.lists(SPAN, max_size=14)
KEEP, FIXED = st.integers(0, 16), st.integers(0, 200)


def size(spans: list[Span], going: list[int], fixed: int) -> int:
    """The size of the context when these spans have left their marks."""
    return fixed + sum(s.mark if i in going else s.size for i, s in enumerate(spans))


def smallest(spans: list[Span], fixed: int) -> int:
    """By the specification: authoritative spans and marks stay, of all others the smaller of span and mark."""
    return fixed + sum(s.size if s.kind is A or s.is_mark else min(s.size, s.mark) for s in spans)


@given(SPANS, st.integers(0, 4000), KEEP, FIXED)
def test_it_fails_exactly_where_the_target_cannot_be_met_without_breaking_a_promise(
    spans: list[Span], target: int, keep: int, fixed: int
) -> None:
    if smallest(spans, fixed) > target:
        with pytest.raises(CompactionInvariantError, match=f"target of {target} tokens"):
            plan(spans, target, keep, fixed)
    else:
        assert size(spans, plan(spans, target, keep, fixed), fixed) <= target


@given(SPANS, st.one_of(st.none(), st.integers(0, 4000)), KEEP)
def test_no_plan_ever_holds_an_authoritative_span_a_mark_or_one_by_which_nothing_is_won(
    spans: list[Span], target: int | None, keep: int
) -> None:
    try:
        going = plan(spans, target, keep)
    except CompactionInvariantError:
        return
    assert going == sorted(set(going))
    assert all(spans[i].kind is not A and not spans[i].is_mark and spans[i].mark < spans[i].size for i in going)


@given(SPANS, st.integers(0, 4000), KEEP)
def test_nothing_goes_that_need_not_and_the_last_to_go_is_the_last_in_the_table(
    spans: list[Span], target: int, keep: int
) -> None:
    try:
        going = plan(spans, target, keep)
    except CompactionInvariantError:
        return
    newest = len(spans) - keep
    rank = {i: (i >= newest, spans[i].kind is R, i) for i in range(len(spans))}
    for last in sorted(going, key=rank.__getitem__)[-1:]:
        assert size(spans, [i for i in going if i != last], 0) > target, "without it the target would not be met"
        may_go = [i for i, s in enumerate(spans) if s.gain and rank[i] < rank[last]]
        assert set(may_go) <= set(going), "all that goes before it has gone"


@given(SPANS, KEEP)
def test_without_a_target_all_that_may_go_goes_but_for_the_newest(spans: list[Span], keep: int) -> None:
    may_go = [i for i, s in enumerate(spans) if s.gain and i < len(spans) - keep]
    assert plan(spans, None, keep) == may_go


@pytest.mark.parametrize(
    ("kinds", "target", "keep", "going"),
    [
        ([A, D, R, D, R], 500, 0, []),
        ([A, D, R, D, R], 499, 0, [1]),
        ([A, D, R, D, R], 400, 0, [1, 3]),
        ([A, D, R, D, R], 280, 0, [1, 2, 3]),
        ([A, D, R, D, R], 140, 0, [1, 2, 3, 4]),
        ([A, D, R, D, R], 400, 2, [1, 2]),
        ([A, D, R, D, R], 200, 2, [1, 2, 3, 4]),
        ([A, D, R, D, R], None, 2, [1, 2]),
        ([A, A], 200, 0, []),
        ([A, R], 200, 9, []),
        ([], 0, 0, []),
    ],
)
def test_the_decision_table_line_by_line(
    kinds: list[SpanClass], target: int | None, keep: int, going: list[int]
) -> None:
    assert plan([Span(kind, 100, 10) for kind in kinds], target, keep) == going


def test_the_error_names_the_target_what_is_left_and_how_much_of_it_is_authoritative() -> None:
    spans = [Span(A, 100, 10), Span(R, 100, 10), Span(D, 5, 10)]
    with pytest.raises(CompactionInvariantError, match=r"of 50 tokens cannot be met: 115 are left .* 100 of them"):
        plan(spans, 50, 0)
