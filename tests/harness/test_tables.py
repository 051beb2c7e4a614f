"""Rows to tables: every count against rows written by hand, and a rate of nothing is no rate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from standfast.harness import tables
from standfast.harness.report.data import as_data
from standfast.harness.report.terminal import show
from standfast.harness.rows import read
from standfast.harness.schemas import SCHEMAS
from standfast.harness.stats import Rate

TABLES = (
    tables.cross, tables.retention, tables.behaviour, tables.arms, tables.twin_states, tables.subtasks,
    tables.confusion, tables.transitions, tables.symptoms, tables.excluded, tables.failures,
)  # fmt: skip


def written(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    """A run folder that holds these rows and nothing else."""
    (folder / "rows").mkdir()
    for name, schema in SCHEMAS.items():
        columns = {field.name: [row.get(field.name) for row in rows.get(name, [])] for field in schema}
        pq.write_table(pa.table(columns, schema=schema), folder / "rows" / f"{name}.parquet")
    return folder


CHAIN = {"scenario": "s", "chain": "c1", "compactor": "langmem", "writer": "w/1", "cycle": 1}


def trial(behaviour: str, kind: str = "prohibited", arm: str = "compacted", **besides: Any) -> dict[str, Any]:
    none = {"compactor": "none", "writer": None} if arm in ("floor", "full") else {}
    return {
        **CHAIN, **none, "actor": "m/1", "arm": arm, "probe_kind": kind, "behaviour": behaviour, "valid": True,
        "retention": "dropped", **besides,
    }  # fmt: skip


def many(number: int, *row: Any, **besides: Any) -> list[dict[str, Any]]:
    return [trial(*row, **besides) for _ in range(number)]


def only(frame: pd.DataFrame, **keys: Any) -> dict[str, Any]:
    """The one line of these keys, with None where the table has nothing."""
    for key, value in keys.items():
        frame = frame[frame[key].isna() if value is None else frame[key].eq(value)]
    assert len(frame) == 1, frame
    return {str(k): None if pd.isna(v) else v for k, v in frame.iloc[0].items()}


# ---- behaviour


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(
        tmp_path,
        trials=[
            *many(3, "violated"),
            *many(2, "held", retention="intact"),
            *many(1, "violated", retention="residue", kind="indirect"),
            *many(4, "held", valid=False, invalid_because="no headroom (floor held)"),
            *many(2, "void", valid=False, invalid_because="void: cut off", retention=None),
            *many(5, "served", "sibling"),
            *many(2, "overblocked", "permitted"),
            *many(1, "void", "permitted", valid=False, invalid_because="void: cut off"),
            *many(6, "violated", arm="floor"),
            *many(1, "void", arm="floor", valid=False, invalid_because="void: cut off"),
            *many(7, "held", arm="full"),
            *many(1, "violated", arm="full", valid=False, invalid_because="no served twin (overblocked)"),
            *many(9, "held", arm="restored", compactor="langmem"),
            *many(3, "violated", "resume"),
            *many(8, "violated", compactor="truncate", writer=None, valid=False, invalid_because="empty summary"),
        ],
    )


def test_shares_of_a_compacted_line_count_what_the_docstring_says(run: Path) -> None:
    line = only(tables.behaviour(run), compactor="langmem")
    counts = {"trials": 12, "void": 2, "invalid": 4, "valid": 6}
    shares = {
        "violated": (4, 6), "dropped": (3, 3), "intact": (0, 2), "residue": (1, 1), "measured": (4, 10),
        "overblocked": (2, 7), "floor": (6, 6), "full": (1, 8),
    }  # fmt: skip
    assert {key: line[key] for key in counts} == counts
    assert {name: (line[f"{name}_k"], line[f"{name}_n"]) for name in shares} == shares


def test_what_was_void_or_invalid_is_in_no_share_over_valid_trials(run: Path) -> None:
    line = only(tables.behaviour(run), compactor="truncate")
    assert (line["trials"], line["valid"], line["violated_k"], line["violated_n"]) == (8, 0, 0, 0)
    assert line["overblocked_n"] is None, "no twin was put to it: nothing was measured"


def test_void_plus_invalid_plus_valid_are_all_trials(run: Path) -> None:
    frame = tables.behaviour(run)
    assert frame.trials.eq(frame.void + frame.invalid + frame.valid).all()


def test_floor_and_full_of_another_cycle_or_actor_stand_in_another_line(tmp_path: Path) -> None:
    rows = [
        *many(1, "violated"), *many(1, "violated", cycle=2), *many(1, "held", actor="m/2"),
        *many(4, "violated", arm="floor"), *many(5, "violated", arm="floor", cycle=2),
        *many(6, "held", arm="floor", actor="m/2"),
    ]  # fmt: skip
    frame = tables.behaviour(written(tmp_path, trials=rows))
    assert only(frame, actor="m/1", cycle=1)["floor_n"] == 4
    assert only(frame, actor="m/1", cycle=2)["floor_n"] == 5
    assert only(frame, actor="m/2")["floor_k"] == 0
    assert only(frame, actor="m/2")["floor_n"] == 6


def test_a_run_without_compacted_trials_still_shows_nothing_wrong(tmp_path: Path) -> None:
    folder = written(tmp_path, trials=[*many(2, "violated", arm="floor"), *many(2, "held", arm="full")])
    assert len(tables.behaviour(folder)) == 0
    assert only(tables.arms(folder), arm="floor")["measured_k"] == 2


# ---- the cross table


def test_the_cross_table_has_the_same_shares_over_all_compactors(run: Path) -> None:
    line = only(tables.cross(run))
    shares = {"floor": (6, 6), "full": (1, 8), "intact": (0, 2), "residue": (1, 1), "dropped": (3, 3)}
    assert {name: (line[f"{name}_k"], line[f"{name}_n"]) for name in shares} == shares
    assert (line["overblocked_k"], line["overblocked_n"]) == (2, 7)
    assert line["excluded"] == 4 + 2 + 8


def test_a_trial_that_answers_several_cells_counts_once_and_what_was_never_run_stays(tmp_path: Path) -> None:
    shared = [*many(3, "violated", trial="t1", rule="r"), *many(1, "violated", trial="t2", rule="r")]
    never = many(2, "void", trial=None, valid=False, invalid_because="void: the trial was not run")
    line = only(tables.cross(written(tmp_path, trials=[*shared, *never])))
    assert (line["dropped_k"], line["dropped_n"], line["excluded"]) == (2, 2, 2)


def test_a_trial_of_two_actors_or_arms_is_two(tmp_path: Path) -> None:
    rows = [
        *many(1, "violated", trial="t"),
        *many(1, "held", trial="t", actor="m/2"),
        *many(1, "held", trial="t", arm="full"),
    ]
    frame = tables.cross(written(tmp_path, trials=rows))
    assert (only(frame, actor="m/1")["dropped_n"], only(frame, actor="m/2")["dropped_n"]) == (1, 1)
    assert only(frame, actor="m/1")["full_n"] == 1


# ---- retention


def rule_row(retention: str | None, **besides: Any) -> dict[str, Any]:
    return {**CHAIN, "rule": "r", "retention": retention, **besides}


def boundary(**besides: Any) -> dict[str, Any]:
    return {
        **CHAIN, "fired": True, "non_summary": False, "pressure": 0.5, "tokens_before": 900, "tokens_after": 200,
        **besides,
    }  # fmt: skip


def test_rules_are_counted_by_label_and_what_is_none_of_them_is_other(tmp_path: Path) -> None:
    rules = [
        *[rule_row("intact")] * 2, *[rule_row("residue")] * 3, *[rule_row("dropped")] * 4, rule_row("unreadable"),
        rule_row(None), rule_row(None), rule_row("invented", rule="(invented)"), rule_row("intact", cycle=0),
        rule_row("intact", compactor="none", writer=None),
    ]  # fmt: skip
    line = only(tables.retention(written(tmp_path, rules=rules, boundaries=[boundary()])), cycle=1)
    assert {key: line[key] for key in ("rules", "intact", "residue", "dropped", "other", "invented")} == {
        "rules": 12, "intact": 2, "residue": 3, "dropped": 4, "other": 3, "invented": 1
    }  # fmt: skip
    assert line["rules"] == line["intact"] + line["residue"] + line["dropped"] + line["other"]


def test_boundaries_give_pressure_as_a_mean_and_sizes_as_medians(tmp_path: Path) -> None:
    rows = [
        boundary(pressure=0.0, tokens_before=800), boundary(pressure=1.0, tokens_before=900),
        boundary(pressure=None, tokens_before=5000, non_summary=True), boundary(non_summary=None),
    ]  # fmt: skip
    line = only(tables.retention(written(tmp_path, rules=[rule_row("intact")], boundaries=rows)))
    assert (line["pressure"], line["tokens_before"], line["non_summary"]) == (0.5, 900, 1)


def test_pressure_that_nobody_measured_is_none(tmp_path: Path) -> None:
    folder = written(tmp_path, rules=[rule_row("intact")], boundaries=[boundary(pressure=None, tokens_before=None)])
    line = only(tables.retention(folder))
    assert (line["pressure"], line["tokens_before"]) == (None, None)


# ---- arms, subtasks, what is excluded


def test_an_arm_has_its_valid_and_its_measured_trials(run: Path) -> None:
    frame = tables.arms(run)
    compacted = only(frame, arm="compacted")
    assert (compacted["violated_k"], compacted["violated_n"]) == (4, 6)
    assert (compacted["measured_k"], compacted["measured_n"]) == (12, 18)
    assert only(frame, arm="restored")["measured_n"] == 9
    assert set(frame.arm) == {"compacted", "floor", "full", "restored"}


def test_the_wordings_of_the_residue_arm_are_lines_of_their_own(tmp_path: Path) -> None:
    rows = [
        *many(1, "held", arm="residue", residue_arm="softened"),
        *many(2, "violated", arm="residue", residue_arm="generalised"),
    ]
    frame = tables.arms(written(tmp_path, trials=rows))
    assert only(frame, residue_arm="softened")["violated_k"] == 0
    assert only(frame, residue_arm="generalised")["violated_k"] == 2


def subtask(planted: str, outcome: str | None, declared: str | None = None, **besides: Any) -> dict[str, Any]:
    row = {**CHAIN, "arm": "compacted", "actor": "m/1", "subtask": planted}
    return {**row, "planted": planted, "outcome": outcome, "declared": declared, **besides}


def test_subtasks_count_what_was_done_by_state_and_leave_void_out(tmp_path: Path) -> None:
    rows = [
        subtask("blocked", "acted_on_blocked", "blocked"), subtask("blocked", "respected", "pending"),
        subtask("blocked", "void"), subtask("done", "repeated_done", "done"), subtask("done", None, None),
        subtask("pending", "stalled"), subtask("pending", "skipped_pending"), subtask("pending", "respected", "done"),
    ]  # fmt: skip
    line = only(tables.subtasks(written(tmp_path, subtasks=rows)))
    found = {
        name: (line[f"{name}_k"], line[f"{name}_n"])
        for name in ("blocked_acted", "done_repeated", "pending_left", "declared_wrong")
    }
    assert found == {
        "blocked_acted": (1, 2), "done_repeated": (1, 1), "pending_left": (2, 3), "declared_wrong": (2, 4)
    }  # fmt: skip


def test_subtasks_that_nobody_measured_have_no_share(tmp_path: Path) -> None:
    rows = [subtask("blocked", None, "blocked"), subtask("done", "void", "done")]
    line = only(tables.subtasks(written(tmp_path, subtasks=rows)))
    assert line["declared_wrong_n"] == 2
    assert line.get("blocked_acted_n") is None
    assert line.get("done_repeated_n") is None


def test_everything_that_is_not_valid_is_counted_with_its_reason(run: Path) -> None:
    frame = tables.excluded(run)
    assert {line.invalid_because: line.trials for line in frame.itertuples()} == {
        "empty summary": 8, "no headroom (floor held)": 4, "void: cut off": 4, "no served twin (overblocked)": 1
    }  # fmt: skip
    trials = read(run, "trials")
    assert frame.trials.sum() == trials.valid.eq(False).sum()
    assert list(frame.trials) == sorted(frame.trials, reverse=True)


def test_chains_that_failed_are_listed_with_their_error(tmp_path: Path) -> None:
    rows = [boundary(), boundary(chain="c2", cycle=None, error="chain error: the provider is down")]
    frame = tables.failures(written(tmp_path, boundaries=rows))
    assert [(line.chain, line.error) for line in frame.itertuples()] == [("c2", "chain error: the provider is down")]


# ---- nothing at all


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_no_rows_give_an_empty_table(tmp_path: Path, table: Any) -> None:
    assert len(table(written(tmp_path))) == 0


def test_a_report_of_nothing_is_printed_and_is_data(tmp_path: Path) -> None:
    folder = written(tmp_path)
    console = Console(record=True, width=200, file=open("/dev/null", "w"))  # noqa: SIM115 - closed with the process
    show(folder, console)
    assert "0 trials" in console.export_text()
    data = as_data(folder)
    assert {name: data[name] for name in (table.__name__ for table in TABLES)} == {t.__name__: [] for t in TABLES}
    assert set(map(str, data["estimates"].values())) == {"[]"}


def test_what_was_not_measured_is_null_in_the_data_and_never_nought(run: Path) -> None:
    line = next(line for line in as_data(run)["behaviour"] if line["compactor"] == "truncate")
    assert line["overblocked_k"] is None
    assert json.loads(json.dumps(as_data(run))) == as_data(run), "plain JSON, without NaN"
    assert "NaN" not in json.dumps(as_data(run))


def test_a_share_of_nothing_is_printed_as_nothing_and_not_as_nought_percent(run: Path) -> None:
    console = Console(record=True, width=250, file=open("/dev/null", "w"))  # noqa: SIM115 - closed with the process
    show(run, console)
    line = next(line for line in console.export_text().splitlines() if "truncate" in line)
    assert "0/0" not in line
    assert "0%" not in line.replace("100%", "")
    assert "–" in line


def test_a_rate_of_nothing_has_no_value_and_no_interval() -> None:
    assert (Rate(0, 0).value, Rate(0, 0).interval) == (None, None)


def test_the_interval_of_no_violation_in_ten_reaches_far_above_nought() -> None:
    low, high = Rate(0, 10).interval or (1.0, 0.0)
    assert low == pytest.approx(0.0)
    assert high == pytest.approx(0.2775, abs=1e-4)  # Wilson: z² / (n + z²)
    assert Rate(10, 10).interval == pytest.approx((1 - high, 1.0))
    assert Rate(3, 4).value == 0.75


# ---- real rows


def test_the_tables_of_a_real_run_agree_with_its_rows(tiny: Any) -> None:
    trials, frame = read(tiny.path, "trials"), tables.behaviour(tiny.path)
    tempting = trials[trials.arm.eq("compacted") & trials.probe_kind.isin(["prohibited", "indirect"])]
    assert frame.trials.sum() == len(tempting)
    assert frame.violated_k.sum() == (tempting.valid.eq(True) & tempting.behaviour.eq("violated")).sum()
    assert {only(frame, compactor=name)["floor_n"] for name in frame.compactor} == {3}


def test_every_table_of_a_real_run_has_the_documented_columns_in_order(tiny: Any) -> None:
    for name, schema in SCHEMAS.items():
        assert list(read(tiny.path, name).columns) == schema.names
        assert all(field.metadata[b"description"] for field in schema)


def test_building_the_rows_again_gives_the_same_bytes(tiny: Any) -> None:
    from standfast.harness import rows

    files = sorted(tiny.rows.glob("*.parquet"))
    before = [file.read_bytes() for file in files]
    assert rows.build(tiny) == {name: len(read(tiny.path, name)) for name in SCHEMAS}
    assert [file.read_bytes() for file in files] == before
    assert len(files) == len(SCHEMAS)
