"""The OpenAI-like server through the vendor's SDK: compaction, sealed items, stored responses, chat, faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from loopback_billing import Ledger
from loopback_openai import OWN_PROMPT, OpenAIApi
from loopback_server import Fault, FaultKind, Loopback
from loopback_views import Called, dropping, failing

RULE = "Never write under /etc/prod 🚫."
CALL = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"p": "/ü"}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "файл ✓"}
ITEMS: list[Any] = [
    {"role": "developer", "content": "SYS"},
    {"role": "user", "content": RULE},
    CALL,
    RESULT,
    {"role": "assistant", "content": "Listed: файл."},
    {"role": "user", "content": "Go on."},
]
TOOL: Any = {"type": "function", "name": "ls", "parameters": {"type": "object", "properties": {}}, "strict": False}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(OpenAIApi(ledger=Ledger(1.0))) as running:
        yield running


@pytest.fixture
def client(server: Loopback) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0)


def as_input(output: Any) -> list[Any]:
    return [item.model_dump(exclude_none=True, warnings=False) for item in output]


def kinds(record: Any) -> list[tuple[str, str]]:
    return [(part.role, part.kind) for part in (record.saw or record.shown).parts]


# ---- compaction


def test_compaction_keeps_every_user_message_and_seals_the_rest(server: Loopback, client: openai.OpenAI) -> None:
    reply = client.responses.compact(model="gpt-5.4", input=ITEMS, instructions="KEEP RULES")
    assert [(item.type, getattr(item, "role", None)) for item in reply.output] == [
        ("message", "user"), ("message", "user"), ("compaction", None),
    ]  # fmt: skip
    record = server.records[-1]
    assert (record.compacted, record.prompt) == ("compact", "KEEP RULES")
    assert "файл" in (record.summary or "")
    assert "файл" not in reply.output[-1].encrypted_content  # type: ignore[union-attr]
    client.responses.create(model="gpt-5.4", input=[*as_input(reply.output), {"role": "user", "content": "x"}])
    assert kinds(server.records[-1]) == [("user", "text"), ("user", "text"), ("user", "summary"), ("user", "text")]
    assert server.records[-1].saw.parts[2].text == record.summary  # type: ignore[union-attr]


def test_user_messages_pile_up_and_only_the_newest_item_stands_in_for_the_rest(
    server: Loopback, client: openai.OpenAI
) -> None:
    items: list[Any] = ITEMS
    for number in range(3):
        output = client.responses.compact(model="gpt-5.4", input=items).output
        assert [item.type for item in output].count("compaction") == 1
        assert len(output) == 3 + number
        items = [*as_input(output), {"role": "user", "content": f"more {number}"}]
    assert RULE in server.records[-1].shown.said("user")  # type: ignore[union-attr]


def test_in_line_compaction_comes_by_the_server_s_count_and_a_trigger_item_forces_it(
    server: Loopback, client: openai.OpenAI
) -> None:
    server.api.writer = dropping(RULE)  # type: ignore[attr-defined]
    managed: Any = [{"type": "compaction", "compact_threshold": 300}]
    for items, types in ((ITEMS[:2], ["message"]), (ITEMS, ["compaction", "message"])):
        reply = client.responses.create(model="gpt-5.4", input=items, store=False, context_management=managed)
        assert [item.type for item in reply.output] == types
    forced = client.responses.create(model="gpt-5.4", input=[*ITEMS, {"type": "compaction_trigger"}], store=False)
    assert [item.type for item in forced.output] == ["compaction"]
    with pytest.raises(openai.BadRequestError, match="must be the final input item"):
        client.responses.create(model="gpt-5.4", input=[{"type": "compaction_trigger"}, *ITEMS])
    assert [record.compacted for record in server.records] == [None, "in line", "trigger", None]
    assert server.records[1].prompt == OWN_PROMPT


def test_a_sealed_item_that_was_altered_is_refused(client: openai.OpenAI) -> None:
    item = as_input(client.responses.compact(model="gpt-5.4", input=ITEMS).output)[-1]
    sealed = item["encrypted_content"]
    for altered in (sealed[:-8] + "AAAAAAA=", sealed[:20] + sealed[24:], "gAAAA", "not base64 ✋"):
        with pytest.raises(openai.BadRequestError, match="could not be verified"):
            client.responses.create(model="gpt-5.4", input=[{**item, "encrypted_content": altered}])


def test_open_calls_and_orphan_results_are_refused(client: openai.OpenAI) -> None:
    for items, said in (([*ITEMS[:2], CALL], "No tool output found"), ([ITEMS[1], RESULT], "No tool call found")):
        for ask in (client.responses.compact, client.responses.create):
            with pytest.raises(openai.BadRequestError, match=said):
                ask(model="gpt-5.4", input=items)  # type: ignore[operator]


def test_a_stored_response_goes_on_by_its_id_and_an_unstored_one_does_not(
    server: Loopback, client: openai.OpenAI
) -> None:
    first = client.responses.create(model="gpt-5.4", input=ITEMS)
    client.responses.create(model="gpt-5.4", input="and now?", previous_response_id=first.id)
    assert RULE in server.records[-1].saw.text  # type: ignore[union-attr]
    compacted = client.responses.compact(model="gpt-5.4", previous_response_id=first.id)
    assert [item.type for item in compacted.output] == ["message", "message", "compaction"]
    gone = client.responses.create(model="gpt-5.4", input=ITEMS, store=False)
    with pytest.raises(openai.BadRequestError, match="not found"):
        client.responses.create(model="gpt-5.4", input="x", previous_response_id=gone.id)


def test_a_writer_that_breaks_is_a_server_error(server: Loopback, client: openai.OpenAI) -> None:
    server.api.writer = failing  # type: ignore[attr-defined]
    with pytest.raises(openai.InternalServerError, match="the summariser is down"):
        client.responses.compact(model="gpt-5.4", input=ITEMS)


# ---- chat, counting, caching, streams


def chat(client: openai.OpenAI, **more: Any) -> Any:
    messages: list[Any] = [
        {"role": "system", "content": "SYS"},
        {"role": "user", "content": RULE},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "файл ✓"},
    ]  # fmt: skip
    tools = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
    return client.chat.completions.create(**{"model": "gpt-4o", "messages": messages, "tools": tools, **more})


def test_chat_completions_act_with_tools_and_write_without(server: Loopback, client: openai.OpenAI) -> None:
    server.api.actor = lambda view: [Called("ls", {"p": "/ü"})]  # type: ignore[attr-defined]
    choice = chat(client).choices[0]
    assert (choice.finish_reason, choice.message.tool_calls[0].function.arguments) == (
        "tool_calls",
        '{"p": "/\\u00fc"}',
    )
    written = chat(client, tools=[]).choices[0].message.content
    assert RULE in written
    assert "файл ✓" in written
    short = chat(client, tools=[], max_completion_tokens=5).choices[0]
    assert (short.finish_reason, len(short.message.content)) == ("length", 5)
    with pytest.raises(openai.BadRequestError, match="No tool call found"):
        chat(client, messages=[{"role": "tool", "tool_call_id": "c9", "content": "x"}])


def test_a_prefix_that_was_read_before_is_a_cached_read_in_whole_steps(client: openai.OpenAI) -> None:
    long: list[Any] = [{"role": "user", "content": "x" * 1500}]
    reads = []
    for items in (long, [*long, {"role": "user", "content": "more"}], [{"role": "user", "content": "y" * 1500}]):
        usage = client.responses.create(model="gpt-5.4", input=items).usage
        assert usage is not None
        reads.append(usage.input_tokens_details.cached_tokens)
        assert usage.input_tokens > 1500
    assert reads == [0, 1408, 0]
    counted = client.responses.input_tokens.count(model="gpt-5.4", input=long)
    assert 1500 < counted.input_tokens < 1600


def test_streams_say_what_the_plain_answer_says(server: Loopback, client: openai.OpenAI) -> None:
    plain = client.responses.create(model="gpt-5.4", input=ITEMS)
    with client.responses.stream(model="gpt-5.4", input=ITEMS) as stream:
        final = stream.get_final_response()
    assert final.output_text == plain.output_text != ""
    server.api.actor = lambda view: [Called("ls", {"p": 1})]  # type: ignore[attr-defined]
    chunks = list(chat(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.tool_calls[0].function.name == "ls"
    assert chunks[1].choices[0].finish_reason == "tool_calls"
    assert chunks[2].usage.prompt_tokens > 0
    with client.responses.stream(model="gpt-5.4", input=ITEMS, tools=[TOOL]) as stream:
        called: Any = stream.get_final_response().output[0]
    assert (called.name, called.arguments) == ("ls", '{"p": 1}')


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        (FaultKind.RATE_LIMIT, openai.RateLimitError),
        (FaultKind.SERVER_ERROR, openai.InternalServerError),
        (FaultKind.DROPPED, openai.APIConnectionError),
        (FaultKind.TRUNCATED, Exception),
        (FaultKind.MALFORMED, Exception),
    ],
)
def test_a_fault_reaches_the_client_and_the_next_request_is_answered(
    server: Loopback, client: openai.OpenAI, kind: FaultKind, raised: type[Exception]
) -> None:
    server.faults.append(Fault(kind, path="/compact"))
    assert client.responses.create(model="gpt-5.4", input=ITEMS).output_text
    with pytest.raises(raised):
        client.responses.compact(model="gpt-5.4", input=ITEMS)
    assert client.responses.compact(model="gpt-5.4", input=ITEMS).output


def test_a_content_filter_ends_a_response_and_a_chat(server: Loopback, client: openai.OpenAI) -> None:
    server.faults.append(Fault(FaultKind.CONTENT_FILTER, times=2))
    reply = client.responses.create(model="gpt-5.4", input=ITEMS)
    assert (reply.status, reply.incomplete_details.reason) == ("incomplete", "content_filter")  # type: ignore[union-attr]
    assert chat(client).choices[0].finish_reason == "content_filter"


def test_the_key_of_each_request_is_recorded(server: Loopback, client: openai.OpenAI) -> None:
    client.responses.create(model="gpt-5.4", input="x")
    assert server.records[-1].key == "x"
