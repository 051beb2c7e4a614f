"""From flags to a request: a wrong one is one message with the flag and the nearest right thing, and exit code 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from standfast.harness import asking, cli
from standfast.harness.faults import BadInput
from standfast.harness.plan import SELF, Arm, Asked

Ended = tuple[int, str, str]
Standfast = Callable[..., Ended]


@pytest.fixture
def standfast(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Standfast:
    """Runs the command line in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def ended(*arguments: str) -> Ended:
        monkeypatch.setattr("sys.argv", ["standfast", *arguments])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        return (code, *capsys.readouterr())

    return ended


RUN = ("run", "-s", "f12-contract-files", "-m", "scripted/reader", "-c", "truncate", "--window", "0")

BAD: list[tuple[tuple[str, ...], str, str]] = [
    (("-s", "f12-contract-file"), "scenario f12-contract-file: ", "did you mean `f12-contract-files`?"),
    (("-s", "F99"), "scenario F99: ", "did you mean `F"),
    (("-s", "none.yaml"), "none.yaml: ", "cannot be read"),
    (("--scenarios", "nowhere"), "nowhere: ", "scenario file"),
    (("-m", "scripted/reeder"), "-m: ", "did you mean `reader`?"),
    (("-m", "scripted/verbatim"), "-m: ", "there is no scripted actor `verbatim`"),
    (("-m", "gpt"), "-m: ", "a model is provider/name"),
    (("-m", "self"), "-m: ", "a model is provider/name"),
    (("-m", "nosuch/model"), "nosuch", "not recognized"),
    (("-m", "scripted/"), "-m: ", "there is no scripted actor ``"),
    (("--writer", "scripted/verbatm"), "--writer: ", "did you mean `verbatim`?"),
    (("--writer", "selv"), "--writer: ", "a model is provider/name"),
    (("--writer", "self", "--writer", "scripted/empty"), "--writer: ", "`self` stands alone"),
    (("-c", "trunkate"), "compactor trunkate: ", "did you mean `truncate`?"),
    (("-c", "truncate:kep=3"), "compactor truncate:kep=3: ", "did you mean `keep`?"),
    (("-c", "truncate:keep=all"), "compactor truncate:keep=all: ", "is a number"),
    (("-c", "inspect:prompt=onw"), "compactor inspect:prompt=onw: ", "did you mean `own`?"),
    (("--arms", "compated"), "--arms: ", "did you mean `compacted`?"),
    (("--arms", "floor;full"), "--arms: ", "is none of floor, full"),
    (("--arms", "Floor"), "--arms: ", "did you mean `floor`?"),
    (("--probes", "prohibitd"), "--probes: ", "did you mean `prohibited`?"),
    (("-M", "temperature"), "-M: ", "`temperature` is not name=value"),
    (("-M", "=3"), "-M: ", "`=3` is not name=value"),
    (("--out", "file"), "file: ", "is a file; --out names a folder"),
    (("--out", "full"), "full: ", "is neither empty nor a run folder"),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "place", "said"), BAD, ids=[" ".join(flags) for flags, _, _ in BAD])
def test_a_bad_flag_is_one_message_with_the_nearest_right_thing_and_exit_code_two(
    standfast: Standfast, tmp_path: Path, flags: tuple[str, ...], place: str, said: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("")
    before = sorted(tmp_path.rglob("*"))
    code, out, err = standfast(*RUN, *flags)
    assert code == 2, err
    assert out == ""
    assert "Traceback" not in err
    message = err.splitlines()[-1]
    assert message.startswith("standfast: ")
    assert place in message
    assert said in message
    assert sorted(tmp_path.rglob("*")) == before, "nothing is left behind"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",), (*RUN, "--cycles", "0"), (*RUN, "--cycles", "two"), (*RUN, "--draws", "0"), (*RUN, "--epochs", "-1"),
        (*RUN, "--limit", "0"), (*RUN, "--window", "-1"), (*RUN, "--turns", "0"), (*RUN, "--max-samples", "0"),
        (*RUN, "--ouut", "x"), ("rnu",), ("list",), ("list", "scenario"), ("list", "wrlds"), ("show",), ("show", "f13"),
        ("show", "core"), ("check", "nowhere"), ("report",), ("report", "nowhere"), ("regrade", "nowhere"),
        ("view", "nowhere"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_whatever_else_is_misused_ends_with_exit_code_two_and_no_traceback(
    standfast: Standfast, arguments: tuple[str, ...]
) -> None:
    code, out, err = standfast(*arguments)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert "Traceback" not in err


def test_a_list_that_there_is_not_names_the_nearest(standfast: Standfast) -> None:
    assert "did you mean `scenarios`?" in standfast("list", "scenario")[2]


def test_a_model_without_its_key_could_not_run_and_ends_with_exit_code_four(
    standfast: Standfast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    for name in ("OPENAI_API_KEY", "AZUREAI_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = standfast(*RUN[:3], "-m", "openai/gpt-4o", *RUN[5:])
    assert (code, out) == (4, "")
    assert "OPENAI_API_KEY" in err
    assert "[bold]" not in err
    assert list(tmp_path.iterdir()) == []


# ---- what comes out of flags


def request(**besides: Any) -> Asked:
    flags: dict[str, Any] = {
        "scenarios": ["F12"], "folders": [], "models": ["scripted/reader"], "compactors": ["truncate"], "writers": [],
        "arms": "", "probes": "", "config": {}, "model_args": [],
    }  # fmt: skip
    return asking.asked(**{**flags, **besides})[0]


def test_without_flags_all_arms_are_asked_for_all_probes_and_each_model_writes_for_itself() -> None:
    asked = request()
    assert asked.arms == tuple(str(arm) for arm in Arm)
    assert (asked.probes, asked.writers, asked.limit) == ((), (SELF,), None)


def test_lists_are_read_with_spaces_and_repeats() -> None:
    asked = request(arms=" compacted , floor,floor", probes="status,", models=["scripted/idle"] * 2)
    assert (asked.arms, asked.probes, asked.models) == (("compacted", "floor"), ("status",), ("scripted/idle",))


def test_compactors_are_named_by_what_differs_from_their_defaults() -> None:
    names = ["truncate:keep=8", "truncate", "truncate:keep=9"]
    assert request(compactors=names).compactors == ("truncate", "truncate:keep=9")


def test_an_actor_may_write_and_a_writer_may_not_act() -> None:
    assert request(writers=["scripted/reader"]).writers == ("scripted/reader",)
    with pytest.raises(BadInput):
        request(models=["scripted/empty"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("0.5", 0.5), ("true", True), ("null", None), ('["a", 1]', ["a", 1]), ("plain words", "plain words"),
        ("a=b", "a=b"), ("", ""), ("[", "["), ("2026-01-01", "2026-01-01"), ("no", "no"), ('"3"', "3"),
    ],
)  # fmt: skip
def test_an_argument_of_the_model_is_json_or_else_text_and_can_be_written_down(text: str, value: object) -> None:
    asked = request(model_args=[f"key={text}"])
    assert asked.model_args == {"key": value}
    json.dumps(asked.as_json(), allow_nan=False)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_an_argument_that_is_no_finite_number_can_be_written_down_too(number: str) -> None:
    json.dumps(request(model_args=[f"key={number}"]).as_json(), allow_nan=False)


def test_what_was_not_set_is_no_part_of_the_request() -> None:
    assert request(config={"temperature": None, "max_tokens": 5}).config == {"max_tokens": 5}
    assert request(config={"temperature": 0.0}).config == {"temperature": 0.0}


# ---- what cannot come out


def test_a_request_without_floor_full_or_twins_is_warned_of_and_a_whole_one_is_not() -> None:
    assert asking.warnings(request()) == []
    assert asking.warnings(request(arms="floor,full,compacted", probes="prohibited,sibling")) == []
    assert "floor and full" in asking.warnings(request(arms="compacted"))[0]
    assert "full" in asking.warnings(request(arms="floor,compacted"))[0]
    assert "sibling or permitted" in asking.warnings(request(probes="prohibited"))[0]
    assert asking.warnings(request(probes="resume,status")) == []
    assert asking.warnings(request(arms="floor,full")) == []


@pytest.mark.parametrize("flags", [("--arms", "compacted"), ("--arms", "floor,full"), ("--probes", "status")])
def test_a_narrow_request_still_runs_and_reports(standfast: Standfast, flags: tuple[str, ...]) -> None:
    code, out, err = standfast(*RUN, *flags, "--limit", "3", "--out", "run", "--json")
    assert code == 0, err
    assert json.loads(out)


# ---- settings


def test_a_settings_file_gives_defaults_and_a_flag_wins(standfast: Standfast, tmp_path: Path) -> None:
    (tmp_path / "standfast.toml").write_text('[run]\narms = "compated"\n')
    assert "did you mean `compacted`?" in standfast(*RUN)[2]
    code, _, err = standfast(*RUN, "--arms", "floor", "--limit", "1", "--out", "run", "--json")
    assert code == 0, err


def test_the_environment_stands_between_file_and_flag(
    standfast: Standfast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.standfast.run]\nprobes = "statuss"\n')
    assert "`statuss` is none of" in standfast(*RUN)[2]
    monkeypatch.setenv("STANDFAST_RUN_PROBES", "resum")
    assert "`resum` is none of" in standfast(*RUN)[2]


@pytest.mark.parametrize(
    "text", ["[run\n", "run = 3\n", "[run]\ncylces = 3\n", '[run]\ncycles = "many"\n', "[rnu]\ncycles = 2\n"]
)
def test_a_wrong_settings_file_is_bad_input(standfast: Standfast, tmp_path: Path, text: str) -> None:
    (tmp_path / "standfast.toml").write_text(text)
    code, out, err = standfast(*RUN, "--limit", "1", "--out", "run", "--json")
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nstandfast = 3\n", "[tool.standfast]\nrun = []\n"])
def test_a_pyproject_with_something_odd_in_our_place_is_bad_input(
    standfast: Standfast, tmp_path: Path, text: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    code, _, err = standfast("list", "worlds")
    assert code in (0, 2)
    assert "Traceback" not in err
