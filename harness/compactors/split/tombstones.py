"""The marks that stand in the place of what was evicted, and how each says where the original can be had again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool

from ...messages import said
from .classes import SpanClass

MARK = re.compile(r"\[EVICTED:(?P<kind>[a-z_]+)@(?P<name>[\w.-]+):recover=(?P<recover>[^\]]*)\]")
SUMMARY = re.compile(r"\[SUMMARY:(?P<names>[\w.,-]+):recover=(?P<recover>[^\]]*)\]")
READ = "read_archive"
NO = "NO"


def tombstone(message: ChatMessage, name: str, kept: bool, live: bool) -> str:
    """The mark of an evicted message; `kept` says that the archive holds it, `live` that its call can be made again.

    >>> from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
    >>> result = ChatMessageTool(content="Dear all, …", tool_call_id="c", function="read_mail")
    >>> tombstone(result, "t11", kept=True, live=True)
    '[EVICTED:tool_result@t11:recover=read_archive(t11) or read_mail again]'
    >>> tombstone(result, "t11", kept=False, live=True)
    '[EVICTED:tool_result@t11:recover=read_mail again]'
    >>> tombstone(ChatMessageAssistant(content="Let me think."), "t12", kept=False, live=False)
    '[EVICTED:assistant@t12:recover=NO]'
    """
    kind = "tool_result" if isinstance(message, ChatMessageTool) else str(message.role)
    again = f"{message.function} again" if live and isinstance(message, ChatMessageTool) else ""
    ways = [f"{READ}({name})" if kept else "", again]
    return f"[EVICTED:{kind}@{name}:recover={' or '.join(filter(None, ways)) or NO}]"


def heading(names: Sequence[str], kept: bool) -> str:
    """The first line of a summary: which messages it stands for, and how they can be read.

    >>> heading(["t3", "t5"], kept=True)
    '[SUMMARY:t3,t5:recover=read_archive(name)]'
    """
    return f"[SUMMARY:{','.join(names)}:recover={f'{READ}(name)' if kept else NO}]"


def is_mark(message: ChatMessage) -> bool:
    """Whether nothing but a mark is left of the message."""
    return MARK.fullmatch(said(message).strip()) is not None


def is_summary(message: ChatMessage) -> bool:
    """Whether the message is a summary of an earlier boundary."""
    return isinstance(message, ChatMessageAssistant) and SUMMARY.match(said(message)) is not None


def names_in(text: str) -> list[str]:
    """The names that marks and summaries of a text point to, in their order."""
    found = [(m.start(), [m["name"]]) for m in MARK.finditer(text)]
    found += [(m.start(), m["names"].split(",")) for m in SUMMARY.finditer(text)]
    return [name for _, names in sorted(found) for name in names]


def is_live(kind: SpanClass) -> bool:
    """Whether the call behind a span can be made again."""
    return kind is SpanClass.RECOVERABLE
