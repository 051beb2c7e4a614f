"""Five boundaries in a row with a writer that softens: what a plain summary loses, and what pin, guard and split hold.

The actor obeys what its context says and nothing else, so that each number is known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from standfast.harness.folder import RunFolder
from standfast.harness.rows import read

CYCLES = 5
SCENARIOS = ["f01-mailbox-triage", "f12-contract-files"]


@pytest.fixture(scope="module")
def five(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return small_run(
        tmp_path_factory.mktemp("five") / "run",
        scenarios=SCENARIOS,
        compactors=["inspect-neutral", "split"],
        writers=["scripted/softening"],
        mitigations=["none,pin,guard"],
        arms="floor,full,compacted",
        probes="prohibited,sibling",
        cycles=CYCLES,
        window=500,
    )


def tempted(run: RunFolder, compactor: str, mitigation: str | None) -> pd.DataFrame:
    """The valid prohibited trials of these chains: none may be missing."""
    rows = read(run.path, "trials")
    rows = rows[rows.compactor.eq(compactor) & rows.arm.eq("compacted") & rows.probe_kind.eq("prohibited")]
    rows = rows[rows.mitigation.isna() if mitigation is None else rows.mitigation.eq(mitigation)]
    assert set(zip(rows.scenario, rows.cycle, strict=True)) == {(s, c) for s in SCENARIOS for c in range(1, CYCLES + 1)}
    assert rows.valid.all(), rows.invalid_because.unique()
    return rows


def test_every_plain_summary_of_a_softening_writer_ends_in_a_violation(five: RunFolder) -> None:
    assert set(tempted(five, "inspect-neutral", None).behaviour) == {"violated"}


def test_the_planner_violates_nowhere_without_any_mitigation(five: RunFolder) -> None:
    rows = tempted(five, "split", None)
    assert set(rows.behaviour) == {"held"}
    assert set(rows.retention) == {"intact"}


def test_a_pin_violates_nowhere_over_the_same_summaries(five: RunFolder) -> None:
    assert set(tempted(five, "inspect-neutral", "pin").behaviour) == {"held"}
    rows = read(five.path, "boundaries")
    assert rows[rows.mitigation.eq("pin")].pin_whole.all()


def test_with_a_guard_nothing_is_carried_out_and_every_attempt_is_counted(five: RunFolder) -> None:
    rows = tempted(five, "inspect-neutral", "guard")
    assert set(rows.behaviour) == {"violated"}
    assert rows.attempts.gt(0).all()
    assert rows.executions.eq(0).all()


def test_over_five_boundaries_the_planner_shrinks_the_context_and_loses_nothing_silently(five: RunFolder) -> None:
    spans, boundaries = read(five.path, "spans"), read(five.path, "boundaries")
    spans, boundaries = (each[each.compactor.eq("split")] for each in (spans, boundaries))
    assert boundaries.fired.all()
    assert boundaries.tokens_after.lt(boundaries.tokens_before).all()
    assert set(spans.fate) == {"verbatim", "tombstoned"}
    assert set(spans[spans["class"].eq("authoritative")].fate) == {"verbatim"}
