"""The method's document says what the code does, and the citation names this version."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import yaml
from standfast.harness.report.method import refreshed

ROOT = Path(__file__).resolve().parents[2]
METHOD = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


def test_the_generated_parts_are_those_of_the_code() -> None:
    assert refreshed(METHOD) == METHOD, "run: python -m standfast.harness.report.method docs/method.md"


def test_every_mark_is_filled_and_a_changed_table_is_noticed() -> None:
    opened = re.findall(r"<!-- (\w+) -->", METHOD)
    assert sorted(opened) == ["behaviour", "estimators", "labels", "retention", "subtasks", "twins", "validity"]
    assert opened == re.findall(r"<!-- /(\w+) -->", METHOD)
    assert "an attempt is an act, whatever went wrong besides" in METHOD
    assert refreshed(METHOD.replace("positive evidence, nothing less", "good enough")) == METHOD


def test_the_citation_names_this_version_and_license() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (version("standfast"), "Apache-2.0")
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
