"""Inspect finds our tasks and providers by itself: `inspect eval standfast/replay -T run=DIR`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from standfast.harness import _registry, logs
from standfast.harness.faults import BadInput
from standfast.harness.folder import RunFolder
from standfast.harness.rows import read


def inspect(folder: Path, task: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """`inspect eval` in an empty folder, as somebody would type it."""
    command = [sys.executable, "-m", "inspect_ai", "eval", task, *flags, "--display", "none", "--log-dir", "logs"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def log_of(folder: Path) -> EvalLog:
    found = list_eval_logs(str(folder / "logs"))
    assert len(found) == 1
    return read_eval_log(found[0])


@pytest.fixture(scope="module")
def tiny(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run of a few cells."""
    few = {"arms": "floor,full,compacted", "probes": "prohibited,sibling", "compactors": ["inspect-neutral"]}
    return small_run(tmp_path_factory.mktemp("few") / "run", writers=["scripted/dropping"], **few)


@pytest.fixture(scope="module")
def replayed(tiny: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    folder = tmp_path_factory.mktemp("inspect")
    done = inspect(folder, "standfast/replay", "-T", f"run={tiny.path}", "--model", "scripted/reader")
    assert done.returncode == 0, done.stdout + done.stderr
    return log_of(folder)


def test_inspect_finds_the_task_and_records_a_score_for_every_trial(replayed: EvalLog, tiny: RunFolder) -> None:
    assert replayed.status == "success"
    assert replayed.eval.task_registry_name == "standfast/replay"
    assert replayed.samples is not None
    assert {str(sample.id) for sample in replayed.samples} == {id for id, _ in logs.finished(tiny.logs)}
    assert all(sample.scores and "behaviour" in sample.scores for sample in replayed.samples)


def test_its_scores_are_the_labels_of_the_runs_own_rows(replayed: EvalLog, tiny: RunFolder) -> None:
    rows = read(tiny.path, "trials").drop_duplicates("trial")
    wanted = dict(zip(rows.trial, rows.behaviour, strict=True))
    found = {str(sample.id): (sample.scores or {})["behaviour"].value for sample in replayed.samples or []}
    assert found == wanted
    assert Counter(found.values())["violated"] > 0


def test_the_log_holds_the_digest_of_the_context_and_no_path_in_its_solver(replayed: EvalLog, tiny: RunFolder) -> None:
    sample = (replayed.samples or [])[0]
    assert set(sample.metadata) >= {"scenario", "scenario_digest", "source", "arm", "probe"}
    assert str(tiny.path) not in str(replayed.plan)


def test_a_run_replayed_by_inspect_changes_nothing_of_the_run(replayed: EvalLog, tiny: RunFolder) -> None:
    assert len(logs.finished(tiny.logs)) == len(replayed.samples or [])


def test_inspect_drives_the_chains_of_one_writer(tiny: RunFolder, tmp_path: Path) -> None:
    flags = ("-T", f"run={tiny.path}", "-T", "writer=scripted/dropping", "--model", "none/none")
    before = sorted(tiny.snapshots.rglob("*"))
    done = inspect(tmp_path, "standfast/compact", *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert log_of(tmp_path).status == "success"
    assert sorted(tiny.snapshots.rglob("*")) == before, "the same chains leave the same snapshots"


def test_a_folder_that_is_no_run_and_a_writer_that_it_has_not_are_said_by_name(tiny: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no run folder"):
        _registry.replay(run=str(tmp_path))
    with pytest.raises(BadInput, match="no chain of the writer scripted/empty"):
        _registry.compact(run=str(tiny.path), writer="scripted/empty")
