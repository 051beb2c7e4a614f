"""Inspect conversations and models, seen from Agent Framework: its messages, and a chat client over
`Model.generate`."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, Message
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    Model,
)

from ..messages import said


def to_message(message: ChatMessage) -> Message:
    """The framework's message of an Inspect one."""
    if isinstance(message, ChatMessageTool):
        text = said(message)
        result = Content.from_function_result(
            message.tool_call_id or "", result=text, exception=text if message.error else None
        )
        return Message("tool", [result], message_id=message.id)
    contents = _said(message)
    if isinstance(message, ChatMessageAssistant):
        contents += [
            Content.from_function_call(call.id, call.function, arguments=dict(call.arguments))
            for call in message.tool_calls or []
        ]
    return Message(message.role, contents, message_id=message.id)


def _said(message: ChatMessage) -> list[Any]:
    if isinstance(message.content, str):
        return [message.content] if message.content else []
    found: list[Any] = []
    for part in message.content:
        if isinstance(part, ContentText):
            found.append(part.text)
        elif isinstance(part, ContentReasoning):
            found.append(Content.from_text_reasoning(text=part.reasoning))
        else:
            found.append(f"[{part.type} content]")
    return found


class EmptySummary(RuntimeError):
    """The writer said nothing, and the framework silently keeps the history as it was."""


class WriterClient(BaseChatClient[Any]):
    """The writer as a chat client of the framework. `raise_fault()` gives back what a strategy swallowed."""

    OTEL_PROVIDER_NAME = "inspect"

    def __init__(self, writer: Model | None) -> None:
        super().__init__()
        self.writer = writer
        self._fault: Exception | None = None

    def begin(self) -> None:
        self._fault = None

    def raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]]:
        if stream:
            raise RuntimeError("the writer is asked for a whole summary; this runtime path streams it")
        return self._asked(messages)

    async def _asked(self, messages: Sequence[Message]) -> ChatResponse[Any]:
        assert self.writer is not None, "a summary needs a writer"
        try:
            output = await self.writer.generate([_asked_for(m) for m in messages])
        except Exception as fault:
            self._fault = fault
            raise
        if not output.completion.strip():
            self._fault = EmptySummary("the writer's summary is empty; Agent Framework keeps the history as it was")
        return ChatResponse(messages=[Message("assistant", [output.completion])], response_id=output.message.id)


def _asked_for(message: Message) -> ChatMessage:
    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    return ChatMessageUser(content=message.text)
