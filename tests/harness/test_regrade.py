"""Rows can be made again later: elsewhere, with other graders, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from standfast.harness import arms, asking, compactors, replay, rows
from standfast.harness.folder import RunFolder
from standfast.harness.progress import Lines
from standfast.harness.rows import read
from standfast.harness.run import run


class Quiet(Lines):
    def _say(self, line: str) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    asked, found = asking.asked(
        scenarios=["f12-contract-files"],
        folders=[],
        models=["scripted/reader"],
        compactors=["inspect-neutral"],
        writers=["scripted/softening"],
        arms="",
        probes="",
        config={},
        model_args=[],
        window=600,
    )
    return run(asked, found, tmp_path_factory.mktemp("regrade") / "run", Quiet(None))  # type: ignore[arg-type]


def tables(folder: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rows.glob("*.parquet"))}


@contextmanager
def no_model() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "act", None)
        patch.setattr("inspect_ai.model.Model.generate", None)
        yield


def test_the_same_graders_give_the_same_bytes_and_ask_no_model(folder: RunFolder) -> None:
    before = tables(folder)
    assert len(before) == 5
    with no_model():
        rows.build(RunFolder(folder.path))
    assert tables(folder) == before


def test_a_grader_that_cuts_other_traces_still_finds_the_trials_that_were_run(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(folder.path, "trials")
    assert set(before.arm) >= {"removed", "residue"}
    monkeypatch.setattr(arms, "traces", lambda *_: [])
    rows.build(RunFolder(folder.path))
    pd.testing.assert_frame_equal(read(folder.path, "trials"), before)


def test_a_machine_without_the_runtime_grades_the_chains_that_it_drove(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tables(folder)
    monkeypatch.setattr(compactors, "package_version", lambda spec: None)
    rows.build(RunFolder(folder.path))
    assert tables(folder) == before


def test_a_grader_that_fails_costs_its_trial_and_says_so(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    from standfast.harness import grading

    def fails(*_: object) -> None:
        raise ZeroDivisionError("of a grader")

    monkeypatch.setattr(grading.grader, "reported", fails)
    rows.build(RunFolder(folder.path))
    trials = read(folder.path, "trials")
    status = trials[trials.probe_kind.eq("status")]
    assert status.behaviour.eq("void").all()
    assert status.reason.str.contains("ZeroDivisionError of a grader").all()
    assert trials[trials.probe_kind.ne("status")].behaviour.ne("void").all()


def test_a_folder_moved_elsewhere_is_still_a_run(folder: RunFolder, tmp_path: Path) -> None:
    rows.build(RunFolder(folder.path))
    moved = tmp_path / "run"
    folder.path.rename(moved)
    try:
        before = tables(RunFolder(moved))
        rows.build(RunFolder(moved))
        assert tables(RunFolder(moved)) == before
    finally:
        moved.rename(folder.path)
