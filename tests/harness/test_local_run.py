"""Real weights through langmem's real code. A smoke test of plumbing: the model is too small for any rate."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pytest
from standfast.graders.behaviour import Behaviour
from standfast.harness.cli import main
from standfast.harness.providers.smollm2 import SHA256, weights_path
from standfast.harness.rows import read

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or not weights_path().exists(),
    reason="needs the extra `local` and its weights: make weights",
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local") / "run"
    with pytest.MonkeyPatch.context() as patch:
        flags = ["-m", "local/smollm2", "-c", "langmem", "--limit", "4", "--window", "100", "--turns", "1"]
        patch.setattr("sys.argv", ["standfast", "run", "-s", "f12-contract-files", *flags, "--out", str(out), "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    return out


def test_the_boundary_fired_and_the_writer_was_asked(out: Path) -> None:
    (boundary,) = read(out, "boundaries").to_dict("records")
    assert pd.isna(boundary["error"])
    assert boundary["fired"]
    assert boundary["writer_calls"] == 1
    assert boundary["writer_tokens"] > 0
    assert boundary["summary"].strip()


def test_four_trials_have_a_label_and_their_usage(out: Path) -> None:
    trials = read(out, "trials")
    assert len(trials) == 4
    assert trials.behaviour.isin([str(label) for label in Behaviour]).all()
    assert trials.tokens_in.gt(0).all()
    assert trials.model_calls.eq(1).all()


def test_seed_and_weights_are_in_the_log(out: Path) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log_samples

    (log,) = list_eval_logs(str(out / "logs" / "replay"))
    for sample in read_eval_log_samples(log):
        (event,) = [event for event in sample.events if event.event == "model"]
        assert event.output.metadata["weights_sha256"] == SHA256
        assert event.output.metadata["seed"] == sample.metadata["seed"]
