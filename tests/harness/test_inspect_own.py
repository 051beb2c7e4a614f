"""Inspect's own strategies and our mechanical ones: what stays, what is said to the writer, what a switch leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentData,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from standfast.harness import compactors
from standfast.harness.compact import compact_task
from standfast.harness.compactors.protocol import Work
from standfast.harness.history import replayed
from standfast.harness.messages import is_opaque, load, message, normalise, text_of
from standfast.harness.plan import Asked, Chain, chains
from standfast.harness.providers import scripted
from standfast.harness.run import QUIET
from standfast.harness.scenario import Scenario
from standfast.harness.snapshots import Boundary, Snapshot, Store, boundary_of
from standfast.harness.validity import boundary_fault


class Blocks(ModelAPI):
    """`blocks/NAME`: a provider that compacts into a block of its own; `readable` says what is in it."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **config: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        return ModelOutput.from_content(self.model_name, "Summary: M-11 was read.")

    async def compact(
        self, input: list[ChatMessage], tools: list[ToolInfo], config: GenerateConfig, instructions: str | None = None
    ) -> tuple[list[ChatMessage], ModelUsage | None]:
        if "failing" in self.model_name:
            raise RuntimeError("the endpoint is down")
        facts: dict[str, Any] = {"type": "some", "sealed": "gAAAA"}
        if "readable" in self.model_name:
            facts["content"] = "M-11 was read."
        data = ContentData(data={"compaction_metadata": facts})
        return [ChatMessageAssistant(content=[data], model=self.model_name)], None


@modelapi(name="blocks")
def blocks() -> type[ModelAPI]:
    return Blocks


Driven = Callable[..., list[Snapshot]]


@pytest.fixture(scope="module")
def driven(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Driven:
    """The snapshots of the chain of one compactor and writer; empty where it failed."""
    scripted.cast([scenario])

    def drive(name: str, writer: str = "scripted/verbatim", cycles: int = 3, window: int = 600) -> list[Snapshot]:
        actor = writer if writer.startswith("blocks/") else "scripted/reader"  # a block meets its own provider alone
        wanted = Asked((scenario.id,), (actor,), (name,), (writer,), cycles, window=window)
        store = Store(tmp_path_factory.mktemp("own") / "snapshots")
        chain: Chain = chains(wanted, [scenario])[-1]
        task = compact_task([chain], store, {}, lambda id: None)
        inspect_eval([task], log_dir=str(tmp_path_factory.mktemp("logs")), **QUIET)
        return [store.get(key) for key in store.finished(chain.id) or []]

    return drive


def boundaries(snapshots: list[Snapshot]) -> list[Boundary]:
    return [boundary_of(each.boundary) for each in snapshots[1:] if each.boundary is not None]


def asked_of(snapshot: Snapshot) -> str:
    """What the writer was asked at the end of what it was shown."""
    return text_of(load(snapshot.shown[0])[-1:])


@pytest.mark.parametrize("name", ["headtail", "headtail:head=0,tail=3", "inspect-trim", "inspect-trim:preserve=0.3"])
def test_a_mechanical_compactor_keeps_messages_as_they_are_and_asks_nobody(driven: Driven, name: str) -> None:
    snapshots = driven(name)
    assert len(snapshots) == 4
    for snapshot, boundary in zip(snapshots[1:], boundaries(snapshots), strict=True):
        assert (boundary.fired, boundary.writer_calls, boundary.summary, boundary.empty) == (True, 0, None, None)
        assert boundary.tokens_after < boundary.tokens_before
        assert {made["fate"] for made in snapshot.provenance} <= {"kept", "normalised", "edited"}


def test_headtail_keeps_the_first_and_the_newest_messages_and_no_half_pair(driven: Driven) -> None:
    first = driven("headtail:head=3,tail=5", cycles=1)[-1]
    assert first.messages[1]["id"] == "m0001"
    assert boundary_of(first.boundary or {}).normalised == ()
    assert {"m0002", "m0003"} <= {row["id"] for row in first.messages}


def test_headtail_with_room_for_everything_does_not_fire(driven: Driven) -> None:
    assert not boundaries(driven("headtail:head=4000,tail=4000", cycles=1))[0].fired


def test_the_edit_leaves_a_mark_for_every_result_that_it_clears(driven: Driven) -> None:
    last = driven("inspect-edit:keep_tool_uses=1")[-1]
    marked = [made for made in last.provenance if made["fate"] == "tombstoned"]
    assert len(marked) > 3
    assert all(made["of"] for made in marked), "a cleared result is known by its call, although it has another id"
    assert [row["content"] for row in last.messages if row["role"] == "tool"].count("(Tool result removed)") == len(
        marked
    )


def test_the_turn_of_a_rule_that_an_edit_leaves_by_construction_is_no_fault(driven: Driven, scenario: Scenario) -> None:
    snapshots = driven("inspect-edit", cycles=1)
    rule = scenario.rules[0]
    assert boundary_fault(snapshots, rule.id, rule.plant.channel) is None
    assert boundary_fault(snapshots, rule.id, "tool_result") == "planting turn not gone"


def test_the_four_prompts_are_four_requests_and_only_one_asks_for_rules_alone(driven: Driven) -> None:
    names = ["inspect", "inspect-neutral", "inspect-rules", "inspect-code"]
    requests = [asked_of(driven(name, cycles=1)[1]) for name in names]
    assert len(set(requests)) == 4
    assert [("standing rule" in each) for each in requests] == [False, False, True, False]
    assert "Keep code, commands" in requests[3]
    assert requests[0].split("Here")[0] == requests[3].split("Here")[0], "the code prompt is Inspect's own, with more"


def test_the_writer_is_told_of_its_budget_and_held_to_it(driven: Driven) -> None:
    for name in ("inspect", "inspect-neutral", "inspect-rules", "inspect-code"):
        assert "Use at most 150 tokens" in asked_of(driven(f"{name}:budget=150", cycles=1)[1])
        assert "tokens for the summary" not in asked_of(driven(name, cycles=1)[1])


def test_a_threshold_that_is_not_reached_leaves_the_context_and_says_so(driven: Driven) -> None:
    snapshots = driven("inspect-neutral:trigger=threshold,window=100000")
    assert [b.fired for b in boundaries(snapshots)] == [False] * 3
    assert boundary_fault(snapshots, None) == "boundary did not fire"


def test_a_threshold_fires_where_the_runtime_s_own_count_reaches_it(driven: Driven) -> None:
    fired = [b.fired for b in boundaries(driven("inspect-neutral:trigger=threshold,window=2500"))]
    assert fired[0] is False
    assert True in fired
    forced = [b.fired for b in boundaries(driven("inspect-trim:trigger=threshold,window=2500", cycles=2))]
    assert forced != [True, True]


@pytest.mark.parametrize(("model", "text"), [("blocks/sealed", None), ("blocks/readable", "M-11 was read.")])
def test_a_provider_s_block_is_carried_and_what_was_sent_to_it_is_recorded(
    driven: Driven, model: str, text: str | None
) -> None:
    snapshots = driven("inspect-native", writer=model)
    assert len(snapshots) == 4
    for snapshot, boundary in zip(snapshots[1:], boundaries(snapshots), strict=True):
        assert any(is_opaque(each) for each in load(snapshot.messages))
        assert (boundary.fired, boundary.fallback, boundary.summary) == (True, None, text)
        assert boundary.empty is (None if text is None else False)
        assert len(snapshot.shown) == 1
    assert any(row["id"] == "m0002" for row in snapshots[1].shown[0])
    assert sum(is_opaque(each) for each in load(snapshots[2].shown[0])) == 1, "the block goes back to its provider"


def test_without_a_provider_that_compacts_native_fails_and_nothing_is_written_instead(driven: Driven) -> None:
    assert driven("inspect-native", writer="scripted/verbatim") == []


@pytest.mark.parametrize("writer", ["scripted/verbatim", "blocks/failing"])
def test_a_switch_to_a_summary_is_recorded_as_the_fallback_that_it_is(driven: Driven, writer: str) -> None:
    snapshots = driven("inspect-auto", writer=writer, cycles=1)
    boundary = boundaries(snapshots)[0]
    assert boundary.fallback is not None
    assert "native compaction" in boundary.fallback
    assert boundary.summary
    assert (boundary_fault(snapshots, None) or "").startswith("fallback")


def test_auto_with_a_provider_that_compacts_is_native(driven: Driven) -> None:
    boundary = boundaries(driven("inspect-auto", writer="blocks/sealed", cycles=1))[0]
    assert (boundary.fallback, boundary.writer_calls) == (None, 0)


@pytest.mark.parametrize("place", range(1, 14))
def test_wherever_head_and_tail_fall_every_call_has_its_results(
    scenario: Scenario, inside: Callable[..., Any], place: int, tmp_path: Path
) -> None:
    story = replayed(scenario, 1, 1, 900).said
    history = [message(said, i) for i, said in enumerate(story)]
    made = compactors.make(
        compactors.parse(f"headtail:head={place},tail={place + 1}"),
        Work(get_model("scripted/verbatim"), tuple(history[:2]), (), {"head": place, "tail": place + 1}),
    )
    left, _ = inside(lambda state: made.compact(list(history)))
    assert normalise(left.messages)[0] == left.messages
    assert all(any(each is old for old in history) for each in left.messages)


def test_a_message_that_was_added_after_a_boundary_is_carried_on(inside: Callable[..., Any]) -> None:
    async def work(state: Any) -> Any:
        history: list[ChatMessage] = [ChatMessageUser(id=f"m{i:04}", content=f"word {i} " * 30) for i in range(12)]
        work = Work(None, tuple(history[:1]), (), {"preserve": 0.5, "trigger": "forced", "window": 1})
        made = compactors.make(compactors.parse("inspect-trim:preserve=0.5"), work)
        once = await made.compact(list(history))
        added = ChatMessageUser(id="m90001", content="Added by a mitigation.")
        return (await made.compact([*once.messages, added])).messages

    left, _ = inside(work)
    assert left[-1].id == "m90001"
