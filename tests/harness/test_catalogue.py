"""Finding scenarios: by id, family, pack, file and folder, and what is said where nothing fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from standfast.harness import catalogue
from standfast.harness.catalogue import BUNDLED, cards, files, one, select
from standfast.harness.faults import BadInput
from standfast.harness.scenario import Scenario

F12 = BUNDLED / "core" / "f12-contract-files.yaml"


def ids(*names: str, folders: tuple[Path, ...] = ()) -> list[str]:
    return [each.id for each in cards(names, folders)]


def fault(*names: str, folders: tuple[Path, ...] = ()) -> str:
    with pytest.raises(BadInput) as caught:
        select(names, folders)
    return str(caught.value)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user's with one pack of one scenario."""
    pack = tmp_path / "mine" / "legal"
    pack.mkdir(parents=True)
    (pack / "own.yaml").write_text(F12.read_text().replace("id: f12-contract-files", "id: own-contract", 1))
    return tmp_path / "mine"


def test_without_a_name_every_bundled_scenario_is_chosen_once() -> None:
    assert len(ids()) == len(set(ids())) == len(files()) >= 6


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_bundled_scenario_is_found_by_its_id_which_is_its_file_name_and_by_its_family(path: Path) -> None:
    card = catalogue.card(path)
    assert card.id == path.stem
    assert ids(path.stem) == [path.stem]
    assert card.id in ids(card.family)
    assert path.parent.name != "core" or card.family.lower() == path.stem.partition("-")[0]


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_what_a_card_says_without_loading_is_what_the_file_says(bundled: Callable[[str], Scenario], path: Path) -> None:
    card, found = catalogue.card(path), bundled(path.stem)
    assert (card.id, card.family, card.world, card.rules) == (
        *(found.id, found.family, found.world.name),
        len(found.rules),
    )
    assert card.title in (found.title, "")


def test_a_family_is_found_in_either_case_and_a_pack_by_its_folder() -> None:
    assert "f12-contract-files" in ids("F12")
    assert ids("F12") == ids("f12")
    assert all(each.path.parent.name == "core" for each in cards(["core"]))
    assert set(ids("core")) == {path.stem for path in files() if path.parent.name == "core"}


def test_names_that_overlap_choose_a_scenario_once_in_the_order_of_the_names() -> None:
    assert ids("f12-contract-files", str(F12)) == ["f12-contract-files"]
    assert ids("F12", "f12-contract-files", str(F12)) == ids("F12")
    assert ids("F16", "F12")[0].startswith("f16")


def test_a_file_and_a_folder_are_chosen_by_their_path(mine: Path) -> None:
    assert ids(str(mine / "legal" / "own.yaml")) == ["own-contract"]
    assert ids(str(mine)) == ["own-contract"]


def test_a_folder_of_the_users_adds_to_the_bundled_ones(mine: Path) -> None:
    assert ids(folders=(mine,)) == [*ids(), "own-contract"]
    assert ids("own-contract", folders=(mine,)) == ids("legal", folders=(mine,)) == ["own-contract"]
    assert {each.pack for each in cards(["F12"], [mine])} >= {"core", "legal"}
    assert [each.pack for each in select(["own-contract"], [mine])] == ["legal"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f12-contract-file", "did you mean `f12-contract-files`?"),
        ("f12_contract_files", "did you mean `f12-contract-files`?"),
        ("coer", "did you mean `core`?"),
        ("F9", "did you mean `F"),
        ("nothing-like-it-at-all", "there is F01, F02"),
    ],
)
def test_a_name_that_fits_nothing_names_the_nearest_or_what_there_is(name: str, said: str) -> None:
    assert fault(name).startswith(f"scenario {name}: there is no scenario, family, pack or file of that name")
    assert said in fault(name)


def test_the_empty_name_is_not_the_working_directory(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine / "nameless.yaml").write_text("title: no id")
    monkeypatch.chdir(mine)
    assert fault("").startswith("scenario: ")
    assert fault("", folders=(mine,)).startswith("scenario: ")


def test_a_missing_file_says_so_by_its_name(tmp_path: Path) -> None:
    assert "cannot be read" in fault(str(tmp_path / "none.yaml"))


@pytest.mark.parametrize("what", ["none", "empty", "file"])
def test_a_folder_flag_that_names_no_folder_with_scenarios_is_bad_input(tmp_path: Path, what: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    assert str(tmp_path / what) in fault(folders=(tmp_path / what,))


def test_two_different_files_of_one_id_are_refused_and_two_equal_ones_are_one(mine: Path) -> None:
    twin = mine / "legal" / "twin.yaml"
    twin.write_text("# the same in other words\n" + (mine / "legal" / "own.yaml").read_text())
    assert [each.scenario.id for each in select(["own-contract"], [mine])] == ["own-contract"]
    twin.write_text(twin.read_text().replace("title: Contract", "title: Some contract", 1))
    assert "scenario own-contract: two files have this id; rename one" in fault("own-contract", folders=(mine,))


def test_one_broken_file_spoils_no_run_that_does_not_use_it(mine: Path) -> None:
    (mine / "legal" / "broken.yaml").write_text("id: broken\nfamily: F99\nrules: [\n")
    (mine / "legal" / "binary.yaml").write_bytes(b"\x00\xff")
    assert [each.scenario.id for each in select(["own-contract"], [mine])] == ["own-contract"]
    assert "broken.yaml:4" in fault("broken", folders=(mine,))
    assert "broken.yaml" in fault("F99", folders=(mine,))
    assert set(ids(folders=(mine,))) >= {"own-contract", "broken"}


def test_one_name_that_fits_several_lists_them(mine: Path) -> None:
    with pytest.raises(BadInput, match=r"names .* scenarios; one of .*f12-contract-files.*, own-contract"):
        one("F12", [mine])


def test_a_card_reads_id_and_family_without_loading_the_file(mine: Path) -> None:
    assert [(c.id, c.family, c.pack) for c in map(catalogue.card, files(mine))] == [("own-contract", "F12", "legal")]
    quoted = mine / "quoted.yaml"
    quoted.write_bytes(b"\xef\xbb\xbfid: 'q'   \nfamily: \"F03\"\n  id: inner\n")
    assert (catalogue.card(quoted).id, catalogue.card(quoted).family) == ("q", "F03")
    assert catalogue.card(mine / "none.yaml").id == ""
