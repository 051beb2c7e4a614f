"""The Claude-like server through the vendor's SDK: it decides, signs, refuses, counts and fails as a server does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from loopback_billing import HOUR, Ledger
from loopback_claude import CLEARED, OWN_PROMPT, ClaudeApi
from loopback_server import Fault, FaultKind, Loopback
from loopback_views import Called, dropping, empty, failing, null, softening

THRESHOLD, DEMAND, EDITING = "compact-2026-01-12", "compact-2026-09-04", "context-management-2025-06-27"
RULE = "Never write under /etc/prod ✋."
TOOLS: Any = [{"name": "ls", "input_schema": {"type": "object"}}]
PAUSE: dict[str, Any] = {"edits": [{"type": "compact_20260112", "pause_after_compaction": True}]}
CLEAR = {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 2}}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def used(id: str, result: str | None) -> list[dict[str, Any]]:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "ls", "input": {"p": "/ü"}}]}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}
    return [call] if result is None else [call, answer]


HISTORY = [user(f"Tidy up. {RULE}"), *used("t1", "файл ✓"), {"role": "assistant", "content": "Listed."}, user("Go on.")]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(ClaudeApi(ledger=Ledger(1.0))) as running:
        yield running


class Asking:
    """A client with what every request has."""

    def __init__(self, server: Loopback, **settings: Any) -> None:
        self.client = anthropic.Anthropic(base_url=server.url, api_key="x", **{"max_retries": 0, **settings})

    def __call__(self, messages: list[Any], *betas: str, **more: Any) -> Any:
        settings: dict[str, Any] = {"model": "claude-opus-4-6", "max_tokens": 4000, "tools": TOOLS, **more}
        return self.client.beta.messages.create(messages=messages, betas=list(betas), **settings)


@pytest.fixture
def ask(server: Loopback) -> Asking:
    return Asking(server)


def long(size: int) -> list[dict[str, Any]]:
    return [user(f"{RULE} " + "x" * size), {"role": "assistant", "content": "ok"}, user("Do it.")]


# ---- threshold


def test_the_server_compacts_by_its_own_count_and_not_below_the_trigger(server: Loopback, ask: Asking) -> None:
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 60_000}}
    below = ask(long(50_000), THRESHOLD, context_management={"edits": [edit]})
    above = ask(long(60_000), THRESHOLD, context_management={"edits": [edit]})
    assert [[b.type for b in reply.content] for reply in (below, above)] == [["text"], ["compaction", "text"]]
    assert [record.compacted for record in server.records] == [None, "threshold"]
    assert [i.type for i in above.usage.iterations] == ["compaction", "message"]


def test_a_pause_returns_the_block_alone_and_the_next_request_drops_what_stands_before_it(
    server: Loopback, ask: Asking
) -> None:
    server.api.writer = lambda view, prompt: "The user likes tidy folders."  # type: ignore[attr-defined]
    messages = long(150_000)
    paused = ask(messages, THRESHOLD, context_management=PAUSE)
    assert paused.stop_reason == "compaction"
    assert [b.type for b in paused.content] == ["compaction"]
    assert paused.usage.input_tokens == 0
    assert paused.usage.iterations[0].input_tokens > 150_000
    ask(
        [*messages, {"role": "assistant", "content": paused.content}, user("Go on.")],
        THRESHOLD,
        context_management=PAUSE,
    )
    saw = server.records[-1].saw
    assert saw is not None
    assert [(p.role, p.kind) for p in saw.parts] == [("assistant", "summary"), ("user", "text")]
    assert RULE not in saw.text
    assert RULE in str(server.records[-1].body), "the wire still carries it"


def test_of_several_blocks_the_last_one_counts(server: Loopback, ask: Asking) -> None:
    blocks = [{"role": "assistant", "content": [{"type": "compaction", "content": c}]} for c in ("first", "second")]
    ask([user("a"), blocks[0], user("b"), blocks[1], user("c")], THRESHOLD, context_management=PAUSE)
    assert [p.text for p in server.records[-1].saw.parts] == ["second", "c"]  # type: ignore[union-attr]


def test_instructions_replace_the_prompt(server: Loopback, ask: Asking) -> None:
    edit = {**PAUSE["edits"][0], "instructions": "Keep rules."}
    ask(long(150_000), THRESHOLD, context_management={"edits": [edit]})
    ask(long(150_000), THRESHOLD, context_management=PAUSE)
    assert [record.prompt for record in server.records] == ["Keep rules.", OWN_PROMPT]


@pytest.mark.parametrize(
    ("betas", "more", "said"),
    [
        ([], {"context_management": PAUSE}, "requires the beta"),
        ([], {"compaction": {"type": "summarize"}}, "compaction: Extra inputs"),
        ([DEMAND, THRESHOLD], {"compaction": {"type": "summarize"}, "context_management": PAUSE}, "combined"),
        ([THRESHOLD], {"context_management": {"edits": [
            {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 49_999}}]}}, "greater than"),
        ([], {"context_management": {"edits": [CLEAR]}}, "context_management: Extra inputs"),
    ],
)  # fmt: skip
def test_parameters_without_their_beta_or_out_of_range_are_refused(
    ask: Asking, betas: list[str], more: dict[str, Any], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=said):
        ask(HISTORY, *betas, **more)


# ---- on demand


def demand(ask: Asking, messages: list[Any], **instructions: str) -> Any:
    return ask(messages, DEMAND, system="SYS", compaction={"type": "summarize", **instructions})


def test_compaction_on_demand_needs_no_size_and_its_block_comes_back_first_and_signed(
    server: Loopback, ask: Asking
) -> None:
    reply = demand(ask, HISTORY)
    assert reply.stop_reason == "compaction"
    assert reply.content[0].signature
    ask([reply.to_param(), user("Go on.")], DEMAND)
    assert [p.kind for p in server.records[-1].saw.parts] == ["summary", "text"]  # type: ignore[union-attr]
    shown = server.records[0].shown
    assert shown is not None
    assert (shown.system, shown.tools) == ("SYS", ("ls",)), "its writer reads system text and tools"


def test_a_second_compaction_on_demand_is_written_from_the_first_block(server: Loopback, ask: Asking) -> None:
    first = demand(ask, HISTORY)
    second = demand(ask, [first.to_param(), user("More."), *used("t2", "two")], instructions="KEEP")
    assert [p.kind for p in server.records[-1].shown.parts] == ["summary", "text", "call", "result"]  # type: ignore[union-attr]
    with pytest.raises(anthropic.BadRequestError, match="more than one"):
        ask([first.to_param(), second.to_param(), user("x")], DEMAND)


def test_an_altered_misplaced_or_unsigned_block_is_refused(ask: Asking) -> None:
    block = demand(ask, HISTORY).content[0].model_dump(exclude_none=True)
    altered = {**block, "content": f"{block['content']} {RULE}"}
    unsigned = {key: value for key, value in block.items() if key != "signature"}
    cases = [([], altered, "differs"), (HISTORY, block, "not the first"), ([], unsigned, "no signature")]
    for before, sent, said in cases:
        with pytest.raises(anthropic.BadRequestError, match=said):
            ask([*before, {"role": "assistant", "content": [sent]}, user("x")], DEMAND)


def test_a_conversation_that_ends_on_an_open_call_is_not_compacted(ask: Asking) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        demand(ask, [user("a"), *used("t", None)])
    assert refused.value.body["error"]["details"]["error_code"] == "compaction_incomplete_turn"  # type: ignore[index]


# ---- writers


def test_the_writer_may_soften_drop_write_nothing_or_break(server: Loopback, ask: Asking) -> None:
    api: Any = server.api
    soft = softening({"Never write": "Prefer not to write"})
    cases = ((dropping(RULE), "Tidy up."), (soft, "Prefer not to write"), (empty, ""), (null, None))
    for writer, content in cases:
        api.writer = writer
        found = demand(ask, HISTORY).content[0].content
        assert found == content if not content else content in found
    api.writer = failing
    with pytest.raises(anthropic.InternalServerError, match="the summariser is down"):
        demand(ask, HISTORY)


# ---- other checks of a conversation


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([user("a"), used("t", "x")[1]], "unexpected `tool_use_id`"),
        ([user("a"), *used("t", None), user("b")], "without `tool_result`"),
        ([{"role": "assistant", "content": "hello"}, user("b")], 'first message must use the "user" role'),
        ([user("a"), {"role": "assistant", "content": "so"}], "prefill"),
    ],
)
def test_orphans_and_conversations_that_begin_or_end_with_the_assistant_are_refused(
    ask: Asking, messages: list[Any], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=said):
        ask(messages)


def test_encrypted_content_of_a_threshold_block_is_refused_where_the_api_refuses_it(
    server: Loopback, ask: Asking
) -> None:
    server.api.rejects_encrypted = True  # type: ignore[attr-defined]
    for sent in ("sealed", None):
        block = {"type": "compaction", "content": "s", "encrypted_content": sent}
        with pytest.raises(anthropic.BadRequestError, match="Extra inputs are not permitted"):
            ask([{"role": "assistant", "content": [block]}, user("x")], THRESHOLD, context_management=PAUSE)
    bare = {"role": "assistant", "content": [{"type": "compaction", "content": "s"}]}
    assert ask([bare, user("x")], THRESHOLD, context_management=PAUSE).stop_reason == "end_turn"


# ---- clearing, counting, caching


def test_the_oldest_tool_results_are_cleared_and_counted(server: Loopback, ask: Asking) -> None:
    history = [user("a"), *(m for i in range(5) for m in used(f"t{i}", f"result {i}"))]
    edit = {**CLEAR, "trigger": {"type": "tool_uses", "value": 5}}
    reply = ask(history, EDITING, context_management={"edits": [edit]})
    assert reply.context_management.applied_edits[0].cleared_tool_uses == 3
    seen = [p.text for p in server.records[-1].saw.parts if p.kind == "result"]  # type: ignore[union-attr]
    assert seen == [CLEARED] * 3 + ["result 3", "result 4"]
    later = {**CLEAR, "trigger": {"type": "tool_uses", "value": 6}}
    assert ask(history, EDITING, context_management={"edits": [later]}).context_management.applied_edits == []


def test_tokens_are_counted_as_they_are_billed(server: Loopback, ask: Asking) -> None:
    counted = ask.client.messages.count_tokens(model="m", messages=HISTORY, tools=TOOLS, system="SYS")
    reply = ask(HISTORY, system="SYS")
    assert counted.input_tokens == reply.usage.input_tokens > 0


def test_what_stands_before_a_breakpoint_is_written_once_and_read_afterwards(server: Loopback, ask: Asking) -> None:
    clock = [0.0]
    server.api.ledger.clock = lambda: clock[0]  # type: ignore[attr-defined]
    system = [{"type": "text", "text": "s" * 3000, "cache_control": {"type": "ephemeral"}}]
    bills = []
    for at in (0, 200, 450, 2000):
        clock[0] = at
        usage = ask([user(f"question at {at}")], system=system).usage
        bills.append((usage.cache_creation_input_tokens > 0, usage.cache_read_input_tokens > 0))
        assert usage.input_tokens < 200
    assert bills == [(True, False), (False, True), (False, True), (True, False)], "a read renews the five minutes"


def test_a_breakpoint_of_an_hour_is_billed_apart_and_short_prompts_are_never_cached(
    server: Loopback, ask: Asking
) -> None:
    control = {"type": "ephemeral", "ttl": "1h"}
    usage = ask([user("x" * 2000)], cache_control=control).usage
    assert usage.cache_creation.ephemeral_1h_input_tokens == usage.cache_creation_input_tokens > 2000
    assert HOUR == 3600
    assert ask([user("x")], tools=[], cache_control=control).usage.cache_creation_input_tokens == 0


# ---- streaming and faults


def test_a_stream_says_what_the_plain_answer_says(server: Loopback, ask: Asking) -> None:
    server.api.actor = lambda view: [Called("ls", {"p": "/ü"})]  # type: ignore[attr-defined]
    settings: Any = {"model": "m", "max_tokens": 10, "tools": TOOLS, "betas": [THRESHOLD], "context_management": PAUSE}
    for messages, kinds in ((HISTORY, ["tool_use"]), (long(150_000), ["compaction"])):
        with ask.client.beta.messages.stream(messages=messages, **settings) as stream:
            message = stream.get_final_message()
        assert [b.type for b in message.content] == kinds
        plain = ask.client.beta.messages.create(messages=messages, **settings)
        if kinds == ["tool_use"]:
            assert message.content[0].input == plain.content[0].input == {"p": "/ü"}
        else:
            assert message.content[0].content == plain.content[0].content


def test_of_a_summary_streamed_in_pieces_the_sdk_keeps_the_last_piece_only(server: Loopback, ask: Asking) -> None:
    api: Any = server.api
    api.deltas, api.writer = 3, lambda view, prompt: "one|two|end"
    with ask.client.beta.messages.stream(
        messages=long(150_000), model="m", max_tokens=9, betas=[THRESHOLD], context_management=PAUSE
    ) as stream:
        assert stream.get_final_message().content[0].content == "end"


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        (FaultKind.RATE_LIMIT, anthropic.RateLimitError),
        (FaultKind.SERVER_ERROR, anthropic.InternalServerError),
        (FaultKind.DROPPED, anthropic.APIConnectionError),
        (FaultKind.TRUNCATED, Exception),
        (FaultKind.MALFORMED, Exception),
        (FaultKind.SLOW, anthropic.APITimeoutError),
    ],
)
def test_a_fault_reaches_the_client_and_the_next_request_is_answered(
    server: Loopback, kind: FaultKind, raised: type[Exception]
) -> None:
    ask = Asking(server, timeout=0.1 if kind is FaultKind.SLOW else 5)
    server.faults.append(Fault(kind))
    with pytest.raises(raised):
        ask(HISTORY)
    assert Asking(server)(HISTORY).stop_reason == "end_turn"
    assert [record.fault for record in server.records] == [str(kind), None]


def test_the_client_tries_again_after_a_rate_limit(server: Loopback) -> None:
    server.faults.append(Fault(FaultKind.RATE_LIMIT, times=2, path="/messages"))
    assert Asking(server, max_retries=2)(HISTORY).stop_reason == "end_turn"
    assert [record.status for record in server.records] == [429, 429, 200]


def test_a_content_filter_answers_with_a_refusal(server: Loopback, ask: Asking) -> None:
    server.faults.append(Fault(FaultKind.CONTENT_FILTER, skip=1))
    assert [ask(HISTORY).stop_reason for _ in range(2)] == ["end_turn", "refusal"]
