"""`standfast init`: a starter that passes check, runs with every verb, and overwrites nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from standfast.harness import cli
from standfast.harness.checking.requirements import CANARY
from standfast.harness.checking.verdict import verdict
from standfast.harness.starting import NAME, SCHEMA, start

Standfast = Callable[..., tuple[int, str, str]]


@pytest.fixture
def standfast(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Standfast:
    """The command line in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def ended(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["standfast", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return (code, *capsys.readouterr())

    return ended


@pytest.mark.parametrize("seed", [2, 7, 23])
def test_the_starter_passes_every_check_under_several_seeds(tmp_path: Path, seed: int) -> None:
    start(tmp_path)
    assert verdict(tmp_path / NAME, seed=seed).faults == ()


def test_the_starter_lacks_nothing_of_a_bundled_scenario_but_the_suites_canary(tmp_path: Path) -> None:
    start(tmp_path)
    (fault,) = verdict(tmp_path / NAME, strict=True).faults
    assert CANARY in fault


def test_it_writes_two_files_and_says_what_to_do_next(standfast: Standfast, tmp_path: Path) -> None:
    code, out, _ = standfast("init", "pack")
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "pack").iterdir()) == sorted([NAME, SCHEMA])
    assert json.loads((tmp_path / "pack" / SCHEMA).read_text())["title"] == "standfast-scenario/1"
    assert (tmp_path / "pack" / NAME).read_text().startswith(f"# yaml-language-server: $schema={SCHEMA}\n")
    assert f"standfast check pack/{NAME}" in out


@pytest.mark.parametrize("there", [NAME, SCHEMA])
def test_nothing_is_overwritten(standfast: Standfast, tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine")
    code, out, err = standfast("init", ".")
    assert (code, out) == (2, "")
    assert f"{there}: is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"


def test_a_place_that_is_no_folder_is_bad_input(standfast: Standfast, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert standfast("init", "file")[0] == 2


def test_a_private_pack_has_the_rights_of_the_bundled_ones_in_every_verb(standfast: Standfast) -> None:
    standfast("init", "mine")
    with_pack = ("--scenarios", "mine")
    listed = json.loads(standfast("list", "scenarios", "--json", *with_pack)[1])
    assert listed[-1]["id"] == "my-first-scenario"
    assert listed[-1]["pack"] == "mine"
    assert "reports-stay" in standfast("show", "my-first-scenario", *with_pack)[1]
    assert standfast("check", "my-first-scenario", *with_pack)[0] == 0
    assert standfast("check", "mine", "--coverage", *with_pack)[0] == 0
    asked = ("-m", "scripted/reader", "--writer", "scripted/dropping", "-c", "truncate", "--window", "0")
    code, _, err = standfast("run", "-s", "mine", *with_pack, *asked, "--limit", 3, "--out", "run", "--json")
    assert code == 0, err
