"""Inspect conversations and models, seen from Google ADK: events of messages, and an LLM over `Model.generate`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from itertools import groupby
from typing import Any

from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
)
from inspect_ai.tool import ToolCall
from pydantic import PrivateAttr

from ..messages import said

AGENT = "agent"


def turns(history: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """The messages in groups that are one ADK event: results that stand together, and every other message alone."""
    numbered = enumerate(history)
    grouped = groupby(numbered, key=lambda pair: -1 if isinstance(pair[1], ChatMessageTool) else pair[0])
    return [[message for _, message in group] for _, group in grouped]


def event_of(turn: Sequence[ChatMessage], invocation: str, time: float) -> Event:
    """The event of one turn. ADK has no system message inside a history: it is said by the user."""
    author = AGENT if isinstance(turn[0], ChatMessageAssistant | ChatMessageTool) else "user"
    role = "model" if isinstance(turn[0], ChatMessageAssistant) else "user"
    parts = [part for message in turn for part in _parts(message)]
    content = types.Content(role=role, parts=parts)
    return Event(author=author, invocation_id=invocation, timestamp=time, content=content)


def _parts(message: ChatMessage) -> list[types.Part]:
    if isinstance(message, ChatMessageTool):
        # ADK wraps what a tool returns in a mapping
        response = {"error" if message.error else "result": said(message)}
        answer = types.FunctionResponse(id=message.tool_call_id, name=message.function or "tool", response=response)
        return [types.Part(function_response=answer)]
    made = (message.tool_calls or []) if isinstance(message, ChatMessageAssistant) else []
    return [*_said(message), *(_call(each) for each in made)]


def _said(message: ChatMessage) -> list[types.Part]:
    if isinstance(message.content, str):
        return [types.Part(text=message.content)] if message.content else []
    found = []
    for part in message.content:
        if isinstance(part, ContentText):
            found.append(types.Part(text=part.text))
        elif isinstance(part, ContentReasoning):
            found.append(types.Part(text=part.reasoning, thought=True))
        else:
            found.append(types.Part(text=f"[{part.type} content]"))
    return found


def _call(call: ToolCall) -> types.Part:
    return types.Part(function_call=types.FunctionCall(id=call.id, name=call.function, args=dict(call.arguments)))


class WriterLlm(BaseLlm):
    """The writer as an ADK model. `raise_fault()` gives back what ADK swallowed."""

    model: str = "inspect"
    _writer: Any = PrivateAttr(default=None)
    _fault: Exception | None = PrivateAttr(default=None)

    @classmethod
    def over(cls, writer: Model) -> WriterLlm:
        made = cls()
        made._writer = writer
        return made

    def begin(self) -> None:
        self._fault = None

    def raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        asked: list[ChatMessage] = [
            ChatMessageUser(content="".join(part.text or "" for part in content.parts or []))
            for content in llm_request.contents
        ]
        writer: Model = self._writer
        try:
            output = await writer.generate(asked, config=GenerateConfig())
        except Exception as fault:
            self._fault = fault
            raise
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=output.completion)]))
