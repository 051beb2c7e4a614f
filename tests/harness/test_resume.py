"""A run that is killed and started again ends with the rows of one that was left alone."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from standfast.harness import logs
from standfast.harness.rows import read

VOLATILE = ["run", "log", "sample_uuid"]
COMMAND = [
    sys.executable, "-c", "from standfast.harness.cli import main; main()", "run", "-s", "f12-contract-files",
    "-m", "scripted/reader", "-m", "scripted/violating", "--writer", "scripted/softening", "-c", "truncate",
    "-c", "inspect-neutral", "--window", "800", "--max-samples", "4", "--json", "--out",
]  # fmt: skip


def start(out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run_to_end(out: Path) -> list[str]:
    process = start(out)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return said.splitlines()


def kill_within_the_trials(out: Path, recorded: int) -> int:
    """Kills a run as soon as so many trials are in its logs; returns how many then were."""
    process = start(out)
    try:
        while process.poll() is None and len(logs.finished(out / "logs")) < recorded:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    return len(logs.finished(out / "logs"))


def stable(out: Path, table: str) -> pd.DataFrame:
    frame = read(out, table)
    return frame.drop(columns=[column for column in VOLATILE if column in frame])


@pytest.mark.parametrize("table", ["boundaries", "rules", "spans", "trials", "subtasks"])
def test_rows_after_three_kills_are_those_of_an_uninterrupted_run(both: tuple[Path, Path], table: str) -> None:
    whole, killed = (stable(out, table) for out in both)
    assert len(whole) > 0
    pd.testing.assert_frame_equal(whole, killed)


def test_no_trial_is_lost_and_none_counts_twice(both: tuple[Path, Path]) -> None:
    rows = read(both[1], "trials")
    cell = ["chain", "cycle", "arm", "residue_arm", "probe", "epoch", "actor"]
    assert not rows.duplicated(cell).any()
    assert rows.behaviour.ne("void").all()


def test_the_same_command_again_calls_no_model(both: tuple[Path, Path]) -> None:
    before = sorted((both[1] / "logs").rglob("*.eval"))
    said = run_to_end(both[1])
    assert sorted((both[1] / "logs").rglob("*.eval")) == before
    assert any(line.startswith("trials:") and line.endswith("done before") for line in said)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    whole, killed = tmp_path_factory.mktemp("whole") / "run", tmp_path_factory.mktemp("killed") / "run"
    run_to_end(whole)
    total, found = len(logs.finished(whole / "logs")), 0
    for third in range(3):
        # somewhere in each third: after the first flush, before the end
        point = random.randint(max(found + 1, third * total // 4), (third + 1) * total // 4)
        found = kill_within_the_trials(killed, point)
        assert 0 < found < total, "the kill has to fall between the first trial and the last"
    run_to_end(killed)
    return whole, killed
