"""Compaction by the providers themselves in whole runs, both stages, through the real SDKs against loopback servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import pytest
from loopback_models import Native, native
from loopback_views import actor_of, writer_of
from standfast.harness import retained
from standfast.harness.blocks import block_of, provider_of
from standfast.harness.folder import RunFolder
from standfast.harness.messages import dump, load, normalise
from standfast.harness.rows import read
from standfast.harness.scenario import Scenario
from standfast.harness.snapshots import Snapshot, Store, boundary_of

CYCLES = 3
PROVIDERS = {"claude-threshold": "anthropic", "claude-demand": "anthropic", "openai-responses": "openai"}
CLAUDE = ["claude-threshold", "claude-demand"]


@dataclass(frozen=True)
class Ran:
    folder: RunFolder
    native: Native
    provider: str

    @property
    def snapshots(self) -> list[Snapshot]:
        store = Store(self.folder.snapshots)
        chain = next(
            path.stem for path in (self.folder.snapshots / "chains").glob("*.json") if ".none." not in path.name
        )
        return [store.get(key) for key in store.finished(chain) or []]

    def trials(self, arm: str, kind: str) -> pd.DataFrame:
        rows = read(self.folder.path, "trials")
        return rows[rows.arm.eq(arm) & rows.probe_kind.eq(kind) & rows.cycle.gt(0)]


@pytest.fixture(scope="module", params=list(PROVIDERS))
def ran(
    request: Any, scenario: Scenario, small_run: Callable[..., RunFolder], tmp_path_factory: Any
) -> Iterator[tuple[str, Ran]]:
    """A run of three boundaries: the writer drops the rule, the actor obeys what it still reads."""
    name, provider = request.param, PROVIDERS[request.param]
    with native() as servers:
        servers.claude.writer = servers.openai.writer = writer_of(scenario, "dropping")
        servers.claude.actor = servers.openai.actor = actor_of(scenario, "reader")
        folder = small_run(
            tmp_path_factory.mktemp(name) / "run",
            compactors=[name],
            models=[servers.name(provider)],
            writers=[servers.name(provider)],
            model_args=[f"{key}={value}" for key, value in servers.args(provider).items()],
            probes="prohibited,permitted,sibling",
            arms="floor,full,compacted,removed,restored",
            cycles=CYCLES,
            options={"max_retries": 0},
        )
        yield name, Ran(folder, servers, provider)


def test_every_boundary_fires_and_is_no_fault(ran: tuple[str, Ran]) -> None:
    name, run = ran
    rows = read(run.folder.path, "boundaries").query("compactor != 'none'")
    assert len(rows) == CYCLES, rows[["error"]]
    assert rows.fired.eq(True).all()
    assert rows.fallback.isna().all(), rows.fallback
    measured = rows["empty"].notna()
    assert measured.all() if name in CLAUDE else not measured.any()
    assert not rows.non_summary.fillna(False).any()


def test_blocks_lie_in_the_snapshots_as_the_provider_made_them(ran: tuple[str, Ran]) -> None:
    name, run = ran
    sent = [record.summary for record in run.native.servers[run.provider].records if record.compacted]
    for number, snapshot in enumerate(run.snapshots[1:]):
        messages = load(snapshot.messages)
        blocks = [block for message in messages if (block := block_of(message)) is not None]
        assert [provider_of(m) for m in messages if provider_of(m)] == [run.provider], "one block, the newest"
        assert dump(load(snapshot.messages)) == snapshot.messages
        assert normalise(messages) == (messages, [])
        if name in CLAUDE:
            assert blocks[0]["content"] == sent[number]
        assert bool(blocks[0].get("signature")) is (name == "claude-demand")


def test_what_the_writer_was_shown_is_recorded(ran: tuple[str, Ran], scenario: Scenario) -> None:
    _, run = ran
    for snapshot in run.snapshots[1:]:
        assert len(snapshot.shown) == 1
        assert boundary_of(snapshot.boundary or {}).cut_off is False
    assert scenario.rules[0].text in str(run.snapshots[1].shown)
    assert any(block_of(message) for message in load(run.snapshots[2].shown[0])), "the last block goes in again"


def test_the_actor_acts_on_the_block_that_the_provider_opened_for_it(ran: tuple[str, Ran]) -> None:
    name, run = ran
    found = run.trials("compacted", "prohibited")
    assert len(found) > 0
    if name in CLAUDE:
        assert found.behaviour.eq("violated").all(), found.reason
        assert found.valid.all(), found.invalid_because
    else:
        assert found.behaviour.eq("held").all(), "the user stated the rule, and user messages stay word for word"
    served = run.trials("compacted", "permitted")
    assert served.behaviour.eq("served").all(), served.reason
    answered = [record for record in run.native.servers[run.provider].records if record.saw and record.saw.tools]
    assert any(part.kind == "summary" for record in answered for part in record.saw.parts)  # type: ignore[union-attr]


def test_every_request_sends_a_signed_block_back_as_it_was_returned(ran: tuple[str, Ran]) -> None:
    name, run = ran
    if name != "claude-demand":
        pytest.skip("only blocks on demand are signed")
    records = run.native.servers["anthropic"].records
    kept = [block_of(m) for snapshot in run.snapshots[1:] for m in load(snapshot.messages) if block_of(m)]
    sealed = {(block["content"], block["signature"]) for block in kept if block is not None}
    sent = [
        (b, r)
        for r in records
        for m in r.body["messages"]
        for b in m["content"]
        if isinstance(b, dict) and b["type"] == "compaction"
    ]
    assert len(sent) > 20
    for block, record in sent:
        assert (block["content"], block["signature"]) in sealed
        assert "compact-2026-09-04" in record.betas
        assert "context_management" not in record.body


def test_no_request_of_the_run_was_refused(ran: tuple[str, Ran]) -> None:
    _, run = ran
    assert [record.error for record in run.native.servers[run.provider].records if record.error] == []


def test_retention_reads_claude_s_text_and_calls_openai_s_item_unreadable(ran: tuple[str, Ran]) -> None:
    name, run = ran
    rules = read(run.folder.path, "rules").query("compactor != 'none' and cycle > 0")
    if name in CLAUDE:
        assert set(rules.retention) == {"dropped"}
        assert rules.locus.isin(["omitted"]).all()
    else:
        assert set(rules.retention) == {"intact"}, "the user's own words"


def test_a_rule_that_only_openai_s_item_may_hold_is_unreadable(ran: tuple[str, Ran], scenario: Scenario) -> None:
    name, run = ran
    rule = scenario.rules[0]
    snapshots = [
        replace(each, messages=[row for row in each.messages if rule.text not in str(row["content"])])
        for each in run.snapshots[:2]
    ]
    found = [each.retention for each in retained.rules(scenario, snapshots) if each.rule == rule.id]
    assert found[-1] == ("dropped" if name in CLAUDE else "unreadable")


def test_the_arms_that_would_alter_a_block_do_not_exist(ran: tuple[str, Ran]) -> None:
    _, run = ran
    removed = run.trials("removed", "prohibited")
    assert removed.behaviour.eq("void").all()
    assert removed.reason.str.contains("provider's own block").all()
    assert run.trials("restored", "prohibited").behaviour.eq("held").all(), "a message behind the block alters nothing"
