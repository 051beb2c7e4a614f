"""The list of compactors: what is said of each, and the table of it in the README."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest
from standfast.harness import cli, compactors, listing
from standfast.harness.faults import BadInput
from typer.testing import CliRunner

README = Path(__file__).parents[2] / "README.md"


def printed(*arguments: str) -> str:
    found = CliRunner().invoke(cli.app, ["list", *arguments])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_the_table_in_the_readme_is_the_one_that_the_command_prints() -> None:
    _, begun, rest = README.read_text().partition("<!-- compactors -->\n")
    table, ended, _ = rest.partition("<!-- /compactors -->")
    assert begun
    assert ended
    assert table.strip() == printed("compactors", "--markdown").strip()


def test_every_compactor_says_its_kind_what_it_keeps_where_originals_go_and_what_is_shown() -> None:
    lines = json.loads(printed("compactors", "--json"))
    assert [line["name"] for line in lines] == list(compactors.BUNDLED)
    for line in lines:
        assert line["kind"] in ("model-written", "mechanical", "opaque")
        assert all(line[key] for key in ("keeps", "originals", "shows", "installed", "about"))
        assert ("budget" in line["settings"]) == (line["kind"] == "model-written")
        assert set(line["choices"]) <= set(line["settings"])
        if line["kind"] != "opaque":  # a provider may clear things without writing any
            assert (line["kind"] == "mechanical") == (line["shows"] == "nothing is written")


def test_without_its_package_a_compactor_is_listed_with_the_extra_that_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    (langmem,) = [line for line in listing.lines("compactors", []) if line["name"] == "langmem"]
    (split,) = [line for line in listing.lines("compactors", []) if line["name"] == "split"]
    assert (langmem["available"], langmem["installed"]) == (False, "extra langgraph")
    assert (split["available"], split["installed"]) == (True, "built in")


def test_the_table_does_not_depend_on_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    table = listing.markdown("compactors")
    monkeypatch.setattr(compactors, "package_version", lambda spec: None)
    assert listing.markdown("compactors") == table


def test_only_compactors_have_a_table() -> None:
    with pytest.raises(BadInput, match="not of worlds"):
        listing.markdown("worlds")


def test_a_terminal_shows_less_than_json() -> None:
    assert "choices" not in printed("compactors")
    assert "langmem" in printed("compactors")
