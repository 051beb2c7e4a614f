"""The tables of states, transitions, twins and symptoms, against rows written by hand; and grading a run again."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from standfast.graders import GRADER_VERSION
from standfast.harness import tables
from standfast.harness.cli import main
from standfast.harness.folder import RunFolder
from standfast.harness.report.terminal import show
from standfast.harness.rows import read
from standfast.harness.schemas import SCHEMAS

CHAIN = {"scenario": "s", "chain": "c1", "compactor": "langmem", "writer": "w/1", "cycle": 1, "actor": "m/1"}


def written(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    (folder / "rows").mkdir()
    for name, schema in SCHEMAS.items():
        columns = {field.name: [{**CHAIN, **row}.get(field.name) for row in rows.get(name, [])] for field in schema}
        pq.write_table(pa.table(columns, schema=schema), folder / "rows" / f"{name}.parquet")
    return folder


def counted(frame: pd.DataFrame, **keys: Any) -> dict[str, int]:
    """What the one line of these keys counts at all."""
    for key, value in keys.items():
        frame = frame[frame[key].eq(value)]
    assert len(frame) == 1, frame
    return {str(k): v for k, v in frame.iloc[0].items() if k not in CHAIN | keys and not pd.isna(v) and v != 0}


def subtask(planted: str, outcome: str | None = None, status: str | None = None, **said: Any) -> dict[str, Any]:
    return {"arm": "compacted", "planted": planted, "outcome": outcome, "status": status, **said}


def test_each_planted_state_is_counted_by_what_the_text_the_model_and_its_acts_took_it_for(tmp_path: Path) -> None:
    rows = [
        subtask("blocked", "acted_on_blocked", "served", stated="pending", declared="pending"),
        subtask("blocked", "respected", "overblocked", stated="blocked", declared=None),
        subtask("blocked", "void", "void", stated=None, declared="done"),
        subtask("blocked", None, None, stated=None),
        subtask("done", "repeated_done", "served", stated="done", declared="done"),
    ]
    frame = tables.confusion(written(tmp_path, subtasks=rows))
    assert counted(frame, planted="blocked", arm="compacted") == {
        "stated_pending": 1, "stated_blocked": 1, "stated_nothing": 2, "declared_pending": 1, "declared_nothing": 1,
        "acted_on_blocked": 1, "respected": 1,
    }  # fmt: skip
    assert counted(frame, planted="done", arm="compacted") == {"stated_done": 1, "declared_done": 1, "repeated_done": 1}


def test_a_declaration_of_a_void_trial_is_no_declaration(tmp_path: Path) -> None:
    rows = [subtask("blocked", None, "void", declared="done"), subtask("blocked", None, "served", declared="blocked")]
    line = tables.subtasks(written(tmp_path, subtasks=rows)).iloc[0]
    assert (line["declared_wrong_k"], line["declared_wrong_n"]) == (0, 1)


def test_a_transition_goes_from_the_cycle_before_within_one_chain_and_rule(tmp_path: Path) -> None:
    course = {
        ("c1", "r"): ["intact", "residue", "dropped"],
        ("c1", "q"): ["intact", "dropped", "residue"],
        ("c2", "r"): ["intact", None, "dropped"],
    }
    rows = [
        {"chain": chain, "rule": rule, "cycle": cycle, "retention": label}
        for (chain, rule), labels in course.items()
        for cycle, label in enumerate(labels)
    ]
    rows.append({"rule": "(invented)", "cycle": 1, "retention": "invented"})
    frame = tables.transitions(written(tmp_path, rules=rows))
    assert counted(frame, cycle=1, before="intact") == {"rules": 3, "residue": 1, "dropped": 1, "other": 1}
    assert counted(frame, cycle=2, before="residue") == {"rules": 1, "dropped": 1}
    assert counted(frame, cycle=2, before="dropped") == {"rules": 1, "residue": 1}
    assert counted(frame, cycle=2, before="other") == {"rules": 1, "dropped": 1}
    assert len(frame) == 4


def tempted(state: str | None, **besides: Any) -> dict[str, Any]:
    row = {"arm": "compacted", "probe_kind": "prohibited", "behaviour": "held", "rule": "r", "trial": "t"}
    return {**row, "twin_state": state, **besides}


def test_a_context_counts_once_however_many_probes_and_epochs_it_has(tmp_path: Path) -> None:
    rows = [
        tempted("armed"),
        tempted("armed", probe_kind="indirect", epoch=2),
        tempted("armed", probe_kind="sibling", rule="of another"),
        tempted("disarmed", rule="q"),
        tempted(None, chain="c2"),
        tempted("mixed", cycle=2),
    ]
    assert counted(tables.twin_states(written(tmp_path, trials=rows)), arm="compacted") == {
        "contexts": 4, "armed": 1, "disarmed": 1, "mixed": 1, "not_measured": 1
    }  # fmt: skip


def test_symptoms_are_means_a_trial_and_latency_a_median_over_violations(tmp_path: Path) -> None:
    def row(blocked: int, reads: int, turns: int | None = None, tokens: int | None = None, **besides: Any) -> Any:
        counts = {"blocked_calls": blocked, "repeated_reads": reads, "questions": 0}
        return tempted(None, **counts, turns_to_violation=turns, tokens_to_violation=tokens, **besides)

    rows = [row(1, 0, 1, 10), row(0, 3, 3, None), row(0, 0), row(9, 9, behaviour="void"), row(9, 9, trial=None)]
    line = tables.symptoms(written(tmp_path, trials=rows)).iloc[0]
    assert (line["trials"], line["blocked_calls"], line["repeated_reads"]) == (3, pytest.approx(1 / 3), 1.0)
    assert (line["turns"], line["tokens"]) == (2, 10)


def test_the_report_prints_every_table_of_a_real_run(tiny: RunFolder) -> None:
    console = Console(record=True, width=200, file=open("/dev/null", "w"))  # noqa: SIM115 - closed with the process
    show(tiny.path, console)
    text = console.export_text()
    for title in ("what it was taken for", "from one cycle to the next", "Does the rule act?", "What else it costs"):
        assert title in text
    assert "acted on blocked" in text


def test_the_twin_states_of_a_real_run_are_those_of_a_reader(tiny: RunFolder) -> None:
    frame = tables.twin_states(tiny.path)
    for arm, state in {"floor": "disarmed", "full": "armed"}.items():
        line = frame[frame.arm.eq(arm)].iloc[0]
        assert line[state] == line["contexts"] > 0


def test_grading_a_run_again_calls_no_model_and_gives_the_same_bytes(
    tiny: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a model was asked for")

    for place in ("get_model", "Model.generate"):
        monkeypatch.setattr(f"inspect_ai.model._model.{place}", called)
    before = digests(tiny.rows)
    again = shutil.copytree(tiny.path, tmp_path / tiny.name, ignore=shutil.ignore_patterns("rows"))
    monkeypatch.setattr("sys.argv", ["standfast", "regrade", str(again)])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code in (0, None)
    assert digests(again / "rows") == before
    assert set(read(again, "trials").grader_version) == {GRADER_VERSION}


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("*.parquet"))}
