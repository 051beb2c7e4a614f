"""Whose block it is: no run is planned in which another provider's model would write or meet it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from standfast.harness import compactors, owners
from standfast.harness.faults import BadInput
from standfast.harness.plan import SELF, Asked, cells, chains
from standfast.harness.scenario import Scenario

CLAUDE, GPT, SCRIPTED = "anthropic/claude-opus-4-6", "openai/gpt-5.4", "scripted/reader"
OPAQUE = {name: entry.provider for name, entry in compactors.BUNDLED.items() if entry.opaque and entry.provider}


def asked(compactor: str, writers: tuple[str, ...], models: tuple[str, ...]) -> Asked:
    return Asked(("f12-contract-files",), models, compactors=(compactor,), writers=writers, cycles=1)


@pytest.mark.parametrize(
    ("compactor", "writers", "models", "blamed"),
    [
        ("claude-demand", (CLAUDE,), (GPT,), f"the actor `{GPT}`"),
        ("claude-demand", (CLAUDE,), (CLAUDE, SCRIPTED), f"the actor `{SCRIPTED}`"),
        ("claude-threshold", (GPT,), (CLAUDE,), f"the writer `{GPT}`"),
        ("claude-clear", ("scripted/verbatim",), (CLAUDE,), "the writer `scripted/verbatim`"),
        ("openai-responses", (GPT,), (CLAUDE,), f"the actor `{CLAUDE}`"),
        ("openai-responses", (GPT, CLAUDE), (GPT,), f"the writer `{CLAUDE}`"),
        (
            "openai-agents-responses:trigger=threshold",
            ("openai-api/x/gpt-5.4",),
            (GPT,),
            "the writer `openai-api/x/gpt-5.4`",
        ),
        ("openai-responses", (SELF,), (GPT, CLAUDE), f"the writer `{CLAUDE}`"),
    ],
)
def test_a_crossing_is_refused_with_compactor_writer_and_actor(
    scenario: Scenario, compactor: str, writers: tuple[str, ...], models: tuple[str, ...], blamed: str
) -> None:
    with pytest.raises(BadInput) as refused:
        chains(asked(compactor, writers, models), [scenario])
    said = str(refused.value)
    assert said.startswith(f"compactor {compactor}: writer ")
    assert "actor " in said
    assert blamed in said


@pytest.mark.parametrize("writers", [(CLAUDE,), (SELF,)])
def test_models_of_the_provider_may_write_and_act(scenario: Scenario, writers: tuple[str, ...]) -> None:
    what = asked("claude-demand", writers, (CLAUDE, "anthropic/bedrock/claude-sonnet-4-6"))
    planned = chains(what, [scenario])
    assert len(planned) == (2 if writers == (CLAUDE,) else 3)
    assert {cell.chain.compactor.name for cell in cells(what, planned)} == {"none", "claude-demand"}


def test_other_compactors_may_be_written_and_met_by_anybody(scenario: Scenario) -> None:
    for name in ("none", "truncate", "langmem", "openai-agents-summary"):
        owners.check(compactors.parse(name), SCRIPTED, [GPT, CLAUDE])


def test_where_any_provider_may_compact_the_block_is_the_writer_s(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(compactors.BUNDLED["openai-responses"], provider=None)
    monkeypatch.setitem(compactors.BUNDLED, "openai-responses", entry)
    spec = compactors.parse("openai-responses")
    owners.check(spec, CLAUDE, [CLAUDE])
    with pytest.raises(BadInput, match=f"the actor `{GPT}` is no anthropic model"):
        owners.check(spec, CLAUDE, [CLAUDE, GPT])


def test_every_block_has_an_owner() -> None:
    assert {name for name in compactors.BUNDLED if name.startswith("claude-")} <= set(OPAQUE)
    assert OPAQUE["openai-responses"] == OPAQUE["openai-agents-responses"] == "openai"


def test_the_command_line_ends_with_two_and_leaves_no_folder(tmp_path: Path) -> None:
    code = "from standfast.harness.cli import main; raise SystemExit(main())"
    command: list[Any] = [
        sys.executable, "-c", code, "run", "-m", SCRIPTED, "--writer", "scripted/verbatim",
        "-c", "claude-demand", "-s", "f12-contract-files", "--out", tmp_path / "run",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "compactor claude-demand: writer scripted/verbatim, actor scripted/reader" in " ".join(done.stderr.split())
    assert not (tmp_path / "run").exists()
