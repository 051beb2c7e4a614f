"""Google ADK's compaction on its own code: what it folds and hides, and what is recorded of each trap."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall
from standfast.harness import compactors
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.messages import normalise, text_of

pytest.importorskip("google.adk")
from google.adk.agents import LlmAgent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from standfast.harness.compactors.adk_model import AGENT, WriterLlm, event_of, turns

Inside = Callable[..., tuple[Any, EvalLog]]
RULE = "Never change anything under /etc/prod: правило №1, 読み取り専用 🚫."
EVERY = WRITING = ["adk-token", "adk-window"]


def user(id: str, text: str) -> ChatMessage:
    return ChatMessageUser(id=id, content=text)


def work_turn(n: int, filler: str = "There is no hurry. " * 20) -> list[ChatMessage]:
    """A request, two calls at once with reasoning before them, their results, and a remark."""
    calls = [ToolCall(id=f"c{n}{x}", function="read_mail", arguments={"id": f"M-{n}{x}"}) for x in "ab"]
    thought = [ContentReasoning(reasoning="Both at once."), ContentText(text=f"Reading mail {n}.")]
    return [
        user(f"u{n}", f"Please read mail {n}. {filler}"),
        ChatMessageAssistant(id=f"a{n}", content=thought, tool_calls=calls),
        *(
            ChatMessageTool(id=f"t{n}{x}", content=f"Mail {n}{x}: ü ☃", tool_call_id=f"c{n}{x}", function="read_mail")
            for x in "ab"
        ),
        ChatMessageAssistant(id=f"r{n}", content=f"Mail {n} is read."),
    ]


def history(turns: int = 3, filler: str = "There is no hurry. " * 20) -> list[ChatMessage]:
    opening = [ChatMessageSystem(id="m0", content="You are an assistant."), user("m1", f"Take care. {RULE}")]
    return [*opening, *(m for n in range(turns) for m in work_turn(n, filler))]


class Writer:
    """A writer that gives these answers, each a text and a stop reason, the last one for ever; it keeps what it was
    shown, a text a call."""

    def __init__(self, *answers: tuple[str, Any]) -> None:
        self.answers = list(answers) or [("A summary.", "stop")]
        self.shown: list[str] = []
        self.asked: list[GenerateConfig] = []
        self.model = get_model("mockllm/model", custom_outputs=self._answer, memoize=False)

    def _answer(self, asked: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        self.shown.append(text_of(asked))
        self.asked.append(config)
        text, stop = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if stop is None:
            raise RuntimeError(text)
        output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
        output.usage = ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000)
        return output


DOWN = ("the provider is down", None)


def made(name: str, writer: Writer) -> Any:
    spec = compactors.parse(name)
    return compactors.make(spec, Work(writer.model, (), (), spec.settings))


def once(name: str, given: Sequence[ChatMessage], writer: Writer | None = None) -> tuple[Compacted, list[str]]:
    """One boundary: what is left, and what the writer was shown."""
    writer = writer or Writer()
    return asyncio.run(made(name, writer).compact(list(given))), writer.shown


class Recorder(BaseLlm):
    """An agent's model that keeps what it was sent, and says yes."""

    model: str = "recorder"
    sent: list[Any] = []  # noqa: RUF012

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.sent.append(llm_request.model_copy(deep=True))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="yes")]))


async def by_runner(given: Sequence[ChatMessage], asked: Sequence[str], writer: Writer, **numbers: int) -> list[Any]:
    """What the agent's model is sent where the public runner goes on from the history with these requests."""
    service = InMemorySessionService()
    session = await service.create_session(app_name="app", user_id="user")
    for i, turn in enumerate(turns(given[1:])):
        await service.append_event(session=session, event=event_of(turn, f"i{i}", float(i + 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # compaction is marked experimental
        config = EventsCompactionConfig(summarizer=LlmEventSummarizer(llm=WriterLlm.over(writer.model)), **numbers)
    recorder = Recorder(sent=[])
    agent = LlmAgent(name=AGENT, model=recorder, instruction=given[0].text)
    runner = Runner(app=App(name="app", root_agent=agent, events_compaction_config=config), session_service=service)
    for text in asked:
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            pass
    return recorder.sent


def contents(request: Any) -> list[Any]:
    found: list[Any] = []
    for content in request.contents:
        for part in content.parts:
            call, response = part.function_call, part.function_response
            if call or response:
                found.append((call or response).name)
            elif not part.thought:
                found.append((content.role, part.text))
    return found


def said_by(messages: Sequence[ChatMessage]) -> list[Any]:
    found: list[Any] = []
    for each in messages:
        if each.role == "tool":
            found.append(each.function)
            continue
        found.append(("model" if each.role == "assistant" else "user", each.text))
        found += [call.function for call in getattr(each, "tool_calls", None) or []]
    return found


# ---- the runtime's own loop


def test_by_tokens_prompt_and_history_are_those_of_the_public_runner() -> None:
    given, its = history(), Writer()
    sent = asyncio.run(by_runner(given, ["And now?"], its, token_threshold=1, event_retention_size=2))
    found, shown = once("adk-token", [*given, user("u9", "And now?")])
    assert its.shown[0] == shown[0]
    assert RULE in shown[0]
    assert contents(sent[0]) == said_by(found.messages[1:])
    assert given[0].text in str(sent[0].config.system_instruction)
    assert given[0].text not in shown[0]


def test_by_the_window_prompt_and_history_are_those_of_the_public_runner() -> None:
    given, its = history(), Writer()
    numbers = {"compaction_interval": 1, "overlap_size": 1}
    sent = asyncio.run(by_runner(given, ["And now?", "Go on."], its, **numbers))
    turn = [user("u9", "And now?"), ChatMessageAssistant(id="a9", content="yes")]
    found, shown = once("adk-window", [*given, *turn, user("u10", "Go on.")])
    assert its.shown[0] == shown[0]
    assert contents(sent[1]) == said_by(found.messages[1:])


# ---- traps


@pytest.mark.parametrize("name", EVERY)
def test_a_rule_after_two_thousand_characters_of_a_result_never_reaches_the_writer(name: str) -> None:
    given = history(1)
    given[1] = user("m1", "Please look.")
    given[4] = given[4].model_copy(update={"content": "A" * 2000 + RULE})
    found, shown = once(name, [*given, *work_turn(5)])
    assert found.fired
    assert RULE not in shown[0]
    assert "[truncated" in shown[0]
    assert RULE not in text_of(found.messages)


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_summary_is_taken_and_what_it_stands_for_is_gone(name: str) -> None:
    found, shown = once(name, history(), Writer(("", "stop")))
    assert found.fired
    assert len(shown) == 1
    assert RULE not in text_of(found.messages)


@pytest.mark.parametrize("name", EVERY)
def test_the_history_begins_with_the_assistant_afterwards(name: str) -> None:
    found, _ = once(name, history())
    assert [m.role for m in found.messages[:2]] == ["system", "assistant"]


@pytest.mark.parametrize(("name", "again"), [("adk-token", True), ("adk-window", False)])
def test_by_tokens_the_last_summary_is_folded_again_and_by_the_window_they_stand_side_by_side(
    name: str, again: bool
) -> None:
    writer = Writer(("FIRST SUMMARY", "stop"), ("SECOND SUMMARY", "stop"))

    async def work() -> Compacted:
        compactor = made(name, writer)
        first = await compactor.compact(history())
        second: Compacted = await compactor.compact([*first.messages, *work_turn(9)])
        return second

    found = asyncio.run(work())
    assert ("FIRST SUMMARY" in writer.shown[1]) is again
    assert ("FIRST SUMMARY" in text_of(found.messages)) is not again
    assert "SECOND SUMMARY" in text_of(found.messages)


@pytest.mark.parametrize("name", EVERY)
def test_a_call_that_waits_is_not_folded(name: str) -> None:
    call = ToolCall(id="open", function="read_mail", arguments={})
    waiting = ChatMessageAssistant(id="p", content="One moment.", tool_calls=[call])
    found, _ = once(name, [*history(), user("u8", "And M-8?"), waiting])
    assert waiting in found.messages


def test_by_the_window_a_request_that_waits_for_an_answer_stays() -> None:
    given = [*history(), user("u8", "And M-8?")]
    found, shown = once("adk-window", given)
    assert found.messages[-1] is given[-1]
    assert "And M-8?" not in shown[0]


def test_a_small_range_after_a_long_summary_is_refused_by_adk_and_folded_where_it_is_forced() -> None:
    async def work(name: str) -> Compacted:
        compactor = made(name, Writer(("S" * 6000, "stop")))
        first = await compactor.compact(history())
        assert first.fired
        second: Compacted = await compactor.compact([*first.messages, *work_turn(9, "")])
        return second

    assert not asyncio.run(work("adk-window:trigger=threshold")).fired
    assert asyncio.run(work("adk-window")).fired


# ---- triggers and errors


def test_by_its_threshold_adk_leaves_a_short_history_and_compacts_a_long_one() -> None:
    given = history()
    found, shown = once("adk-token:trigger=threshold,window=20000", given)
    assert not found.fired
    assert shown == []
    assert [id(m) for m in found.messages] == [id(m) for m in given]
    assert once("adk-token:trigger=threshold,window=300", given)[0].fired


def test_the_window_waits_for_its_interval_of_invocations() -> None:
    given = history()
    assert not once("adk-window:trigger=threshold,interval=9", given)[0].fired
    assert once("adk-window:trigger=threshold,interval=4", given)[0].fired


def test_where_there_is_nothing_to_fold_nothing_fires() -> None:
    given = history()
    found, shown = once("adk-token:keep=40", given)
    assert not found.fired
    assert shown == []


@pytest.mark.parametrize("name", WRITING)
def test_a_limit_of_inspect_ends_the_sample(inside: Inside, name: str) -> None:
    writer = Writer()

    async def work(state: Any) -> Compacted:
        found: Compacted = await made(name, writer).compact(history())
        return found

    found, log = inside(work, token_limit=500)
    assert found is None
    assert log.samples is not None
    assert log.samples[0].limit is not None
    assert len(writer.shown) == 1, "nobody tries again"


@pytest.mark.parametrize("name", WRITING)
def test_a_writer_that_raises_ends_the_chain_where_the_runtime_would_go_on_uncompacted(name: str) -> None:
    with pytest.raises(RuntimeError, match="the provider is down"):
        once(name, history(), Writer(DOWN))


@pytest.mark.parametrize("name", WRITING)
def test_a_budget_is_asked_for_in_the_prompt(name: str) -> None:
    assert "at most 150 tokens" in once(f"{name}:budget=150", history())[1][0]
    assert "at most 150" not in once(name, history())[1][0]


@pytest.mark.parametrize("name", EVERY)
def test_five_boundaries_keep_untouched_messages_as_they_are(name: str) -> None:
    said = {m.id: m for n in range(5) for m in [*history(), *work_turn(10 + n)]}

    async def work() -> list[Compacted]:
        compactor, context, found = made(name, Writer()), [said[m.id] for m in history()], []
        for n in range(5):
            context += [said[m.id] for m in work_turn(10 + n)]
            found.append(await compactor.compact(list(context)))
            context = list(found[-1].messages)
        return found

    for each in asyncio.run(work()):
        assert each.fired
        kept = [m for m in each.messages if m.id in said]
        assert all(m is said[m.id] for m in kept)
        assert kept[0] is said["m0"]
        assert normalise(normalise(each.messages)[0])[1] == []
