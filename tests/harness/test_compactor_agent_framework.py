"""Agent Framework's strategies on their own code: what they leave out, and what is recorded of each trap."""

from __future__ import annotations

import asyncio
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

pytest.importorskip("agent_framework")
from agent_framework import Agent, SummarizationStrategy, TruncationStrategy
from standfast.harness.compactors.agent_framework_model import WriterClient, to_message

Inside = Callable[..., tuple[Any, EvalLog]]
RULE = "Never change anything under /etc/prod: правило №1, 読み取り専用 🚫."
NAMES = ("summary", "truncation", "window", "tool-calls", "tool-results", "token-budget", "context-window")
EVERY = [f"agent-framework-{name}" for name in NAMES]
WRITING = ["agent-framework-summary", "agent-framework-token-budget"]


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


class Recorder(WriterClient):
    """An agent's client that keeps what it was sent, and says yes."""

    def __init__(self) -> None:
        super().__init__(Writer(("yes", "stop")).model)
        self.sent: list[Any] = []

    def _inner_get_response(self, *, messages: Any, stream: Any, options: Any, **kwargs: Any) -> Any:
        self.sent.append(list(messages))
        return super()._asked([m for m in messages if m.role == "user"])


def plain(messages: Sequence[Any]) -> list[tuple[str, str, int]]:
    return [(str(m.role), m.text, len(m.contents)) for m in messages]


# ---- the runtime's own loop


def test_prompt_and_history_are_those_of_an_agent_with_the_strategy() -> None:
    given, its, ours = history(), Writer(), Writer()
    client = Recorder()

    async def both() -> Compacted:
        strategy = SummarizationStrategy(client=WriterClient(its.model), target_count=4, threshold=0)
        agent = Agent(client=client, instructions="Be brief.", compaction_strategy=strategy)
        await agent.run([to_message(m) for m in given])
        found: Compacted = await made("agent-framework-summary", ours).compact(list(given))
        return found

    found = asyncio.run(both())
    assert its.shown[0] == ours.shown[0]
    assert RULE in ours.shown[0]
    assert "Be brief." not in ours.shown[0]
    assert plain(client.sent[0]) == plain([to_message(m) for m in found.messages])


def test_a_mechanical_strategy_leaves_what_an_agent_would_send() -> None:
    given, client = history(), Recorder()
    agent = Agent(client=client, compaction_strategy=TruncationStrategy(max_n=8, compact_to=8))
    asyncio.run(agent.run([to_message(m) for m in given]))
    found, _ = once("agent-framework-truncation", given)
    assert plain(client.sent[0]) == plain([to_message(m) for m in found.messages])


# ---- traps


def test_a_first_group_over_the_input_budget_stays_and_is_not_shown() -> None:
    given = history()
    given[1] = user("m1", RULE + "x" * 40_000)
    found, shown = once("agent-framework-summary", given)
    assert found.messages[1] is given[1] or given[1] in found.messages
    assert RULE not in shown[0]
    found, shown = once("agent-framework-summary:input_tokens=none", given)
    assert RULE in shown[0]
    assert given[1] not in found.messages


def test_where_no_group_fits_into_the_input_budget_nothing_fires_and_a_note_says_so() -> None:
    given = history()
    found, shown = once("agent-framework-summary:input_tokens=10", given)
    assert not found.fired
    assert shown == []
    assert "no summary was asked for" in found.notes[0]
    assert [id(m) for m in found.messages] == [id(m) for m in given]


@pytest.mark.parametrize("name", WRITING)
def test_an_empty_summary_is_an_error_where_the_framework_silently_keeps_the_history(name: str) -> None:
    with pytest.raises(RuntimeError, match="summary is empty"):
        once(name, history(), Writer((" ", "stop")))


def test_the_last_summary_is_summarised_again() -> None:
    writer = Writer(("FIRST SUMMARY", "stop"), ("SECOND SUMMARY", "stop"))

    async def work() -> Compacted:
        compactor = made("agent-framework-summary", writer)
        first = await compactor.compact(history())
        second: Compacted = await compactor.compact([*first.messages, *work_turn(9)])
        return second

    found = asyncio.run(work())
    assert "FIRST SUMMARY" in writer.shown[1]
    assert "FIRST SUMMARY" not in text_of(found.messages)
    assert found.messages[1].role == "assistant"


def test_a_small_budget_drops_the_summary_and_the_system_text_and_the_fallback_says_so() -> None:
    long = Writer(("S" * 4000, "stop"))
    found, shown = once("agent-framework-token-budget:trigger=threshold,window=60,keep=1", history(), long)
    assert len(shown) == 1
    assert found.fallback is not None
    assert found.fallback.startswith("token_budget_fallback_strict")
    assert not any(m.role == "system" for m in found.messages)
    assert "SSSS" not in text_of(found.messages)


def test_collapsed_tool_results_lose_the_arguments_and_what_stands_after_their_cut() -> None:
    given = history(1)
    given[4] = given[4].model_copy(update={"content": "A" * 4096 + RULE})
    given[1] = user("m1", "Please look.")
    found, _ = once("agent-framework-tool-results:keep=0", given)
    said = text_of(found.messages)
    assert "[Tool results: read_mail: AAAA" in said
    assert RULE not in said
    assert "M-0a" not in said
    assert found.messages[1] is given[1]


def test_without_tool_calls_the_others_stay_word_for_word() -> None:
    given = history()
    found, _ = once("agent-framework-tool-calls", given)
    assert [m.id for m in found.messages if m.role == "tool"] == ["t2a", "t2b"]
    assert given[1] in found.messages


# ---- triggers and errors


@pytest.mark.parametrize("name", ["truncation", "token-budget", "context-window"])
def test_by_its_threshold_a_strategy_leaves_a_short_history_and_compacts_a_long_one(name: str) -> None:
    given = history()
    found, shown = once(f"agent-framework-{name}:trigger=threshold,window=20000", given)
    assert not found.fired
    assert shown == []
    assert [id(m) for m in found.messages] == [id(m) for m in given]
    assert once(f"agent-framework-{name}:trigger=threshold,window=700", given)[0].fired


def test_the_summary_waits_for_two_messages_more_by_its_own_threshold() -> None:
    given = history(1)
    assert len(given) == 7
    assert once("agent-framework-summary:keep=4", given)[0].fired
    assert not once("agent-framework-summary:keep=4,trigger=threshold", given)[0].fired
    assert once("agent-framework-summary:keep=3,trigger=threshold", given)[0].fired


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
