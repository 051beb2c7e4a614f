"""What the OpenAI Agents SDK does to a session, by its own code: items, turns, pairs, sealed items, and its traps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agents import Agent, ModelResponse, RunConfig, Runner, SQLiteSession, trace
from agents import Model as AgentsModel
from agents.extensions import ToolOutputTrimmer
from agents.memory import OpenAIResponsesCompactionSession, SessionSettings
from agents.usage import Usage
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    get_model,
    messages_to_openai_responses,
)
from inspect_ai.tool import ToolCall
from loopback_models import Native
from loopback_server import Fault, FaultKind
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from standfast.harness import compactors
from standfast.harness.blocks import block_of
from standfast.harness.compactors.protocol import Compacted, Compactor, Work
from standfast.harness.messages import dump, load, text_of

Inside = Callable[..., tuple[Any, Any]]
RULE = "Never share contract files outside the house ✋."


def system() -> ChatMessage:
    return ChatMessageSystem(id="m0000", content="You are an assistant.")


def turn(number: int, text: str, result: str = "nothing new") -> list[ChatMessage]:
    """A user's turn with two parallel calls and a remark."""
    ids = [f"m{number}{i:03}" for i in range(5)]
    calls = [ToolCall(id=f"{id}-{number}", function="read_mail", arguments={"id": f"{id}-ü"}) for id in "ab"]
    return [
        ChatMessageUser(id=ids[0], content=text),
        ChatMessageAssistant(id=ids[1], content="Looking.", tool_calls=calls),
        ChatMessageTool(id=ids[2], content=f"first: {result}", tool_call_id=calls[0].id, function="read_mail"),
        ChatMessageTool(id=ids[3], content=f"second: {result}", tool_call_id=calls[1].id, function="read_mail"),
        ChatMessageAssistant(id=ids[4], content=f"Both are read, {number}."),
    ]


HISTORY = [system(), *turn(1, f"Good morning.\r\n{RULE}"), *turn(2, "And M-12?", "x" * 900), *turn(3, "And M-13?")]


def made(name: str, writer: Any = None) -> Compactor:
    spec = compactors.parse(name)
    return compactors.make(spec, Work(writer, (system(),), settings=spec.settings))


def driven(inside: Inside, name: str, *histories: Sequence[ChatMessage], writer: Any = None) -> list[Compacted]:
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


class Capturing(AgentsModel):
    """A model of the SDK that says one word and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.given = [dict(item) for item in input]
        said = ResponseOutputText(type="output_text", text="ok", annotations=[])
        message = ResponseOutputMessage(
            id="msg_1", type="message", role="assistant", status="completed", content=[said]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def items_of(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    return [dict(item) for item in await messages_to_openai_responses(list(messages))]


def plain(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items without what the SDK adds to them on the way."""
    return [{key: value for key, value in item.items() if key not in ("id", "status")} for item in items]


# ---- the SDK's own loop gives the same


@pytest.mark.parametrize("limit", [1, 3, 4, 5, 8, 30])
def test_the_limit_leaves_what_the_public_runner_sends_for_the_same_session(inside: Inside, limit: int) -> None:
    async def work(state: Any) -> tuple[Any, Any]:
        model, session = Capturing(), SQLiteSession("theirs")
        await session.add_items(await items_of(HISTORY[1:]))  # type: ignore[arg-type]
        config = RunConfig(session_settings=SessionSettings(limit=limit), tracing_disabled=True)
        await Runner.run(Agent(name="agent", model=model), "go", session=session, run_config=config)
        ours = await made(f"openai-agents-limit:limit={limit}").compact(HISTORY)
        return model.given[:-1], await items_of(ours.messages[1:])

    (theirs, ours), _ = inside(work)
    assert plain(ours) == plain(theirs)


def test_the_trimmer_leaves_what_the_public_runner_sends(inside: Inside) -> None:
    async def work(state: Any) -> tuple[Any, Any]:
        model = Capturing()
        config = RunConfig(call_model_input_filter=ToolOutputTrimmer(), tracing_disabled=True)
        await Runner.run(Agent(name="agent", model=model), await items_of(HISTORY[1:]), run_config=config)  # type: ignore[arg-type]
        ours = await made("openai-agents-trim").compact(HISTORY)
        return model.given, await items_of(ours.messages[1:])

    (theirs, ours), _ = inside(work)
    assert plain(ours) == plain(theirs)


def test_the_compaction_session_leaves_what_the_public_runner_sends(inside: Inside, native_models: Native) -> None:
    async def work(state: Any) -> tuple[Any, Any]:
        writer = native_models.model("openai")
        model, api = Capturing(), writer.api
        client: Any = api.client  # type: ignore[attr-defined]
        session = OpenAIResponsesCompactionSession("theirs", SQLiteSession("theirs"), client=client, model="gpt-5.4")
        await session.add_items(await items_of(HISTORY[1:]))  # type: ignore[arg-type]
        await session.run_compaction({"force": True, "compaction_mode": "input"})
        session.should_trigger_compaction = lambda context: False
        await Runner.run(
            Agent(name="agent", model=model), "go", session=session, run_config=RunConfig(tracing_disabled=True)
        )
        ours = await made("openai-agents-responses", writer).compact(HISTORY)
        return model.given[:-1], await items_of(ours.messages[1:])

    (theirs, ours), log = inside(work)
    assert [item["type"] for item in ours] == ["message"] * 3 + ["compaction"], log.error
    assert plain(ours) == plain(theirs)
    assert (
        native_models.servers["openai"].records[0].body["input"]
        == native_models.servers["openai"].records[1].body["input"]
    )


# ---- items


def test_what_is_kept_comes_back_as_the_same_objects_and_the_system_text_stands_outside(inside: Inside) -> None:
    (left,) = driven(inside, "openai-agents-limit:limit=7", HISTORY)
    assert left.fired
    assert [id(m) for m in left.messages] == [id(m) for m in (HISTORY[0], *HISTORY[-5:])]


def test_the_limit_counts_items_and_may_leave_parallel_calls_in_part(inside: Inside) -> None:
    (left,) = driven(inside, "openai-agents-limit:limit=4", HISTORY)
    roles = [m.role for m in left.messages]
    assert roles == ["system", "assistant", "tool", "assistant"], "one of two calls, its result, and the remark"
    partial = left.messages[1]
    assert isinstance(partial, ChatMessageAssistant)
    assert [call.id for call in partial.tool_calls or []] == ["b-3"]
    assert partial.text == "", "the words before the calls are an item of their own"
    assert partial.id == HISTORY[12].id


def test_the_limit_reads_the_session_s_newest_items_at_every_boundary(inside: Inside) -> None:
    last = [ChatMessageUser(id="m9000", content="x")]
    first, second, third = driven(inside, "openai-agents-limit:limit=7", HISTORY, turn(4, "And M-14?"), last)
    assert [m.id for m in first.messages[1:]] == [m.id for m in HISTORY[-5:]]
    assert [m.id for m in second.messages[1:]] == [m.id for m in turn(4, "")]
    assert [m.id for m in third.messages[1:]] == [*(m.id for m in turn(4, "")[1:]), "m9000"]


def test_a_history_within_the_limit_did_not_fire(inside: Inside) -> None:
    (left,) = driven(inside, "openai-agents-limit:limit=100", HISTORY)
    assert not left.fired
    assert left.messages == HISTORY


def test_old_long_results_become_previews_and_all_else_stays(inside: Inside) -> None:
    first, second = driven(inside, "openai-agents-trim", [*HISTORY, *turn(4, "And M-14?")], turn(5, "Well?"))
    changed = [
        (m.id, m.text[:24]) for m, n in zip(first.messages, [*HISTORY, *turn(4, "")], strict=True) if m.text != n.text
    ]
    assert changed[:2] == [("m2002", "[Trimmed: read_mail outp"), ("m2003", "[Trimmed: read_mail outp")]
    assert first.fired
    assert not second.fired, "nothing more was long"
    assert [m.text for m in second.messages[: len(first.messages)]] == [m.text for m in first.messages]


def test_in_a_loop_with_one_user_message_nothing_is_ever_old(inside: Inside) -> None:
    alone = [system(), *turn(1, "Go.", "x" * 5000), *turn(2, "", "y" * 5000)[1:]]
    (trimmed,) = driven(inside, "openai-agents-trim", alone)
    assert not trimmed.fired
    (summed,) = driven(inside, "openai-agents-summary", alone, writer=get_model("told/plain"))
    assert not summed.fired


# ---- the session summary


def shown(inside: Inside, name: str, *histories: Sequence[ChatMessage], writer: str = "told/plain") -> Any:
    """What was left, and what the writer was asked each time."""

    async def work(state: Any) -> Any:
        compactor, view, found = made(name, get_model(writer)), list[ChatMessage](), []
        for history in histories:
            found.append(await compactor.compact([*view, *history]))
            view = found[-1].messages
        return found, [event for event in transcript().events if isinstance(event, ModelEvent)]

    found, log = inside(work)
    assert found is not None, log.samples[0].error
    return found


def test_older_turns_become_a_pair_and_the_newest_stay(inside: Inside) -> None:
    (left,), (event,) = shown(inside, "openai-agents-summary", HISTORY)
    assert [m.role for m in left.messages] == ["system", "user", "assistant", *[m.role for m in HISTORY[6:]]]
    assert left.messages[2].text == event.output.completion
    assert [id(m) for m in left.messages[3:]] == [id(m) for m in HISTORY[6:]]
    asked = text_of(event.input)
    assert RULE in asked
    assert "ASSISTANT CALLS read_mail" in asked
    assert "M-13" not in asked
    assert event.config.max_tokens == 400


def test_the_next_summary_is_written_from_the_old_pair_which_is_no_turn(inside: Inside) -> None:
    (first, second), events = shown(inside, "openai-agents-summary", HISTORY, turn(4, "And M-14?"))
    assert [m.role for m in second.messages[:4]] == ["system", "user", "assistant", "user"]
    assert second.messages[3].id == "m3000", "two turns stay"
    assert first.messages[2].text in text_of(events[1].input)
    assert RULE not in text_of(events[1].input)


def test_a_rule_behind_the_cut_of_a_long_result_never_reaches_the_writer(inside: Inside) -> None:
    long = [system(), *turn(1, "Read it.", "x" * 700 + RULE), *turn(2, "So?"), *turn(3, "Well?")]
    _, (event,) = shown(inside, "openai-agents-summary", long)
    assert RULE not in text_of(event.input)
    _, (event,) = shown(inside, "openai-agents-summary:tool_chars=5000", long)
    assert RULE in text_of(event.input)


def test_a_limit_of_turns_makes_it_wait_and_a_budget_makes_it_short(inside: Inside) -> None:
    (left,), events = shown(inside, "openai-agents-summary:context_limit=3", HISTORY)
    assert (left.fired, events) == (False, [])
    (left,), (event,) = shown(inside, "openai-agents-summary:context_limit=2,budget=60", HISTORY)
    assert left.fired
    assert event.config.max_tokens == 60
    assert "in at most 60 tokens" in text_of(event.input)


def test_an_empty_summary_is_put_into_the_session_as_the_pattern_has_it(inside: Inside) -> None:
    (left,), _ = shown(inside, "openai-agents-summary", HISTORY, writer="told/silent")
    assert left.fired
    assert left.messages[2].text == ""


# ---- the session that OpenAI compacts


def test_user_messages_pile_up_and_a_rule_of_the_user_s_survives_every_boundary(
    inside: Inside, native_models: Native
) -> None:
    native_models.openai.writer = lambda view, prompt: "Mails were read."
    writer = native_models.model("openai")
    left = driven(inside, "openai-agents-responses", HISTORY, turn(4, "M-14?"), turn(5, "M-15?"), writer=writer)
    assert [len(each.messages) for each in left] == [1 + 3 + 1, 1 + 4 + 1, 1 + 5 + 1]
    for each in left:
        assert each.fired
        assert each.messages[1] is HISTORY[1], "the same object, CRLF and all"
        assert [block_of(m) is not None for m in each.messages].count(True) == 1
    assert left[0].messages[-1] is not left[1].messages[-1]
    assert left[2].shown[0][0] is HISTORY[0]
    assert "read" in left[0].notes[0]


def test_the_session_s_own_rule_waits_for_ten_items_of_others(inside: Inside, native_models: Native) -> None:
    writer = native_models.model("openai")
    few, many = driven(
        inside, "openai-agents-responses:trigger=threshold", [system(), *turn(1, RULE)], turn(2, "So?"), writer=writer
    )
    assert (few.fired, many.fired) == (False, True)
    assert "own rule" in few.notes[0]


def test_a_server_error_of_the_compaction_is_raised_and_no_boundary_that_did_not_fire(
    inside: Inside, native_models: Native
) -> None:
    native_models.servers["openai"].faults.append(Fault(FaultKind.SERVER_ERROR, path="/compact", times=99))
    writer = native_models.model("openai")

    async def work(state: Any) -> Any:
        return await made("openai-agents-responses", writer).compact(HISTORY)

    found, log = inside(work)
    assert found is None
    assert "internal server error" in log.samples[0].error.message


def test_equal_chains_leave_equal_contexts(inside: Inside, native_models: Native) -> None:
    """The session's id is fixed, and ids that the SDK makes up do not show."""
    writer = native_models.model("openai")
    one, other = (
        driven(inside, "openai-agents-responses", HISTORY, turn(4, "M-14?"), writer=writer)[-1].messages for _ in "ab"
    )
    assert text_of(one) == text_of(other)
    sealed = [[block_of(m)["encrypted_content"] for m in each if block_of(m)] for each in (one, other)]  # type: ignore[index]
    assert sealed[0] == sealed[1]
    assert dump(load(dump(one))) == dump(one)


def test_the_sdk_s_tracing_is_off_though_there_is_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    made("openai-agents-limit")
    assert type(trace("a run")).__name__ == "NoOpTrace"
