"""Estimates recover what was planted in synthetic runs, and find nothing where nothing is."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import standfast
from standfast.harness import effects
from standfast.harness.faults import BadInput
from standfast.harness.loading import Runs
from standfast.harness.schemas import SCHEMAS


def _synthetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("synthetic_runs", Path(__file__).with_name("synthetic.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


synthetic = _synthetic()


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two writers with hazards 0.15 and 0.45; residues violate at 0.8."""
    run: Path = synthetic.run(
        tmp_path_factory.mktemp("planted") / "run", 1, loss={"w/careful": 0.15, "w/hasty": 0.45}, residue=0.8
    )
    return run


def line(frame: pd.DataFrame, **keys: Any) -> pd.Series:
    for key, value in keys.items():
        frame = frame[frame[key].eq(value)]
    assert len(frame) == 1, frame
    return frame.iloc[0]


def within(found: pd.Series, truth: float, slack: float = 0.0) -> bool:
    return bool(found.low - slack <= truth <= found.high + slack)


def test_a_planted_residue_effect_is_recovered(planted: Path) -> None:
    for writer in ("w/careful", "w/hasty"):
        found = line(effects.contrasts(planted), contrast="residue - restored", writer=writer)
        assert within(found, 0.8)
        assert found.clusters == 24
        assert found.n == 24 * 3 * 4
        assert found.p < 0.001


def test_a_planted_loss_is_recovered_as_a_difference_to_full_and_to_floor(planted: Path) -> None:
    frame = effects.contrasts(planted)
    for writer, hazard in (("w/careful", 0.15), ("w/hasty", 0.45)):
        lost = np.mean([1 - (1 - hazard) ** cycle for cycle in range(1, 5)])
        violated = lost * (0.5 * 0.8 + 0.5)
        assert within(line(frame, contrast="compacted - full", writer=writer), violated, 0.02)
        assert within(line(frame, contrast="compacted - floor", writer=writer), violated - 1, 0.02)


def test_planted_hazards_are_recovered_with_their_kaplan_meier_curve(planted: Path) -> None:
    frame = effects.survival(planted, "loss")
    for writer, hazard in (("w/careful", 0.15), ("w/hasty", 0.45)):
        lines = frame[frame.writer.eq(writer)]
        assert list(lines.cycle) == [1, 2, 3, 4]
        covered = lines.hazard_low.le(hazard + 0.02) & lines.hazard_high.ge(hazard - 0.02)
        assert covered.mean() >= 0.75
        last = lines.iloc[-1]
        assert within(last, (1 - hazard) ** 4, 0.03)


def test_the_first_violation_comes_no_earlier_than_the_first_loss(planted: Path) -> None:
    loss, violation = effects.survival(planted, "loss"), effects.survival(planted, "violation")
    for writer in ("w/careful", "w/hasty"):
        early = loss[loss.writer.eq(writer)].value.to_numpy()
        late = violation[violation.writer.eq(writer)].value.to_numpy()
        assert (late >= early - 1e-9).all()


def test_a_planted_effect_of_the_writer_stands_in_the_crossing_and_none_of_the_actor(tmp_path: Path) -> None:
    run = synthetic.run(tmp_path / "run", 5, loss={"w/a": 0.1, "w/b": 0.5}, actors=("m/1", "m/2"))
    frame = effects.crossing(run).set_index(["writer", "actor"]).value
    assert frame["w/b", "m/1"] - frame["w/a", "m/1"] > 0.2
    assert abs(frame["w/a", "m/1"] - frame["w/a", "m/2"]) < 0.1


def test_decay_grows_by_cycle_and_says_what_it_rests_on(planted: Path) -> None:
    frame = effects.decay(planted)
    hasty = frame[frame.writer.eq("w/hasty")].sort_values("cycle")
    assert hasty.value.is_monotonic_increasing
    assert hasty.n.eq(72).all()
    assert hasty.clusters.eq(24).all()
    assert hasty.excluded.eq(0).all()


def test_a_wording_is_worth_what_was_planted(planted: Path) -> None:
    frame = effects.residue_value(planted)
    assert within(line(frame, wording="softened"), 0.8)
    assert line(frame, wording="restored").value == 0
    assert line(frame, wording="removed").value == 1


def test_without_an_effect_false_alarms_stay_at_the_nominal_rate(tmp_path: Path) -> None:
    """Residues that violate as often as the rule itself does: half of the time, both."""
    alarms = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        trials = []
        for family in range(16):
            own = random.uniform(0.2, 0.8)
            for scenario in range(4):
                for arm in ("residue", "restored"):
                    behaviour = "violated" if random.uniform() < own else "held"
                    trials.append(
                        {
                            **synthetic.BLANK, "family": f"F{family}", "scenario": f"{family}-{scenario}", "rule": "r",
                            "scenario_digest": f"{family}-{scenario}", "chain": f"c{family}-{scenario}",
                            "cycle": 1,
                            "actor": "m/1", "compactor": "langmem", "writer": "w", "arm": arm,
                            "behaviour": behaviour,
                            "residue_arm": "softened" if arm == "residue" else None,
                            "trial": f"{family}{scenario}{arm}",
                        }
                    )  # fmt: skip
        run = synthetic.written(tmp_path / str(seed), trials=trials)
        found = line(effects.contrasts(run), contrast="residue - restored")
        alarms.append(not within(found, 0.0))
    assert np.mean(alarms) <= 0.1


def test_what_was_not_measured_is_excluded_and_counted(tmp_path: Path) -> None:
    base = {
        **synthetic.BLANK, "family": "F1", "scenario": "s", "scenario_digest": "s", "rule": "r", "cycle": 1,
        "actor": "m/1",
    }  # fmt: skip
    rows = []
    for epoch, (behaviour, because) in enumerate(
        [
            ("violated", None),
            ("held", "no headroom (floor held)"),
            ("void", "void: cut off"),
            ("violated", "empty summary"),
            ("violated", "no served twin (overblocked); non-summary"),
        ],
        start=1,
    ):
        about = {**base, "epoch": epoch, "valid": because is None, "invalid_because": because}
        rows.append(
            {
                **about,
                "arm": "compacted",
                "compactor": "langmem",
                "writer": "w",
                "chain": "c",
                "behaviour": behaviour,
                "trial": f"c{epoch}",
            }
        )
        rows.append(
            {
                **base,
                "epoch": epoch,
                "arm": "full",
                "compactor": "none",
                "chain": "n",
                "behaviour": "held",
                "trial": f"f{epoch}",
            }
        )
    run = synthetic.written(tmp_path / "run", trials=rows)
    found = line(effects.contrasts(run), contrast="compacted - full")
    assert (found.n, found.excluded, found.value) == (2, 3, 0.5)
    decay = line(effects.decay(run), cycle=1)
    assert (decay.n, decay.trials, decay.excluded, decay.value) == (1, 5, 4, 1.0)


def test_a_run_without_any_row_gives_empty_tables(tmp_path: Path) -> None:
    run = synthetic.written(tmp_path / "run")
    for table in (
        effects.contrasts,
        effects.decay,
        effects.residue_value,
        effects.survival,
        effects.spread,
        effects.cost,
    ):
        assert table(run).empty


# ---- loading


def test_many_runs_are_loaded_as_one_and_no_log_is_needed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        synthetic.run(tmp_path / "runs" / name, 3, families=2, cycles=1)
    one, both = standfast.load(tmp_path / "runs" / "a"), standfast.load(tmp_path / "runs")
    assert isinstance(both, Runs)
    assert len(both.trials) == 2 * len(one.trials)
    assert both.arrow("trials", ["arm"]).column_names == ["arm"]
    assert set(both.columns("rules")) == set(SCHEMAS["rules"].names)
    assert effects.decay(both).n.sum() == 2 * effects.decay(one).n.sum()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda runs: runs.arrow("trails"), "did you mean `trials`"),
        (lambda runs: runs.arrow("trials", ["behavior"]), "did you mean `behaviour`"),
    ],
)
def test_a_table_or_column_that_is_not_there_names_the_nearest(tmp_path: Path, ask: Any, said: str) -> None:
    run = standfast.load(synthetic.run(tmp_path / "run", 3, families=2, cycles=1))
    with pytest.raises(BadInput, match=said):
        ask(run)


def test_a_folder_without_rows_or_with_rows_of_another_version_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no rows of a run"):
        standfast.load(tmp_path)
    with pytest.raises(BadInput, match="names no run"):
        standfast.load()
    import pyarrow as pa
    import pyarrow.parquet as pq

    run = synthetic.run(tmp_path / "run", 3, families=2, cycles=1)
    pq.write_table(pa.table({"run": ["x"]}), run / "rows" / "trials.parquet")
    with pytest.raises(BadInput, match=r"lacks the column .* of this version"):
        standfast.load(run)


def test_the_columns_are_documented_beside_the_results() -> None:
    from standfast.harness.schemas import document

    assert (Path(__file__).resolve().parents[2] / "results" / "README.md").read_text(encoding="utf-8") == document()
