"""The OpenAI Agents SDK (0.24.0) as the adapters use it: its tracing is off, and a session is fed a conversation.

With tracing on and a key in the environment the SDK posts what it runs to its vendor. `Agent.instructions` never enter
a session: system text in front of a conversation stays outside of it here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from agents import set_tracing_disabled
from inspect_ai.model import ChatMessage

from .responses_items import Item, Sent

set_tracing_disabled(True)

SESSION = "standfast"  # fixed: an id that differs from run to run would make equal chains differ


class Fed:
    """A conversation on its way through a session, across the boundaries of a chain."""

    def __init__(self) -> None:
        self.sent = Sent()
        self._system: list[ChatMessage] = []

    async def take(self, messages: Sequence[ChatMessage]) -> list[Item]:
        """The items that are new to the session."""
        self._system = list(takewhile(lambda m: m.role == "system", messages))
        return await self.sent.take(messages[len(self._system) :])

    def back(self, items: Sequence[Item]) -> list[ChatMessage]:
        """The conversation that an agent sees for these items of the session."""
        return [*self._system, *self.sent.back(items)]


def as_items(items: Sequence[object]) -> list[Item]:
    """The SDK's items as plain ones."""
    return [dict(item) for item in items]  # type: ignore[call-overload]
