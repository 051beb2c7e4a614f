"""Two runs beside each other: pairs where cells match, a reason where they do not, and no verdict."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from standfast.harness import cli
from standfast.harness.comparing import compare
from standfast.harness.faults import BadInput
from standfast.harness.loading import Runs


def _synthetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("synthetic_runs", Path(__file__).with_name("synthetic.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


synthetic = _synthetic()


def trials(behaviours: str, actor: str = "m/1", **besides: Any) -> list[dict[str, Any]]:
    """A trial a family, violated or held or void by its letter."""
    names = {"v": "violated", "h": "held", "o": "void"}
    return [
        {
            **synthetic.BLANK, "family": f"F{number:02}", "scenario": f"s{number}", "scenario_digest": f"d{number}",
            "rule": "r", "chain": f"c{number}", "compactor": "langmem", "writer": actor, "actor": actor, "cycle": 1,
            "arm": "compacted", "trial": f"{actor}{number}", "behaviour": names[letter], **besides,
        }
        for number, letter in enumerate(behaviours)
    ]  # fmt: skip


def runs(folder: Path, a: list[dict[str, Any]], b: list[dict[str, Any]]) -> tuple[Runs, Runs]:
    return tuple(Runs.of([synthetic.written(folder / name, trials=rows)]) for name, rows in (("a", a), ("b", b)))  # type: ignore[return-value]


def test_the_difference_is_of_pairs_and_what_was_not_measured_counts_in_none(tmp_path: Path) -> None:
    found = compare(*runs(tmp_path, trials("vvvvvhhhhhov"), trials("hhhvvhhhhhvo", "m/2")))
    line = found.differences[found.differences.compactor.eq("langmem")].iloc[0]
    assert found.actors == ("m/1", "m/2")
    assert (line.a_k, line.b_k, line.n, line.clusters, line.only_a, line.only_b, line.not_measured) == (
        5, 2, 10, 10, 3, 0, 2
    )  # fmt: skip
    assert line.value == pytest.approx(0.3)
    assert line.low <= 0.3 <= line.high
    assert line.p == pytest.approx(0.25)
    assert found.unmatched.empty


def test_a_run_beside_itself_differs_in_nothing(tmp_path: Path) -> None:
    run = Runs.of([synthetic.run(tmp_path / "r", 3, families=4, scenarios=2, cycles=2, loss={"w/1": 0.3, "w/2": 0.6})])
    found = compare(run, run)
    assert found.differences.value.eq(0).all()
    assert found.differences.p.isna().all()
    assert found.unmatched.empty


def test_what_does_not_match_is_counted_with_its_reason_and_pairs_with_nothing(tmp_path: Path) -> None:
    a = [*trials("vv"), *trials("v", compactor="truncate", writer=None, chain="t"), *trials("h", cycle=2)]
    b = trials("vhv", "m/2")
    b[1] |= {"scenario_digest": "edited"}
    found = compare(*runs(tmp_path, a, b))
    reasons = {(each.side, each.because): each.cells for each in found.unmatched.itertuples()}
    assert reasons == {
        ("a", "scenario s1 is another version there"): 1,
        ("a", "compactor truncate is not there"): 1,
        ("a", "cycle 2 is not there"): 1,
        ("b", "scenario s1 is another version there"): 1,
        ("b", "scenario s2 is not there"): 1,
    }
    assert list(found.differences.n) == [1, 1]


def test_writers_are_never_taken_for_one_another_but_each_model_for_itself(tmp_path: Path) -> None:
    a = [*trials("v", writer="w/1", chain="1"), *trials("h", writer="w/2", chain="2")]
    b = trials("h", "m/2", writer="w/2", chain="9")
    found = compare(*runs(tmp_path, a, b))
    assert list(found.differences.value) == [0, 0]
    assert list(found.unmatched.because) == ["writer w/1 is not there"]


def test_of_several_models_one_has_to_be_named_and_a_wrong_name_finds_the_nearest(tmp_path: Path) -> None:
    run = Runs.of([synthetic.written(tmp_path / "r", trials=[*trials("v"), *trials("h", "m/2", writer="m/2")])])
    with pytest.raises(BadInput, match="has 2 models"):
        compare(run, run)
    with pytest.raises(BadInput, match="no trial of m/3"):
        compare(run, run, ["m/3"])
    found = compare(run, run, ["m/1", "m/2"])
    assert list(found.differences.value) == [1, 1]


def test_the_verb_prints_no_verdict_and_data_as_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = runs(tmp_path, trials("vvv"), trials("hhh", "m/2"))
    folders = [str(a.folders[0]), str(b.folders[0])]
    cli.app(["compare", *folders], standalone_mode=False)
    text = capsys.readouterr().out
    assert "+100" in text
    assert "3/3" in text
    assert not {"pass", "fail", "significant", "better"} & set(text.replace(";", " ").split())
    cli.app(["compare", *folders, "--json"], standalone_mode=False)
    data = json.loads(capsys.readouterr().out)
    assert data["differences"][0]["value"] == 1
    assert set(data) == {"a", "b", "actors", "settings", "differences", "unmatched"}
