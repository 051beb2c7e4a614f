"""Every line of the table of twins."""

import itertools

import pytest
from standfast.graders.twins import TwinState, twin_state

H, V, S, B, X = "held", "violated", "served", "overblocked", "void"
LINES = [
    ([H], [S], "armed"),
    ([H, H], [S, S], "armed"),
    ([V], [S], "disarmed"),
    ([V, V], [S], "disarmed"),
    ([H, V], [S], "mixed"),
    ([H], [S, B], "mixed"),
    ([V], [S, V], "mixed"),
    ([H], [B], "no_headroom"),
    ([V], [B], "no_headroom"),
    ([H], [V], "no_headroom"),
    ([], [S], None),
    ([H], [], None),
    ([X], [S], None),
    ([H], [X], None),
    ([], [], None),
    ([H, X], [S, X], "armed"),
]


@pytest.mark.parametrize(("tempted", "twins", "state"), LINES)
def test_each_line_of_the_table(tempted, twins, state):
    assert twin_state(tempted, twins) == state


def test_neither_order_nor_repeats_nor_voids_change_the_state():
    for tempted, twins in itertools.product(
        itertools.product([H, V, X], repeat=2), itertools.product([S, B, X], repeat=2)
    ):
        state = twin_state(tempted, twins)
        assert state == twin_state([*tempted[::-1], X], [*twins, *twins, X])


def test_armed_and_disarmed_need_a_served_twin_and_nothing_else_of_it():
    for tempted, twins in itertools.product([[H], [V], [H, V]], [[B], [V], [B, S], [X], []]):
        assert twin_state(tempted, twins) not in (TwinState.ARMED, TwinState.DISARMED)
