"""OpenAI's own compaction through Inspect's provider, and both of its APIs as Inspect speaks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolInfo
from loopback_models import Native
from loopback_server import Fault, FaultKind
from loopback_views import Called
from standfast.harness import compactors
from standfast.harness.blocks import block_of, is_opaque, is_sealed
from standfast.harness.compactors.protocol import Compacted, Compactor, Work
from standfast.harness.faults import BadInput
from standfast.harness.messages import dump, load, normalise, text_of

Inside = Callable[..., tuple[Any, Any]]
RULE = "Never write under /etc/prod ✋."
LOOK = ToolInfo(name="look", description="Looks.")


def history(number: int, text: str, result: str = "nothing new") -> list[ChatMessage]:
    call = ToolCall(id=f"t{number}", function="look", arguments={"at": "/ü"})
    return [
        ChatMessageUser(id=f"m{number}000", content=text),
        ChatMessageAssistant(id=f"m{number}001", content="Looking.", tool_calls=[call]),
        ChatMessageTool(id=f"m{number}002", content=result, tool_call_id=call.id, function="look"),
        ChatMessageAssistant(id=f"m{number}003", content="So it is."),
    ]


SYSTEM = ChatMessageSystem(id="m0000", content="You are an assistant.")
HISTORY = [SYSTEM, *history(1, f"Tidy up.\r\n{RULE}"), *history(2, "Go on.", "a secret rule of the file")]


def made(writer: Any, name: str = "openai-responses") -> Compactor:
    spec = compactors.parse(name)
    return compactors.make(spec, Work(writer, (SYSTEM,), (LOOK,), spec.settings))


def driven(inside: Inside, writer: Model, *histories: Sequence[ChatMessage], name: str = "openai-responses") -> Any:
    """What is left at each boundary; None where the chain ended, and why it did."""

    async def work(state: Any) -> list[Compacted]:
        compactor, view, found = made(writer, name), list[ChatMessage](), []
        for each in histories:
            found.append(await compactor.compact([*view, *each]))
            view = found[-1].messages
        return found

    found, log = inside(work)
    return found, log.samples[0].error


def test_user_messages_stay_the_same_objects_and_one_sealed_item_stands_for_the_rest(
    inside: Inside, native_models: Native
) -> None:
    (one, two, three), _ = driven(
        inside, native_models.model("openai"), HISTORY, history(3, "And then?"), history(4, "Go on.")
    )
    assert [id(m) for m in one.messages[:3]] == [id(m) for m in (HISTORY[0], HISTORY[1], HISTORY[5])]
    assert [m.id for m in three.messages[:-1]] == ["m0000", "m1000", "m2000", "m3000", "m4000"], "they pile up"
    for each in (one, two, three):
        assert [is_sealed(m) for m in each.messages].count(True) == 1
        assert is_opaque(each.messages[-1])
        assert RULE in text_of(each.messages), "the user's own words survive by construction"
        assert "a secret rule" not in text_of(each.messages)
        assert dump(load(dump(each.messages))) == dump(each.messages)
        assert normalise(each.messages) == (each.messages, [])
        assert each.summary is None, "nobody can read it"


def test_what_was_sent_and_spent_is_recorded_and_the_item_goes_in_again(inside: Inside, native_models: Native) -> None:
    (one, two), _ = driven(inside, native_models.model("openai"), HISTORY, history(3, "And then?"))
    assert one.shown == (tuple(HISTORY),)
    assert "tokens and wrote" in one.notes[0]
    first, second = native_models.servers["openai"].records
    assert first.shown.said("user")[0] == HISTORY[1].text  # type: ignore[union-attr]
    sealed = next(block_of(m) for m in one.messages if block_of(m))
    assert sealed is not None
    assert sealed["encrypted_content"] in [item.get("encrypted_content") for item in second.body["input"]]
    assert two.fired


def test_instructions_go_out_as_a_setting(inside: Inside, native_models: Native) -> None:
    driven(inside, native_models.model("openai"), HISTORY)
    driven(inside, native_models.model("openai"), HISTORY, name="openai-responses:instructions=rules")
    own, rules = (record.body.get("instructions") for record in native_models.servers["openai"].records)
    assert own is None
    assert "word for word" in rules


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.DROPPED, FaultKind.TRUNCATED, FaultKind.MALFORMED])
def test_a_fault_on_the_wire_ends_the_chain(inside: Inside, native_models: Native, kind: FaultKind) -> None:
    native_models.servers["openai"].faults.append(Fault(kind, times=9))
    found, error = driven(inside, native_models.model("openai"), HISTORY)
    assert found is None
    assert error is not None


def test_an_open_call_and_an_altered_item_are_errors(inside: Inside, native_models: Native) -> None:
    found, error = driven(inside, native_models.model("openai"), HISTORY[:3])
    assert found is None
    assert "No tool output found" in error.message
    (one,), _ = driven(inside, native_models.model("openai"), HISTORY)
    block = block_of(one.messages[-1])
    assert block is not None
    block["encrypted_content"] = block["encrypted_content"][:-8] + "AAAAAAA="
    found, error = driven(inside, native_models.model("openai"), one.messages)
    assert found is None
    assert "could not be verified" in error.message


def test_a_model_of_the_chat_api_is_told_what_to_say(native_models: Native) -> None:
    chat = get_model("openai/gpt-4o", memoize=False, **native_models.args("openai"))
    for name in ("openai-responses", "openai-agents-responses"):
        with pytest.raises(BadInput, match="openai/gpt-4o does not use the Responses API; say -M responses_api=true"):
            made(chat, name)


@pytest.mark.parametrize(("name", "path"), [("gpt-5.4", "/responses"), ("gpt-4o", "/chat/completions")])
def test_inspect_speaks_both_apis_with_calls_results_and_cached_reads(
    inside: Inside, native_models: Native, name: str, path: str
) -> None:
    native_models.openai.actor = lambda view: (
        [Called("look", {"at": "/ü"})] if view.parts[-1].kind == "text" else "Seen."
    )
    native_models.openai.ledger.tokens_per_char = 20.0
    model = get_model(f"openai/{name}", memoize=False, **native_models.args("openai"))

    async def work(state: Any) -> Any:
        config = GenerateConfig(max_retries=0)
        asked = [*HISTORY, ChatMessageUser(content="Look.")]
        first = await model.generate(asked, [LOOK], config=config)
        call = first.message.tool_calls[0]  # type: ignore[index]
        result = ChatMessageTool(content="x", tool_call_id=call.id, function=call.function)
        return call, await model.generate([*asked, first.message, result], [LOOK], config=config)

    (call, second), log = inside(work)
    assert (call.function, call.arguments) == ("look", {"at": "/ü"}), log.error
    assert second.completion == "Seen."
    assert second.usage.input_tokens_cache_read >= 1024
    assert {record.path.removeprefix("/v1") for record in native_models.servers["openai"].records} == {path}
