"""Run folders: ours are resumed, foreign ones are left alone, and a run that asks for something else is told so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from standfast.harness.catalogue import BUNDLED, Found
from standfast.harness.faults import BadInput
from standfast.harness.folder import RunFolder, open_for
from standfast.harness.plan import Asked
from standfast.harness.rows import read
from standfast.harness.scenario import Scenario

ASKED = Asked(
    ("f12-contract-files",), ("scripted/reader",), ("truncate",), config={"temperature": 0.5}, model_args={"a": [1]}
)
Edited = Callable[[Callable[[dict[str, Any]], None]], Scenario]


@pytest.fixture
def found(scenario: Scenario) -> list[Found]:
    return [Found(scenario, "core")]


def fault(path: Path, asked: Asked, found: list[Found]) -> str:
    with pytest.raises(BadInput) as caught:
        open_for(path, asked, found)
    return str(caught.value)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_new_folder_knows_what_was_asked_and_the_scenarios_as_they_were(tmp_path: Path, found: list[Found]) -> None:
    made = open_for(tmp_path / "a" / "run", ASKED, found)
    assert made.asked() == ASKED
    assert made.scenarios() == [found[0].scenario]
    assert [each.digest for each in made.scenarios()] == [found[0].scenario.digest]
    assert (made.name, made.pack("f12-contract-files")) == ("run", "core")
    assert made.version


def test_a_scenario_with_nulls_in_its_calls_keeps_its_digest_in_the_folder(tmp_path: Path, edited: Edited) -> None:
    def nulls(data: dict[str, Any]) -> None:
        data["probes"][0]["calls"][0]["send_mail"]["bcc"] = None
        data["rules"][0]["examples"]["allowed"][1]["send_mail"]["cc"] = None

    scenario = edited(nulls)
    made = open_for(tmp_path / "run", ASKED, [Found(scenario, "core")])
    assert made.scenarios()[0].digest == scenario.digest
    assert made.scenarios()[0].probes[0].calls[0].arguments["bcc"] is None


def test_an_existing_empty_folder_is_used(tmp_path: Path, found: list[Found]) -> None:
    assert open_for(tmp_path, ASKED, found).asked() == ASKED


def test_the_same_request_opens_the_folder_again(tmp_path: Path, found: list[Found]) -> None:
    open_for(tmp_path, ASKED, found)
    before = contents(tmp_path)
    open_for(tmp_path, ASKED, found)
    assert contents(tmp_path) == before


# ---- foreign folders


@pytest.mark.parametrize("name", ["notes.txt", "logs", "rows", ".git"])
def test_a_folder_that_holds_anything_else_is_refused_and_not_touched(
    tmp_path: Path, found: list[Found], name: str
) -> None:
    (tmp_path / name).mkdir() if "." not in name[1:] else (tmp_path / name).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    assert "is neither empty nor a run folder; name another --out" in fault(tmp_path, ASKED, found)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path, found: list[Found]) -> None:
    (tmp_path / "run").write_text("mine")
    assert "is a file; --out names a folder" in fault(tmp_path / "run", ASKED, found)
    assert (tmp_path / "run").read_text() == "mine"


BROKEN = [
    "", "{", "[]", "null", '"standfast/1"', "{}", '{"format": "other/1"}', '{"format": "standfast/99"}',
    '{"format": "standfast/1"}', '{"format": "standfast/1", "asked": 3, "scenarios": {}, "versions": {}}',
    '{"format": "standfast/1", "asked": {"models": ["a/b"]}, "scenarios": {}, "versions": {}}',
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
def test_a_run_json_that_is_not_ours_is_bad_input_and_stays_as_it_is(
    tmp_path: Path, found: list[Found], text: str
) -> None:
    (tmp_path / "run.json").write_text(text)
    assert "run.json" in fault(tmp_path, ASKED, found)
    assert contents(tmp_path) == {"run.json": text.encode()}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "standfast/99"}'])
def test_reading_a_foreign_folder_is_bad_input(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(BadInput, match=r"run\.json"):
        RunFolder(tmp_path)


def test_a_folder_without_run_json_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"it has no run\.json; `standfast run --out DIR` makes one"):
        RunFolder(tmp_path)
    with pytest.raises(BadInput, match="is no run folder"):
        RunFolder(tmp_path / "none")


def test_a_folder_without_rows_says_how_to_make_them(tmp_path: Path, found: list[Found]) -> None:
    with pytest.raises(BadInput, match="standfast regrade"):
        open_for(tmp_path, ASKED, found).with_rows()


# ---- another request


OTHERS: dict[str, Any] = {
    "scenarios": ("other",), "models": ("scripted/idle",), "compactors": ("langmem",), "writers": ("a/b",), "cycles": 2,
    "arms": ("floor",), "probes": ("status",), "draws": 2, "epochs": 2, "window": 1, "seed": 2, "turns": 1, "limit": 3,
    "config": {"temperature": 0.6}, "model_args": {}, "runtimes": {"langmem": "langmem 9"},
    "mitigations": ("pin",), "continuation": "resume",
}  # fmt: skip


@pytest.mark.parametrize("key", list(OTHERS))
def test_a_run_that_asks_for_something_else_is_refused_by_name_and_nothing_is_touched(
    tmp_path: Path, found: list[Found], key: str
) -> None:
    assert set(OTHERS) == set(ASKED.as_json())
    open_for(tmp_path, ASKED, found)
    before = contents(tmp_path)
    said = fault(tmp_path, replace(ASKED, **{key: OTHERS[key]}), found)
    assert f"holds a run with another {key} (" in said
    assert "name another --out, or ask for the same" in said
    assert contents(tmp_path) == before


def test_every_difference_is_named(tmp_path: Path, found: list[Found]) -> None:
    open_for(tmp_path, ASKED, found)
    said = fault(tmp_path, replace(ASKED, cycles=5, window=7), found)
    assert "cycles (1 there, 5 here)" in said
    assert "window (4000 there, 7 here)" in said


def test_a_field_that_an_older_version_did_not_know_has_its_default(tmp_path: Path, found: list[Found]) -> None:
    open_for(tmp_path, ASKED, found)
    run = json.loads((tmp_path / "run.json").read_text())
    del run["asked"]["turns"]
    run["asked"]["unheard_of"] = 1
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert RunFolder(tmp_path).asked() == ASKED


# ---- edited scenarios


def test_an_edited_scenario_is_no_other_run_and_the_folder_keeps_both(
    tmp_path: Path, found: list[Found], edited: Edited
) -> None:
    open_for(tmp_path, ASKED, found)
    changed = edited(lambda data: data.update(title="Another title"))
    again = open_for(tmp_path, ASKED, [Found(changed, "core")])
    assert again.scenarios() == [changed]
    assert len(list((tmp_path / "scenarios").glob("*.json"))) == 2


def test_a_scenario_file_of_the_folder_that_was_changed_by_hand_is_no_scenario_of_the_run(
    tmp_path: Path, found: list[Found]
) -> None:
    made = open_for(tmp_path, ASKED, found)
    file = tmp_path / "scenarios" / f"{found[0].scenario.digest}.json"
    file.write_text(file.read_text().replace("Contract files stay", "Contract files leave"))
    with pytest.raises(BadInput, match=found[0].scenario.digest):
        made.scenarios()
    file.unlink()
    with pytest.raises(BadInput, match=found[0].scenario.digest):
        made.scenarios()


def test_rows_of_an_edited_scenario_take_nothing_from_the_old_logs(
    small_run: Callable[..., RunFolder], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    text = (BUNDLED / "core" / "f12-contract-files.yaml").read_text()
    few: dict[str, Any] = {"scenarios": [str(file)], "arms": "floor,full,compacted", "probes": "prohibited,sibling"}
    rows = []
    for wording in ("so that they can start", "so that they can begin"):
        file.write_text(text.replace("so that they can start", wording))
        rows.append(read(small_run(tmp_path / "run", **few).path, "trials"))
    old, new = rows
    assert len(old) == len(new) > 0
    assert set(old.trial).isdisjoint(new.trial)
    assert set(old.chain).isdisjoint(new.chain)
    assert old.scenario_digest.nunique() == new.scenario_digest.nunique() == 1
    assert new.behaviour.ne("void").all()
