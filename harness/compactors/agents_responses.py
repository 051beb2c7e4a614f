"""The Agents SDK's `OpenAIResponsesCompactionSession`: a session that has its items compacted by OpenAI.

The SDK's own: the session, its rule when to compact (`trigger=threshold`: ten items that are no user messages), the
request and what it puts back into the store. The provider's own: what `responses.compact` leaves (see
`openai_responses`). Nothing private is called. The request goes through the writer's own OpenAI client: its address,
key and retries. Ours: a boundary forces the compaction (`trigger=forced`), and the history goes in whole
(`compaction_mode="input"`, the SDK's own choice where no response is stored). What it read and wrote is a note; no
model event tells it.
"""

from __future__ import annotations

from agents import RunContextWrapper, SQLiteSession
from agents.memory import OpenAIResponsesCompactionSession
from inspect_ai.model import ChatMessage

from ..blocks import block_of
from .agents_sdk import SESSION, Fed, as_items
from .openai_responses import openai_responses
from .protocol import Compacted, Work


class AgentsResponses:
    """One session in memory for the chain."""

    def __init__(self, work: Work) -> None:
        writer = openai_responses(work.writer, "openai-agents-responses")
        api = writer.api
        self.session = OpenAIResponsesCompactionSession(
            SESSION,
            SQLiteSession(SESSION),
            client=api.client,  # type: ignore[attr-defined]
            model=api.service_model_name(),
            compaction_mode="input",
        )
        self.forced = work.settings["trigger"] == "forced"
        self.fed = Fed()
        self.block: object = None

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        await self.session.add_items(await self.fed.take(messages))  # type: ignore[arg-type]
        spent: RunContextWrapper[None] = RunContextWrapper(None)
        await self.session.run_compaction({"force": self.forced, "compaction_mode": "input"}, wrapper=spent)
        view = self.fed.back(as_items(await self.session.get_items()))
        block = next((block for message in view if (block := block_of(message)) is not None), None)
        if block == self.block:
            return Compacted(messages, fired=False, notes=("the session's own rule did not ask for a compaction",))
        self.block = block
        note = f"the compaction read {spent.usage.input_tokens} tokens and wrote {spent.usage.output_tokens}"
        return Compacted(view, fired=True, shown=(tuple(messages),), notes=(note,))
