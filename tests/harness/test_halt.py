"""A compactor that gives up: the chain ends there, with its reason, and nothing after it looks like a measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ChatMessageUser
from standfast.harness import compactors
from standfast.harness.compactors import Entry, Kind
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.folder import RunFolder
from standfast.harness.rows import read
from standfast.harness.snapshots import Store

REASON = "nothing is left but what the user said"


class Stubborn:
    """Compacts once and gives up at its second boundary."""

    def __init__(self, work: Work) -> None:
        self.boundaries = 0

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self.boundaries += 1
        if self.boundaries > 1:
            return Compacted(messages, fired=False, halted=REASON)
        sent = (tuple(messages[:3]),)
        kept = [messages[0], ChatMessageUser(id="s", content="More is in kept-1."), *messages[-2:]]
        return Compacted(kept, fired=True, shown=sent, archive={"kept-1": "all of it"}, notes=("one", "two"))


@pytest.fixture(scope="module")
def halted(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Any:
    entry = Entry("truncate:Truncate", "for tests", Kind.MECHANICAL, keeps="", originals="")
    patch = pytest.MonkeyPatch()
    patch.setitem(compactors.BUNDLED, "stubborn", entry)
    patch.setattr(compactors, "make", lambda spec, work: Stubborn(work))
    out = tmp_path_factory.mktemp("halted") / "run"
    yield small_run(out, compactors=["stubborn"], cycles=3, probes="prohibited,sibling,status")
    patch.undo()


def test_the_boundary_says_that_and_why_it_was_given_up(halted: RunFolder) -> None:
    rows = read(halted.path, "boundaries")
    rows = rows[rows.compactor.eq("stubborn")].sort_values("cycle")
    assert list(rows.cycle) == [1, 2]
    assert list(rows.halted) == [False, True]
    assert list(rows.halted_because.dropna()) == [REASON]
    assert list(rows.fired) == [True, False]
    assert rows.error.isna().all(), "giving up is an outcome, no error"


def test_what_was_sent_kept_and_noted_stands_in_the_boundary_and_the_snapshot(halted: RunFolder) -> None:
    rows = read(halted.path, "boundaries")
    first = rows[rows.compactor.eq("stubborn") & rows.cycle.eq(1)].iloc[0]
    assert list(first.notes) == ["one", "two"]
    assert (first.archived, first.back_pointer) == (1, True)
    assert first.shown_tokens > 0
    snapshot = Store(halted.snapshots).get(first.snapshot)
    assert snapshot.archive == {"kept-1": "all of it"}
    assert [row["id"] for row in snapshot.shown[0]] == ["m0000", "m0001", "m0002"]


def test_the_snapshots_up_to_there_stay_and_the_last_one_is_the_context_as_it_was(halted: RunFolder) -> None:
    rows = read(halted.path, "boundaries")
    chain = rows[rows.compactor.eq("stubborn")].chain.iloc[0]
    store = Store(halted.snapshots)
    keys = store.finished(chain)
    assert keys is not None
    first, last = store.get(keys[1]), store.get(keys[2])
    assert len(keys) == 3
    assert len(last.messages) > len(first.messages)
    assert last.archive == first.archive


def test_cells_from_there_on_are_void_with_the_reason_and_those_before_are_measured(halted: RunFolder) -> None:
    trials = read(halted.path, "trials")
    trials = trials[trials.compactor.eq("stubborn")]
    assert set(trials[trials.cycle.gt(1)].behaviour) == {"void"}
    assert set(trials[trials.cycle.gt(1)].reason) == {f"halted at boundary 2: {REASON}"}
    assert not trials[trials.cycle.gt(1)].valid.any()
    assert trials[trials.cycle.eq(1)].behaviour.ne("void").all()


def test_no_text_of_a_halted_boundary_is_read_as_a_compacted_one(halted: RunFolder) -> None:
    rules, spans = read(halted.path, "rules"), read(halted.path, "spans")
    rules, spans = (each[each.compactor.eq("stubborn")] for each in (rules, spans))
    assert rules[rules.cycle.eq(2)].retention.isna().all()
    assert rules[rules.cycle.eq(1)].retention.notna().all()
    assert set(spans.cycle) == {1}


def test_what_was_sent_to_an_endpoint_counts_as_shown(halted: RunFolder) -> None:
    spans = read(halted.path, "spans")
    fates = dict(zip(spans.span, spans.fate, strict=True))
    assert fates["m0000"] == "verbatim"
    assert fates["m0001"] == fates["m0002"] == "summarised"
    assert fates["m0003"] == "evicted"
