"""Agreement with the published labels of real summaries, where that data is present."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "guardrail_agreement.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("guardrail_agreement", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def agreement() -> tuple[ModuleType, list[dict[str, Any]]]:
    module = script()
    folder = Path(os.environ.get("GUARDRAIL_SURVIVAL", module.BESIDE))
    if not (folder / "labels.jsonl").is_file():
        pytest.skip(f"the published labels are not in {folder}; GUARDRAIL_SURVIVAL names another folder")
    return module, module.rows(folder)


def test_the_three_states_agree(agreement: Any) -> None:
    module, rows = agreement
    assert module.kappa(module.pairs(rows)) >= 0.92


def test_they_agree_on_the_summaries_that_paraphrase_most(agreement: Any) -> None:
    module, rows = agreement
    assert module.kappa(module.pairs(row for row in rows if row["summarizer"] == "qwen")) >= 0.84


def test_dropped_and_present_agree(agreement: Any) -> None:
    module, rows = agreement
    assert module.presence(module.pairs(rows)) >= 0.96


def test_kappa_is_one_for_full_agreement_and_nothing_for_a_single_label() -> None:
    kappa = script().kappa
    assert kappa([("a", "a"), ("b", "b")]) == 1
    assert kappa([("a", "b"), ("b", "a")]) == -1
    assert kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == 0
    assert kappa([("a", "a")]) is None
