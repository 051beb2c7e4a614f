"""The Agents SDK's `SessionSettings(limit=N)`: a run reads the newest N items of its session.

The SDK's own: the session, what is read of it, and that calls and results which the limit parted are left out (parallel
calls of one turn may stay in part). Private, called here: `prepare_input_with_session`, which is what `Runner` does
before the first call of a run (pinned by a test against the public `Runner`). Ours: the number; the SDK has no default.
Items are no messages: a turn with two calls is three of them. The session keeps everything; its agent sees the rest.
"""

from __future__ import annotations

from agents import SQLiteSession
from agents.memory import SessionSettings
from agents.run_internal.session_persistence import prepare_input_with_session
from inspect_ai.model import ChatMessage

from .agents_sdk import SESSION, Fed, as_items
from .protocol import Compacted, Work


class AgentsLimit:
    """One session in memory for the chain."""

    def __init__(self, work: Work) -> None:
        self.settings = SessionSettings(limit=int(work.settings["limit"]))
        self.session = SQLiteSession(SESSION)
        self.fed = Fed()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        await self.session.add_items(await self.fed.take(messages))  # type: ignore[arg-type]
        prepared, _ = await prepare_input_with_session([], self.session, None, self.settings)
        view = self.fed.back(as_items(prepared))
        return Compacted(view, fired=len(view) < len(messages))
