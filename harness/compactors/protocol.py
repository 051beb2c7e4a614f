"""What a compactor is: something that shrinks a conversation, by a runtime's own code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspect_ai.model import ChatMessage, Model
from inspect_ai.tool import ToolInfo


@dataclass(frozen=True)
class Work:
    """What a compactor is made for: one chain. `prefix` is what stands before the history (system, opening)."""

    writer: Model | None
    prefix: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Compacted:
    """What a compactor left.

    `messages` is what the agent sees from now on. `fired` says whether anything was compacted. `fallback` names another
    strategy than the asked one that ran, with the reason. `summary` is set only where no call of the writer shows it
    (provider-native compaction).
    """

    messages: list[ChatMessage]
    fired: bool
    fallback: str | None = None
    summary: str | None = None


class Compactor(Protocol):
    """One instance a chain. It is fed what it returned last plus what was appended, with stable message ids; it may
    keep state between boundaries. Untouched messages come back as the same objects. An error is raised."""

    async def compact(self, messages: list[ChatMessage]) -> Compacted: ...
