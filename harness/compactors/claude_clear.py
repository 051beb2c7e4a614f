"""Claude's clearing of tool results (`clear_tool_uses_20250919`, beta context-management-2025-06-27), no summary.

The provider's own: whether it clears, and how many of the oldest results; it says both, and it does so for each request
anew, while the caller keeps the whole history (kept here, as a caller would). Ours: the words that stand in a cleared
result's place, since the API names the number and not the text; a trigger of one tool use, so that a boundary clears at
once (`trigger=threshold` is the API's own, at `window` input tokens, its default 100,000); one token of answer, since a
request is what clears. The arguments of calls stay, which is the API's default. Only Claude models may act on what is
left, though it is plain text: no other provider's agent would ever meet it.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageTool, GenerateConfig, ModelOutput

from .claude_blocks import EDITING, claude
from .claude_threshold import asking
from .protocol import Compacted, Work

CLEAR = "clear_tool_uses_20250919"
CLEARED = "[Old tool result content cleared]"
ONE_TOKEN = 1


class NothingSaid(Exception):
    """The provider did not say what it cleared: what a model would see is not known."""


class ClaudeClear:
    """Keeps the uncleared history, which every request is made of."""

    def __init__(self, work: Work) -> None:
        self.writer = claude(work.writer, "claude-clear")
        self.tools = list(work.tools)
        forced = work.settings["trigger"] == "forced"
        window = int(work.settings["window"])
        self.edit = {
            "type": CLEAR,
            "trigger": {"type": "tool_uses", "value": 1} if forced else {"type": "input_tokens", "value": window},
            "keep": {"type": "tool_uses", "value": int(work.settings["keep"])},
        }
        self.history: list[ChatMessage] = []
        self.cleared = 0

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        known = {m.id for m in self.history}
        self.history += [m for m in messages if m.id not in known]
        sent, notes = asking(self.history)
        config = GenerateConfig(
            max_tokens=ONE_TOKEN,
            extra_body={"context_management": {"edits": [self.edit]}},
            extra_headers={"anthropic-beta": EDITING},
        )
        # a call that writes nothing is no call of a writer: it goes to the provider itself, and no event tells of it
        answer = await self.writer.api.generate(sent, self.tools, "auto", self.writer.config.merge(config))
        number = cleared(answer[0] if isinstance(answer, tuple) else answer)
        fired, self.cleared = number > self.cleared, max(number, self.cleared)
        return Compacted(_view(self.history, self.cleared), fired=fired, notes=(*notes, f"{number} results cleared"))


def cleared(output: ModelOutput | Exception) -> int:
    """How many results the provider cleared for a request. Raises NothingSaid, and what the provider answered."""
    if isinstance(output, Exception):
        raise output
    body: dict[str, Any] = (output.metadata or {}).get("extra_body", {})
    managed = body.get("context_management")
    if not isinstance(managed, dict):
        raise NothingSaid("the provider's answer says nothing of context management")
    edits = managed.get("applied_edits") or []
    return sum(int(edit["cleared_tool_uses"]) for edit in edits if edit.get("type") == CLEAR)


def _view(history: list[ChatMessage], number: int) -> list[ChatMessage]:
    """The history with its oldest tool results cleared; the others are the same objects."""
    old = [m.id for m in history if isinstance(m, ChatMessageTool)][:number]
    return [m.model_copy(update={"content": CLEARED, "error": None}) if m.id in old else m for m in history]
