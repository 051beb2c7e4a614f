"""The Agents SDK's `ToolOutputTrimmer`: large results of tools in older turns become a preview; all else stays.

The SDK's own: the filter, its defaults (`recent_turns` 2, `max_output_chars` 500, `preview_chars` 200) and the words
of the preview. Nothing private is called: the filter gets what `RunConfig.call_model_input_filter` gets. A turn begins
with a user's message: in an autonomous loop with one of them nothing is ever old, and nothing fires.
"""

from __future__ import annotations

from agents import Agent
from agents.extensions import ToolOutputTrimmer
from agents.run import CallModelData, ModelInputData
from inspect_ai.model import ChatMessage

from .agents_sdk import Fed, as_items
from .protocol import Compacted, Work
from .responses_items import Item


class AgentsTrim:
    """The filter sees the whole history before every call: the items are kept here, as a session would."""

    def __init__(self, work: Work) -> None:
        turns, most, preview = (
            int(work.settings[key]) for key in ("recent_turns", "max_output_chars", "preview_chars")
        )
        self.trimmer = ToolOutputTrimmer(turns, most, preview)
        self.items: list[Item] = []
        self.trimmed: list[Item] = []
        self.fed = Fed()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self.items += await self.fed.take(messages)
        given = ModelInputData(input=list(self.items), instructions=None)  # type: ignore[arg-type]
        trimmed = as_items(self.trimmer(CallModelData(model_data=given, agent=Agent(name="agent"), context=None)).input)
        fired = any(old != new for old, new in zip(self._before(), trimmed, strict=True))
        self.trimmed = trimmed
        return Compacted(self.fed.back(trimmed), fired=fired)

    def _before(self) -> list[Item]:
        """What the agent saw before this boundary: trimmed already, or new."""
        return [*self.trimmed, *self.items[len(self.trimmed) :]]
