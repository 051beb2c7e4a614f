"""langmem and LangChain's middleware on their own code: the traps of their defaults, and what is recorded of each."""

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

pytest.importorskip("langmem")
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from standfast.harness.compactors.langchain_model import WriterModel, to_langchain

Inside = Callable[..., tuple[Any, EvalLog]]
RULE = "Never change anything under /etc/prod: правило №1, 読み取り専用 🚫."
EVERY = ["langmem", "langmem-guide", "langchain:keep=4", "langchain:keep=4,trim_tokens=none"]


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


def autonomous(turns: int = 12) -> list[ChatMessage]:
    """One request, and then calls and long results only."""
    found: list[ChatMessage] = [user("m1", RULE)]
    for n in range(turns):
        call = ToolCall(id=f"c{n}", function="read_mail", arguments={"id": str(n)})
        found.append(ChatMessageAssistant(id=f"a{n}", content="", tool_calls=[call]))
        found.append(ChatMessageTool(id=f"t{n}", content="word " * 500, tool_call_id=f"c{n}", function="read_mail"))
    return found


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

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def plain(messages: Sequence[BaseMessage]) -> list[tuple[str, str, list[Any]]]:
    return [(m.type, m.text, [c["id"] for c in getattr(m, "tool_calls", [])]) for m in messages]


# ---- the runtime's own loop


@pytest.mark.parametrize("trim", [4000, None])
def test_prompt_and_history_are_those_of_create_agent_with_the_middleware(trim: int | None) -> None:
    given = history(8, "There is no hurry. " * 120)
    recorder = Recorder(messages=iter([AIMessage("ok")]))
    recorder.sent = []

    its, ours = Writer(), Writer()

    async def both() -> Compacted:
        middleware = SummarizationMiddleware(
            WriterModel(writer=its.model), trigger=("messages", 1), keep=("messages", 4), trim_tokens_to_summarize=trim
        )
        agent = create_agent(recorder, system_prompt=given[0].text, middleware=[middleware])
        await agent.ainvoke({"messages": [to_langchain(m) for m in given[1:]]})
        name = f"langchain:keep=4,trim_tokens={'none' if trim is None else trim}"
        return await made(name, ours).compact(list(given))

    found = asyncio.run(both())
    assert its.shown == ours.shown
    assert (RULE in ours.shown[0]) is (trim is None)
    assert plain([to_langchain(m) for m in found.messages]) == plain(recorder.sent[0])


# ---- LangChain's traps


def test_the_trim_cuts_the_rule_away_before_the_writer_sees_it() -> None:
    given = history(8, "There is no hurry. " * 120)
    found, shown = once("langchain:keep=4", given)
    assert found.fired
    assert found.fallback is None
    assert RULE not in shown[0]
    assert RULE not in text_of(found.messages)
    assert RULE in once("langchain:keep=4,trim_tokens=none", given)[1][0]


def test_in_an_autonomous_loop_the_writer_is_never_asked_and_the_placeholder_is_a_fallback() -> None:
    found, shown = once("langchain:keep=4", autonomous())
    assert shown == []
    assert "too long to summarize" in found.messages[0].text
    assert found.fallback == "the writer was never asked: the runtime put its placeholder"
    asked, shown = once("langchain:keep=4,trim_tokens=none", autonomous())
    assert RULE in shown[0]
    assert asked.fallback is None


@pytest.mark.parametrize(("trim", "seen"), [("4000", False), ("none", True)])
def test_the_second_boundary_can_lose_the_first_summary_unseen(trim: str, seen: bool) -> None:
    writer = Writer(("FIRST SUMMARY", "stop"))

    async def work() -> Compacted:
        compactor = made(f"langchain:keep=2,trim_tokens={trim}", writer)
        first = await compactor.compact(history())
        more = [m for n in range(10, 18) for m in work_turn(n, "There is no hurry. " * 200)]
        return await compactor.compact([*first.messages, *more])

    assert asyncio.run(work()).fired
    assert ("FIRST SUMMARY" in writer.shown[1]) is seen


def test_a_history_too_long_for_the_writer_loses_its_middle_and_the_fallback_says_so() -> None:
    writer = Writer(("", "model_length"), ("A summary.", "stop"))
    found, shown = once("langchain:keep=4,trim_tokens=none", history(), writer)
    assert "middle of conversation omitted" in shown[-1]
    assert found.fallback == "the writer's context was too short: the runtime cut out the middle"


def test_a_system_message_inside_the_history_is_folded_like_any_other() -> None:
    given = [*history(2)[:4], ChatMessageSystem(id="s1", content="A later system text."), *history(2)[6:]]
    found, shown = once("langchain:keep=2", given)
    assert [m.id for m in found.messages if m.role == "system"] == ["m0"]
    assert "A later system text." in shown[0]


# ---- langmem's traps


def test_langmem_with_both_budgets_alike_never_shows_the_first_message() -> None:
    given = history(6)
    assert RULE in once("langmem", given)[1][0]
    found, shown = once("langmem-guide", given)
    assert found.fired
    assert RULE not in shown[0]
    assert RULE not in text_of(found.messages)


def test_langmem_never_shows_the_system_text_and_shows_the_last_summary_again() -> None:
    writer = Writer(("FIRST SUMMARY", "stop"))

    async def work() -> Compacted:
        compactor = made("langmem", writer)
        first = await compactor.compact(history())
        return await compactor.compact([*first.messages, *work_turn(9)])

    asyncio.run(work())
    assert all("You are an assistant." not in each for each in writer.shown)
    assert "FIRST SUMMARY" in writer.shown[1]


# ---- errors


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    from tenacity import wait_none

    monkeypatch.setattr("langchain_core.runnables.retry.wait_exponential_jitter", lambda **_: wait_none())


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize("name", EVERY)
def test_a_writer_that_raises_ends_the_chain(name: str) -> None:
    with pytest.raises(Exception, match="the provider is down"):
        once(name, history(6), Writer(DOWN))


@pytest.mark.parametrize("name", EVERY)
def test_a_limit_of_inspect_ends_the_sample(inside: Inside, name: str) -> None:
    writer = Writer()

    async def work(state: Any) -> Compacted:
        found: Compacted = await made(name, writer).compact(history(6))
        return found

    found, log = inside(work, token_limit=500)
    assert found is None
    assert log.samples is not None
    assert log.samples[0].limit is not None
    assert len(writer.shown) == 1, "nobody tries again"


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_summary_is_taken_and_the_boundary_fired(name: str) -> None:
    found, shown = once(name, history(6), Writer(("", "stop")))
    assert found.fired
    assert len(shown) == 1, "so that the boundary is marked as empty"
    assert found.fallback is None


# ---- settings


@pytest.mark.parametrize("name", ["langmem", "langchain"])
def test_a_budget_is_asked_for_in_the_prompt(name: str) -> None:
    given = history(6)
    assert "at most 150 tokens" in once(f"{name}:keep=4,budget=150", given)[1][0]
    assert "at most" not in once(f"{name}:keep=4", given)[1][0]


def test_langmem_binds_the_budget_to_the_writer() -> None:
    writer = Writer()
    once("langmem:budget=150", history(), writer)
    assert writer.asked[0].max_tokens == 150


@pytest.mark.parametrize("name", ["langmem", "langmem-guide", "langchain"])
def test_by_its_threshold_a_runtime_leaves_a_short_history_and_compacts_a_long_one(name: str) -> None:
    given = history(6)
    found, shown = once(f"{name}:keep=4,trigger=threshold,window=20000", given)
    assert not found.fired
    assert shown == []
    assert [id(m) for m in found.messages] == [id(m) for m in given]
    found, shown = once(f"{name}:keep=4,trigger=threshold,window=600", given)
    assert found.fired
    assert len(shown) == 1


def test_trim_tokens_is_a_number_or_none() -> None:
    assert compactors.parse("langchain:trim_tokens=none").settings["trim_tokens"] is None
    assert compactors.parse("langchain:trim_tokens=none").label == "langchain:trim_tokens=none"
    with pytest.raises(Exception, match="is a number or none"):
        compactors.parse("langchain:trim_tokens=all")


# ---- whole histories


@pytest.mark.parametrize("name", EVERY)
def test_five_boundaries_keep_untouched_messages_as_they_are(name: str) -> None:
    long = "There is no hurry. " * 100
    said = {m.id: m for n in range(5) for m in [*history(), *work_turn(10 + n, long)]}

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
        assert normalise(normalise(each.messages)[0])[1] == []


@pytest.mark.parametrize("name", EVERY)
def test_a_history_that_begins_with_the_assistant_is_compacted(name: str) -> None:
    found, _ = once(name, [m for m in history(6) if m.id not in ("m1", "u0")])
    assert found.fired


@pytest.mark.parametrize("name", ["langmem", "langchain:keep=1"])
def test_a_call_that_waits_stays_and_is_normalised_away(name: str) -> None:
    call = ToolCall(id="open", function="read_mail", arguments={})
    found, _ = once(name, [*history(), ChatMessageAssistant(id="p", content="", tool_calls=[call])])
    assert found.messages[-1].id == "p"
    assert "1 call(s) without result: removed" in normalise(found.messages)[1]
