"""What may happen to a message, by its type and where it comes from; no model and no wording decides it."""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool


class SpanClass(StrEnum):
    """Who could say it again: nobody (authoritative), a tool (recoverable), the agent itself (disposable)."""

    AUTHORITATIVE = "authoritative"
    RECOVERABLE = "recoverable"
    DISPOSABLE = "disposable"


def span_class(message: ChatMessage, reads: Set[str]) -> SpanClass:
    """The class of a message; `reads` are the tools that only look.

    | message | class | because |
    |---|---|---|
    | system text | authoritative | instructions stand outside of what is compacted |
    | user turn, with documents, memory, approvals | authoritative | a user said it, and says it once |
    | result of a tool that only looks | recoverable | live handle: the same call can be made again |
    | result of any other tool | authoritative | dead handle: making the call again would act again |
    | assistant turn with a call that acts | authoritative | what was done, and plan items whose state was reported |
    | assistant turn with a provider's own block | authoritative | nobody can tell what it holds |
    | any other assistant turn | disposable | reasoning, restatements, drafts |

    A read whose answer has changed since can be read again all the same: what it said then is in the archive.
    """
    if isinstance(message, ChatMessageTool):
        return SpanClass.RECOVERABLE if message.function in reads else SpanClass.AUTHORITATIVE
    if not isinstance(message, ChatMessageAssistant):
        return SpanClass.AUTHORITATIVE
    acts = any(call.function not in reads for call in message.tool_calls or [])
    opaque = not isinstance(message.content, str) and any(part.type == "data" for part in message.content)
    return SpanClass.AUTHORITATIVE if acts or opaque else SpanClass.DISPOSABLE
