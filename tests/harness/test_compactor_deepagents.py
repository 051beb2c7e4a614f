"""deepagents' summarisation on its own code: the archive, the tool, the defaults, and what is recorded of each."""

from __future__ import annotations

import asyncio
import re
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

pytest.importorskip("deepagents")
from deepagents import create_deep_agent
from deepagents.backends import StoreBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.store.memory import InMemoryStore
from standfast.harness.compactors.langchain_model import WriterModel, to_langchain

pytestmark = pytest.mark.filterwarnings("ignore:Offloading conversation history")  # pytest lifts the adapter's filter

Inside = Callable[..., tuple[Any, EvalLog]]
RULE = "Never change anything under /etc/prod: правило №1, 読み取り専用 🚫."
EVERY = ["deepagents:keep=4", "deepagents:keep=4,archive=no", "deepagents-class:keep=4", "deepagents-tool:keep=4"]
FILE = "conversation_history/history.md"


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


class Recorder(GenericFakeChatModel):
    """An agent's model that keeps what it was sent."""

    sent: list[Any] = []  # noqa: RUF012

    def bind_tools(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def plain(messages: Sequence[BaseMessage]) -> list[tuple[str, str, list[Any]]]:
    """What the messages say; the random name of an archive is the one that it has here."""
    named = (re.sub(r"session_[0-9a-f]{32}", "history", m.text) for m in messages)
    calls = ([c["id"] for c in getattr(m, "tool_calls", [])] for m in messages)
    return [(m.type, text, ids) for m, text, ids in zip(messages, named, calls, strict=True)]


# ---- the runtime's own loop


def test_prompt_and_history_are_those_of_create_deep_agent_with_the_middleware() -> None:
    given, its, ours = history(8), Writer(), Writer()
    recorder = Recorder(messages=iter([AIMessage("ok")]))
    recorder.sent = []

    async def both() -> Compacted:
        backend = StoreBackend(namespace=lambda _: ("agent",), store=InMemoryStore())
        middleware = SummarizationMiddleware(
            WriterModel(writer=its.model),
            backend=backend,
            trigger=("messages", 1),
            keep=("messages", 4),
            trim_tokens_to_summarize=None,
        )
        agent = create_deep_agent(recorder, backend=backend, system_prompt=given[0].text, middleware=[middleware])
        await agent.ainvoke({"messages": [to_langchain(m) for m in given[1:]]})
        return await made("deepagents:keep=4", ours).compact(list(given))

    found = asyncio.run(both())
    assert its.shown == ours.shown
    assert RULE in ours.shown[0]
    assert plain([to_langchain(m) for m in found.messages])[1:] == plain(recorder.sent[0])[1:]


def test_by_its_threshold_the_factory_keeps_a_share_of_the_window() -> None:
    given = history(12)
    found, shown = once("deepagents:trigger=threshold,window=20000", given)
    assert not found.fired
    assert [m.id for m in found.messages] == [m.id for m in given]
    assert shown == []
    found, shown = once("deepagents:trigger=threshold,window=1500", given)
    assert found.fired
    assert len(shown) == 1
    assert len(found.messages) < len(given) / 2


# ---- defaults and archive


def test_the_class_trims_the_rule_away_before_the_writer_and_the_factory_does_not() -> None:
    given = history(8, "There is no hurry. " * 120)
    found, shown = once("deepagents-class:keep=4", given)
    assert RULE not in shown[0]
    assert RULE in found.archive[FILE], "lost for the writer, and in the archive"
    assert RULE in once("deepagents:keep=4", given)[1][0]


def test_the_summary_names_the_archive_and_it_holds_every_original_once() -> None:
    async def work() -> list[Compacted]:
        compactor = made("deepagents:keep=2", Writer(("THE SUMMARY", "stop")))
        first = await compactor.compact(history())
        return [first, await compactor.compact([*first.messages, *work_turn(9)])]

    first, second = asyncio.run(work())
    for each in (first, second):
        assert f"/{FILE}" in each.messages[1].text
        assert list(each.archive) == [FILE]
        assert "THE SUMMARY" not in each.archive[FILE]
    text = second.archive[FILE]
    assert text.startswith(first.archive[FILE])
    assert [text.count(said) for said in (RULE, "Reading mail 0.", "Reading mail 2.")] == [1, 1, 1]
    assert "## Summarized at boundary 1" in text
    assert "## Summarized at boundary 2" in text
    assert asyncio.run(work())[1].archive == second.archive, "no time and no chance in it"


def test_without_an_archive_nothing_is_named() -> None:
    found, shown = once("deepagents:keep=4,archive=no", history())
    assert found.archive == {}
    assert "conversation_history" not in text_of(found.messages)
    assert found.fallback is None
    assert len(shown) == 1


# ---- the tool


def test_the_tool_leaves_its_call_and_its_answer_in_the_history() -> None:
    found, shown = once("deepagents-tool:keep=4", history())
    *_, call, answer = found.messages
    assert isinstance(call, ChatMessageAssistant)
    assert [c.function for c in call.tool_calls or []] == ["compact_conversation"]
    assert answer.text.startswith("Conversation compacted.")
    assert RULE in shown[0]
    assert RULE in found.archive[FILE]
    assert normalise(found.messages)[1] == []


def test_the_tool_refuses_below_half_of_the_threshold_and_the_boundary_did_not_fire() -> None:
    given = history()
    found, shown = once("deepagents-tool:trigger=threshold,window=100000", given)
    assert not found.fired
    assert [id(m) for m in found.messages] == [id(m) for m in given]
    assert found.notes[0].startswith("Nothing to compact yet")
    assert shown == []
    # 0.425 of the window is enough for the tool, where the middleware itself would wait for 0.85
    tokens = 700
    assert once(f"deepagents-tool:trigger=threshold,window={tokens}", given)[0].fired
    assert not once(f"deepagents:trigger=threshold,window={tokens}", given)[0].fired


# ---- errors


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    from tenacity import wait_none

    monkeypatch.setattr("langchain_core.runnables.retry.wait_exponential_jitter", lambda **_: wait_none())


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize("name", EVERY)
def test_a_writer_that_raises_ends_the_chain_also_where_the_tool_answers_with_the_error(name: str) -> None:
    writer = Writer(DOWN)
    with pytest.raises(Exception, match="the provider is down"):
        once(name, history(), writer)
    assert len(writer.shown) == 3, "the runtime tries three times"


@pytest.mark.parametrize("name", EVERY)
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


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_summary_is_taken_and_the_boundary_fired(name: str) -> None:
    found, shown = once(name, history(), Writer(("", "stop")))
    assert found.fired
    assert len(shown) == 1


@pytest.mark.parametrize("name", EVERY)
def test_a_budget_is_asked_for_in_the_prompt(name: str) -> None:
    assert "at most 150 tokens" in once(f"{name},budget=150", history())[1][0]
    assert "at most" not in once(name, history())[1][0]


# ---- whole histories


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

    for n, each in enumerate(asyncio.run(work())):
        assert each.fired
        kept = [m for m in each.messages if m.id in said]
        assert kept[-1] is said[f"r{10 + n}"]
        assert all(m is said[m.id] for m in kept)
        assert normalise(each.messages)[1] == []
