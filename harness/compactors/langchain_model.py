"""Inspect conversations and models, seen from LangChain: message conversion and a chat model over `Model.generate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)
from inspect_ai.tool import ToolCall
from inspect_ai.util import LimitExceededError
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.exceptions import ContextOverflowError, ModelError
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langsmith.run_helpers import tracing_context
from pydantic import ConfigDict, PrivateAttr

from ..messages import said

PROVIDER = "inspect"


def to_langchain(message: ChatMessage) -> BaseMessage:
    """The LangChain message of an Inspect one; reasoning and provider blocks have no place there."""
    if isinstance(message, ChatMessageSystem):
        return SystemMessage(content=message.text, id=message.id)
    if isinstance(message, ChatMessageTool):
        status = "error" if message.error else "success"
        return ToolMessage(
            content=said(message),
            tool_call_id=message.tool_call_id or "",
            name=message.function,
            status=status,
            id=message.id,
        )
    if isinstance(message, ChatMessageAssistant):
        calls = [
            {"type": "tool_call", "id": c.id, "name": c.function, "args": c.arguments} for c in message.tool_calls or []
        ]
        return AIMessage(content=message.text, id=message.id, tool_calls=calls)
    return HumanMessage(content=message.text, id=message.id)


def from_langchain(message: BaseMessage) -> ChatMessage:
    """The Inspect message of a LangChain one. Raises TypeError for a kind that no conversation holds."""
    text, id = message.text, message.id
    if isinstance(message, SystemMessage):
        return ChatMessageSystem(content=text, id=id)
    if isinstance(message, HumanMessage):
        return ChatMessageUser(content=text, id=id)
    if isinstance(message, ToolMessage):
        return ChatMessageTool(content=text, tool_call_id=message.tool_call_id, function=message.name, id=id)
    if isinstance(message, AIMessage):
        calls = [ToolCall(id=c["id"] or "", function=c["name"], arguments=c["args"]) for c in message.tool_calls]
        return ChatMessageAssistant(content=text, tool_calls=calls or None, id=id)
    raise TypeError(f"a conversation holds no {type(message).__name__}")


def back(messages: Sequence[BaseMessage], originals: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages as Inspect ones; what the runtime left alone comes back as the same object."""
    known = {m.id: m for m in originals}
    return [
        original if (original := known.get(m.id)) and _same(m, to_langchain(original)) else from_langchain(m)
        for m in messages
    ]


def _same(one: BaseMessage, other: BaseMessage) -> bool:
    return type(one) is type(other) and one.content == other.content and _calls(one) == _calls(other)


def _calls(message: BaseMessage) -> list[tuple[Any, ...]]:
    return [(c["id"], c["name"], c["args"]) for c in message.tool_calls] if isinstance(message, AIMessage) else []


class WriterStopped(ModelError):
    """An Inspect limit on its way through LangChain, which must not try again."""

    is_retryable = False


class WriterModel(BaseChatModel):
    """The writer as a LangChain chat model; asynchronous only. It counts how often it was asked and remembers what went
    wrong last, since a runtime may hide both. A `profile` says how long a context may be."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    writer: Any
    _asked: int = PrivateAttr(default=0)
    _overflowed: bool = PrivateAttr(default=False)
    _fault: Exception | None = PrivateAttr(default=None)

    @property
    def _llm_type(self) -> str:
        return "inspect"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        # runtimes believe a reported usage only where the message's provider is the model's
        return {**super()._get_ls_params(stop=stop, **kwargs), "ls_provider": PROVIDER}

    @contextmanager
    def boundary(self) -> Iterator[None]:
        """A boundary, without tracing to anybody. Raises the Inspect limit that ended the writer, also where the
        runtime turned it into something else."""
        self._asked, self._overflowed, self._fault = 0, False, None
        with tracing_context(enabled=False):
            try:
                yield
            except WriterStopped:
                self.raise_limit()
                raise
        self.raise_limit()

    def raise_limit(self) -> None:
        if isinstance(self._fault, LimitExceededError):
            raise self._fault

    def raise_fault(self) -> None:
        """None, where the writer's last call went well. Raises what went wrong with it."""
        if self._fault is not None:
            raise self._fault

    @property
    def fallback(self) -> str | None:
        """What the runtime did instead of a summary of what was to be folded, at a boundary that fired."""
        if not self._asked:
            return "the writer was never asked: the runtime put its placeholder"
        return "the writer's context was too short: the runtime cut out the middle" if self._overflowed else None

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise RuntimeError("the writer is asked asynchronously; this runtime path calls it synchronously")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if kwargs.get("tools"):
            raise RuntimeError("the writer is asked for text; this runtime path offers it tools")
        config = GenerateConfig(max_tokens=kwargs.get("max_tokens"), stop_seqs=stop)
        writer: Model = self.writer
        self._asked, self._fault = self._asked + 1, None
        try:
            output = await writer.generate([from_langchain(m) for m in messages], config=config)
        except LimitExceededError as limit:
            self._fault = limit
            raise WriterStopped(str(limit)) from limit
        except Exception as fault:
            self._fault = fault
            raise
        if output.stop_reason == "model_length":
            self._overflowed = True
            raise ContextOverflowError("the history does not fit into the writer's context")
        return ChatResult(generations=[ChatGeneration(message=_answer(output))])


def _answer(output: ModelOutput) -> AIMessage:
    usage = output.usage
    return AIMessage(
        content=output.completion,
        id=output.message.id,
        response_metadata={"model_name": output.model, "finish_reason": output.stop_reason},
        usage_metadata=None
        if usage is None
        else {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "total_tokens": usage.total_tokens,
        },
    )


def split_system(messages: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """The system messages in front, which an agent of this family holds outside its history, and the history."""
    start = next((i for i, m in enumerate(messages) if not isinstance(m, ChatMessageSystem)), len(messages))
    return list(messages[:start]), list(messages[start:])


def with_request(prompt: str, request: str) -> str:
    """A runtime's prompt template with one sentence more at its end; as it is, without one."""
    return f"{prompt}\n\n{request}" if request else prompt
