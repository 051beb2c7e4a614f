"""Claude's own compaction through Inspect's provider: what is sent, what comes back, and what may go wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import anthropic
import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.model._providers.anthropic import AnthropicAPI
from inspect_ai.tool import ToolCall, ToolInfo
from loopback_billing import Ledger
from loopback_claude import CLEARED as SERVER_CLEARED
from loopback_claude import OWN_PROMPT
from loopback_models import Native
from loopback_server import Fault, FaultKind
from loopback_views import empty, null
from standfast.harness import compactors
from standfast.harness.blocks import block_of, block_text, is_opaque, is_sealed
from standfast.harness.carrying import ForeignBlock, carry_blocks
from standfast.harness.compactors.claude_clear import CLEARED
from standfast.harness.compactors.claude_threshold import ENDS
from standfast.harness.compactors.protocol import Compacted, Compactor, Work
from standfast.harness.faults import BadInput
from standfast.harness.messages import CONTINUES, dump, load, normalise, text_of

Inside = Callable[..., tuple[Any, Any]]
RULE = "Never write under /etc/prod ✋."
LOOK = ToolInfo(name="look", description="Looks.")
BOTH = ["claude-threshold", "claude-demand"]


def used(number: int, result: str) -> list[ChatMessage]:
    call = ToolCall(id=f"t{number}", function="look", arguments={"at": "/ü"})
    return [
        ChatMessageAssistant(id=f"m{number}001", content="Looking.", tool_calls=[call]),
        ChatMessageTool(id=f"m{number}002", content=result, tool_call_id=call.id, function="look"),
    ]


def user(number: int, text: str) -> ChatMessage:
    return ChatMessageUser(id=f"m{number}000", content=text)


HISTORY = [
    ChatMessageSystem(id="m0000", content="You are an assistant."),
    user(1, f"Tidy up. {RULE}" + " Take your time." * 150),
    *used(1, "файл ✓"),
    user(2, "Go on."),
    *used(2, "nothing new"),
    user(3, "And then?"),
]
MORE = [*used(4, "more"), user(4, "Well?")]


def made(name: str, writer: Any) -> Compactor:
    spec = compactors.parse(name)
    return compactors.make(spec, Work(writer, (HISTORY[0],), (LOOK,), spec.settings))


def driven(inside: Inside, name: str, writer: Any, *histories: Sequence[ChatMessage]) -> list[Compacted]:
    """What the compactor leaves at each boundary; each history goes on from what was left before it."""

    async def work(state: Any) -> list[Compacted]:
        compactor, view, found = made(name, writer), list[ChatMessage](), []
        for history in histories:
            found.append(await compactor.compact([*view, *history]))
            view = found[-1].messages
        return found

    found, log = inside(work)
    assert found is not None, log.samples[0].error
    result: list[Compacted] = found
    return result


def failed(inside: Inside, name: str, writer: Any, *histories: Sequence[ChatMessage]) -> str:
    """Why the chain ended."""

    async def work(state: Any) -> None:
        compactor = made(name, writer)
        for history in histories:
            await compactor.compact(list(history))

    _, log = inside(work)
    assert log.samples[0].error is not None
    said: str = log.samples[0].error.message
    return said


# ---- what is left


@pytest.mark.parametrize("name", BOTH)
def test_system_text_and_one_block_are_left_and_the_next_one_is_made_from_it(
    inside: Inside, native_models: Native, name: str
) -> None:
    left = driven(inside, name, native_models.model("anthropic"), HISTORY, MORE, MORE)
    for each in left:
        assert each.fired
        assert [m.role for m in each.messages] == ["system", "assistant"]
        assert each.messages[0] is HISTORY[0]
        assert is_opaque(each.messages[1])
        assert not is_sealed(each.messages[1]), "anybody can read it"
    assert RULE in text_of(left[0].messages)
    shown = [record.shown for record in native_models.servers["anthropic"].records]
    assert [part.kind for part in shown[1].parts][:2] == ["summary", "text"]  # type: ignore[union-attr]
    assert [part.kind for part in shown[2].parts].count("summary") == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("name", BOTH)
def test_a_block_survives_a_snapshot_byte_for_byte(inside: Inside, native_models: Native, name: str) -> None:
    summary = "“Nïght”\r\n\t✋ \\u00e9 \u2028 {rule:x} " + RULE
    native_models.claude.writer = lambda view, prompt: summary
    (left,) = driven(inside, name, native_models.model("anthropic"), HISTORY)
    rows = dump(left.messages)
    again = load(json.loads(json.dumps(rows, ensure_ascii=False, sort_keys=True)))
    assert block_text(again[1]) == summary
    assert block_of(again[1]) == block_of(left.messages[1])
    assert dump(again) == rows
    assert normalise(again) == (again, []), "a block stands first, no line is put before it"


def test_the_signature_goes_into_the_block_and_back_out_and_inspect_alone_would_drop_it(
    inside: Inside, native_models: Native
) -> None:
    async def work(state: Any) -> None:
        writer = native_models.model("anthropic")
        left = await made("claude-demand", writer).compact(HISTORY)
        actor, bare = (native_models.model("anthropic") for _ in "ab")
        carry_blocks(actor, left.messages)
        for model in (actor, bare):
            await model.generate([*left.messages, user(9, "Go.")], [LOOK])

    _, log = inside(work)
    assert log.samples[0].error is None
    demand, carried, bare = native_models.servers["anthropic"].records
    sent = [record.body["messages"][0]["content"][0] for record in (carried, bare)]
    assert sent[0]["signature"]
    assert sent[0]["tool_changes"] == []
    assert "signature" not in sent[1], "this is why `carry` is there; drop it when this fails"
    assert "compact-2026-09-04" in carried.betas
    assert "compact-2026-01-12" not in carried.betas
    assert demand.summary == sent[0]["content"]


def test_an_altered_block_is_refused_and_that_is_an_error(inside: Inside, native_models: Native) -> None:
    async def work(state: Any) -> None:
        writer = native_models.model("anthropic")
        left = await made("claude-demand", writer).compact(HISTORY)
        block = block_of(left.messages[1])
        assert block is not None
        block["content"] += f" {RULE}"
        await writer.generate([*left.messages, user(9, "Go.")], [LOOK])

    _, log = inside(work)
    assert "differs from what was signed" in log.samples[0].error.message


@pytest.mark.parametrize("name", [*BOTH, "claude-clear"])
def test_equal_chains_leave_equal_contexts(inside: Inside, native_models: Native, name: str) -> None:
    one, other = (
        [dump(each.messages) for each in driven(inside, name, native_models.model("anthropic"), HISTORY, MORE)]
        for _ in "ab"
    )
    assert one == other


# ---- what is asked


def test_the_settings_go_into_the_edit(inside: Inside, native_models: Native) -> None:
    name = "claude-threshold:window=60000,instructions=rules"
    (left,) = driven(inside, name, native_models.model("anthropic"), HISTORY)
    (record,) = native_models.servers["anthropic"].records
    (edit,) = record.body["context_management"]["edits"]
    assert (edit["trigger"], edit["pause_after_compaction"]) == ({"type": "input_tokens", "value": 60_000}, True)
    assert "word for word" in (record.prompt or "")
    assert record.body["max_tokens"] == 8000
    assert not record.body.get("stream")
    assert left.fired


@pytest.mark.parametrize("name", BOTH)
def test_by_default_the_prompt_is_the_provider_s_own(inside: Inside, native_models: Native, name: str) -> None:
    driven(inside, name, native_models.model("anthropic"), HISTORY)
    driven(inside, f"{name}:instructions=neutral", native_models.model("anthropic"), HISTORY)
    own, neutral = (record.prompt for record in native_models.servers["anthropic"].records)
    assert own == OWN_PROMPT
    assert "so that the task can be continued" in (neutral or "")


def test_without_a_pause_the_model_s_answer_stands_behind_the_block_without_its_calls(
    inside: Inside, native_models: Native
) -> None:
    native_models.claude.actor = lambda view: "I go on."
    (left,) = driven(inside, "claude-threshold:pause=no", native_models.model("anthropic"), HISTORY)
    assert left.messages[1].text == "I go on."
    assert text_of(left.messages).endswith("I go on.")
    assert is_opaque(left.messages[1])


def test_a_history_that_ends_with_the_assistant_is_sent_with_a_neutral_line_and_that_is_noted(
    inside: Inside, native_models: Native
) -> None:
    ends = [*HISTORY, ChatMessageAssistant(id="m5000", content="Done.")]
    (left,) = driven(inside, "claude-threshold", native_models.model("anthropic"), ends)
    (demanded,) = driven(inside, "claude-demand", native_models.model("anthropic"), ends)
    threshold, demand = native_models.servers["anthropic"].records
    assert CONTINUES in threshold.shown.said("user")  # type: ignore[union-attr]
    assert CONTINUES not in demand.shown.said("user")  # type: ignore[union-attr]
    assert (left.notes, demanded.notes) == ((ENDS,), ())


@pytest.mark.parametrize("name", BOTH)
def test_the_call_of_the_writer_is_an_event_whose_completion_is_the_summary(
    inside: Inside, native_models: Native, name: str
) -> None:
    async def work(state: Any) -> list[ModelEvent]:
        await made(name, native_models.model("anthropic")).compact(HISTORY)
        return [event for event in transcript().events if isinstance(event, ModelEvent)]

    (event,), _ = inside(work)
    (record,) = native_models.servers["anthropic"].records
    assert event.output.completion == record.summary
    assert event.output.stop_reason == "stop"
    assert event.output.usage is not None
    assert event.output.usage.input_tokens_cache_write > 50_000, "of the compaction, which the top level leaves out"
    assert event.output.usage.total_tokens > event.output.usage.output_tokens + 50_000
    assert [m.id for m in event.input] == [m.id for m in HISTORY]


# ---- what goes wrong


def test_a_history_below_the_trigger_comes_back_as_it_was_with_the_reason(
    inside: Inside, native_models: Native
) -> None:
    native_models.claude.ledger = Ledger(1.0)
    (left,) = driven(inside, "claude-threshold", native_models.model("anthropic"), HISTORY)
    assert not left.fired
    assert left.messages == HISTORY
    assert "it does so from 50000; a --window of at least that many tokens" in left.notes[0]
    assert native_models.servers["anthropic"].records[0].compacted is None


def test_a_trigger_that_the_api_refuses_is_refused_before_anything_is_asked(native_models: Native) -> None:
    with pytest.raises(BadInput, match="`window` is a number from 50000"):
        made("claude-threshold:window=1000", native_models.model("anthropic"))
    assert native_models.servers["anthropic"].records == []


@pytest.mark.parametrize("name", BOTH)
def test_a_compaction_without_a_summary_is_an_error_and_an_empty_one_an_empty_summary(
    inside: Inside, native_models: Native, name: str
) -> None:
    native_models.claude.writer = null
    assert "without a summary" in failed(inside, name, native_models.model("anthropic"), HISTORY)
    native_models.claude.writer = empty
    (left,) = driven(inside, name, native_models.model("anthropic"), HISTORY)
    assert left.fired
    assert block_text(left.messages[1]) == ""


def test_inspect_s_stream_turns_no_summary_into_an_empty_one_and_keeps_one_piece_of_a_split_one(
    inside: Inside, native_models: Native
) -> None:
    """Why no stream is asked for: a request of more than 8,191 tokens would be one."""

    async def work(state: Any) -> list[Any]:
        model, found = native_models.model("anthropic"), list[Any]()
        for native_models.claude.writer in (null, lambda view, prompt: "one|two|end"):
            native_models.claude.deltas = 3
            config = GenerateConfig(max_tokens=9000, extra_body={"context_management": {"edits": [edit]}})
            output = await model.generate(HISTORY, [LOOK], config=config)
            found.append(block_text(output.message))
        return found

    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000},
            "pause_after_compaction": True}  # fmt: skip
    found, log = inside(work)
    assert found == ["", "end"], log.samples[0].error
    assert all(record.body["stream"] for record in native_models.servers["anthropic"].records)
    native_models.claude.writer = lambda view, prompt: "one|two|end"
    for name in BOTH:
        (left,) = driven(inside, name, native_models.model("anthropic"), HISTORY)
        assert block_text(left.messages[1]) == "one|two|end"


@pytest.mark.parametrize("encrypts", [True, False])
def test_a_threshold_block_goes_back_without_encrypted_content_as_issue_1828_wants_it(
    inside: Inside, native_models: Native, encrypts: bool
) -> None:
    native_models.claude.rejects_encrypted, native_models.claude.encrypts = True, encrypts
    left = driven(inside, "claude-threshold", native_models.model("anthropic"), HISTORY, MORE)
    assert all(each.fired for each in left)
    block = native_models.servers["anthropic"].records[1].body["messages"][0]["content"][0]
    assert sorted(block) == ["content", "type"]
    client = anthropic.Anthropic(**native_models.args("anthropic"), max_retries=0)
    appended: Any = {"type": "compaction", "content": "s", "encrypted_content": None}
    with pytest.raises(anthropic.BadRequestError, match="Extra inputs are not permitted"):
        client.beta.messages.create(
            model="m", max_tokens=9, betas=["compact-2026-01-12"],
            messages=[{"role": "assistant", "content": [appended]}, {"role": "user", "content": "x"}],
        )  # fmt: skip


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.DROPPED, FaultKind.MALFORMED, FaultKind.TRUNCATED])
def test_a_fault_on_the_wire_ends_the_chain_and_is_no_boundary_that_did_not_fire(
    inside: Inside, native_models: Native, name: str, kind: FaultKind
) -> None:
    native_models.servers["anthropic"].faults.append(Fault(kind, times=99))
    assert failed(inside, name, native_models.model("anthropic"), HISTORY)


def test_a_rate_limit_is_waited_out_by_inspect(inside: Inside, native_models: Native) -> None:
    native_models.servers["anthropic"].faults.append(Fault(FaultKind.RATE_LIMIT, times=1))
    model = get_model(native_models.name("anthropic"), memoize=False, **native_models.args("anthropic"))
    (left,) = driven(inside, "claude-demand", model, HISTORY)
    assert left.fired
    assert [record.status for record in native_models.servers["anthropic"].records] == [429, 200]


def test_a_refusal_of_the_provider_is_no_compaction(inside: Inside, native_models: Native) -> None:
    native_models.servers["anthropic"].faults.append(Fault(FaultKind.CONTENT_FILTER, times=2))
    (left,) = driven(inside, "claude-threshold", native_models.model("anthropic"), HISTORY)
    assert not left.fired
    assert "without a summary" in failed(inside, "claude-demand", native_models.model("anthropic"), HISTORY)


@pytest.mark.parametrize("name", [*BOTH, "claude-clear", "openai-responses", "openai-agents-responses"])
def test_a_writer_of_another_provider_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"compacts here: the writer is (anthropic|openai)/…, not told/plain"):
        made(name, get_model("told/plain"))


def test_inspect_s_provider_still_has_what_is_taken_hold_of() -> None:
    assert callable(AnthropicAPI._perform_request_and_continuations)
    assert callable(AnthropicAPI.generate)


def test_a_history_that_a_compactor_left_beginning_with_the_assistant_is_taken_after_normalising_only(
    inside: Inside, native_models: Native
) -> None:
    left = [HISTORY[0], ChatMessageAssistant(id="x0", content="A summary."), *used(6, "six"), user(6, "So?")]

    async def work(state: Any) -> None:
        model = native_models.model("anthropic")
        assert (await model.generate(normalise(left)[0], [LOOK])).stop_reason == "stop"
        await model.generate(left, [LOOK])

    _, log = inside(work)
    assert 'first message must use the "user" role' in log.samples[0].error.message


# ---- whose block it is


def test_an_actor_of_another_provider_does_not_meet_a_block(inside: Inside, native_models: Native) -> None:
    (claude,) = driven(inside, "claude-demand", native_models.model("anthropic"), HISTORY)
    (openai,) = driven(inside, "openai-responses", native_models.model("openai"), HISTORY)
    for left, other in ((claude, "openai"), (openai, "anthropic")):
        with pytest.raises(ForeignBlock, match=r"holds a block of \w+, which \w+/\S+ cannot read"):
            carry_blocks(native_models.model(other), left.messages)
        with pytest.raises(ForeignBlock):
            carry_blocks(get_model("told/plain"), left.messages)
    carry_blocks(get_model("told/plain"), HISTORY)


# ---- clearing


def test_the_provider_says_how_many_results_it_cleared_and_the_rest_stays(
    inside: Inside, native_models: Native
) -> None:
    history = [*HISTORY[:2], *(m for i in range(1, 6) for m in used(10 + i, f"result {i}")), user(20, "So?")]
    first, second, third = driven(
        inside, "claude-clear:keep=2", native_models.model("anthropic"), history, MORE, [user(9, "x")]
    )
    results = [[m.text for m in each.messages if m.role == "tool"] for each in (first, second, third)]
    assert results[0] == [CLEARED] * 3 + ["result 4", "result 5"]
    assert results[1] == [CLEARED] * 4 + ["result 5", "more"]
    assert [each.fired for each in (first, second, third)] == [True, True, False]
    assert first.notes == ("3 results cleared",)
    assert [m.id for m in first.messages] == [m.id for m in history]
    assert normalise(first.messages) == (first.messages, [])
    sent = native_models.servers["anthropic"].records[1].body
    assert CLEARED not in json.dumps(sent), "the caller sends the whole history each time"
    seen = native_models.servers["anthropic"].records[1].saw
    assert seen is not None
    assert [p.text for p in seen.parts if p.kind == "result"].count(SERVER_CLEARED) == 4


def test_below_its_trigger_nothing_is_cleared(inside: Inside, native_models: Native) -> None:
    native_models.claude.ledger = Ledger(1.0)
    name = "claude-clear:keep=0,trigger=threshold"
    (left,) = driven(inside, name, native_models.model("anthropic"), HISTORY)
    assert not left.fired
    assert [m.text for m in left.messages] == [m.text for m in HISTORY]
