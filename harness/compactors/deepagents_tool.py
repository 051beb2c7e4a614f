"""deepagents' `compact_conversation` (0.7.32): the agent compacts by calling a tool.

deepagents' own code: the tool of `SummarizationToolMiddleware` (not in `create_deep_agent` unless asked for), its gate,
summary, archive, event and answer; what the agent sees afterwards comes of `awrap_model_call`. Nothing private is
called. Ours: the call. At a boundary the agent calls the tool without arguments, and call and answer stay in the
history as they would; forced, the gate is half of one message; with `trigger=threshold` it is half of 0.85 of `window`.
That gate believes only a usage which the provider reported with the last message, so the call carries the count of
LangChain's approximate counter as its usage.

The tool turns every error into an answer ("Compaction failed"), and the agent would go on: here the error is raised.
"Nothing to compact yet" is a boundary that did not fire.
"""

from __future__ import annotations

from typing import Any

from deepagents.middleware.summarization import SummarizationMiddleware, SummarizationToolMiddleware
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage
from langchain_core.messages.utils import count_tokens_approximately

from .deepagents import Log, by_factory, called
from .langchain import writer_model
from .langchain_model import PROVIDER, split_system
from .protocol import Compacted, Work


class DeepAgentsTool:
    """One log a chain; the tool is called once at every boundary."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.model, self.log = writer_model(work), Log(work.settings["archive"] == "yes")
        self.tool: Any = SummarizationToolMiddleware(by_factory(work, self.model, self.log.backend)).tools[0]
        # the same class without a trigger only replays what the tool did
        self.replay = SummarizationMiddleware(self.model, backend=self.log.backend)

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        system, history = split_system(messages)
        self.log.take(history)
        call = self._call()
        self.log.messages.append(call)
        with self.model.boundary():
            command = await self.tool.coroutine(await self._runtime(call, system))
        answer = command.update["messages"][0]
        if not self.log.update(command.update):
            self.log.messages.pop()
            self._refuse_failure(answer.text)
            return Compacted(messages, fired=False, notes=(answer.text,))
        self.log.messages.append(_answer(call, answer.text))
        seen, _ = await called(self.replay, self.model, self.log.state, system)
        fallback = self.model.fallback or self.log.lost()
        view = [*system, *self.log.view(seen)]
        return Compacted(view, fired=True, fallback=fallback, archive=await self.log.archive())

    def _call(self) -> ChatMessageAssistant:
        id = f"compact-{self.log.boundaries + 1}"
        call = ToolCall(id=id, function=self.tool.name, arguments={})
        return ChatMessageAssistant(id=id, content="", tool_calls=[call])

    async def _runtime(self, call: ChatMessageAssistant, system: list[ChatMessage]) -> Any:
        effective, _ = await called(self.replay, self.model, self.log.state, system)
        state = self.log.state
        state["messages"][-1] = _reported(state["messages"][-1], count_tokens_approximately(effective))
        return ToolRuntime(
            state=state, tool_call_id=call.id, config={}, context=None, store=None, stream_writer=lambda _: None
        )

    def _refuse_failure(self, answer: str) -> None:
        self.model.raise_fault()
        if answer.startswith("Compaction failed"):
            raise RuntimeError(answer)


def _reported(message: AIMessage, tokens: int) -> AIMessage:
    """The message with the usage that a provider would have reported with it."""
    usage = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
    return message.model_copy(
        update={"usage_metadata": usage, "response_metadata": {"model_provider": PROVIDER}},
    )


def _answer(call: ChatMessageAssistant, text: str) -> ChatMessageTool:
    made = (call.tool_calls or [])[0]
    return ChatMessageTool(id=f"{call.id}-answer", content=text, tool_call_id=made.id, function=made.function)
