"""Claude's threshold compaction (`compact_20260112`, beta compact-2026-01-12) through Inspect's Anthropic provider.

The provider's own: when it compacts (at `window` input tokens by its own count, 50,000 at least), the summary and its
prompt, the block, and that everything before the last block is dropped. Inspect's own: request, block in messages (its
text alone, which is what the API takes back, anthropic-sdk-python#1828) and the edit that later requests need. Ours:
the window is the API's least one and not its default of 150,000; two other prompts (`instructions`, which replace the
provider's); at most 8,000 tokens of answer, since Inspect streams a longer one, and a streamed summary that comes in
pieces keeps the last piece only; a neutral user line at the end of a history that ends with the assistant, as such a
request has a user's turn last. It cannot be forced: a history below it comes back as it was, with the reason.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    ModelOutput,
)

from ..blocks import block_of, block_text
from ..faults import BadInput
from ..messages import CONTINUES
from .claude_blocks import COMPACT, carry, claude
from .native_prompts import INSTRUCTIONS
from .protocol import Compacted, Work

LEAST = 50_000  # input tokens; the API refuses a lower trigger
ROOM = 8_000
ENDS = "the history ends with the assistant: a neutral user line was sent after it"


class NoSummary(Exception):
    """The provider compacted and returned no summary: the boundary failed, and nothing stands for the history."""


class ClaudeThreshold:
    """Nothing is kept between boundaries: the last block is part of the conversation that makes the next one."""

    def __init__(self, work: Work) -> None:
        self.writer = claude(work.writer, "claude-threshold")
        carry(self.writer)
        self.tools = list(work.tools)
        self.window = int(work.settings["window"])
        if self.window < LEAST:
            raise BadInput("compactor claude-threshold", f"`window` is a number from {LEAST}: the API takes no less")
        self.pauses = work.settings["pause"] == "yes"
        words = INSTRUCTIONS[str(work.settings["instructions"])]
        self.edit = {
            "type": COMPACT,
            "trigger": {"type": "input_tokens", "value": self.window},
            "pause_after_compaction": self.pauses,
            **({"instructions": words} if words else {}),
        }

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        sent, notes = asking(messages)
        body = {"context_management": {"edits": [self.edit]}}
        output = await self.writer.generate(sent, self.tools, config=GenerateConfig(max_tokens=ROOM, extra_body=body))
        if block_of(output.message) is None:
            return Compacted(messages, fired=False, notes=(*notes, self._why_not(output)))
        block = block_message(output.message, answer=not self.pauses)
        system = [m for m in messages if isinstance(m, ChatMessageSystem)]
        return Compacted([*system, block], fired=True, notes=notes)

    def _why_not(self, output: ModelOutput) -> str:
        usage = output.usage
        size = "" if usage is None else f" {usage.total_tokens - usage.output_tokens} input tokens by its count,"
        return (
            f"the provider did not compact:{size} and it does so from {self.window}; a --window of at least that many "
            "tokens is needed"
        )


def asking(messages: list[ChatMessage]) -> tuple[list[ChatMessage], tuple[str, ...]]:
    """The conversation as a request to a model that wants a user's turn last, and what was added, in words."""
    if not isinstance(messages[-1], ChatMessageAssistant):
        return messages, ()
    return [*messages, ChatMessageUser(content=CONTINUES)], (ENDS,)


def block_message(message: ChatMessageAssistant, answer: bool) -> ChatMessageAssistant:
    """The message that stands for the history. `answer` keeps what the model said after its block, without calls, which
    nobody would answer. Raises NoSummary where the provider returned no summary."""
    if block_text(message) is None:
        raise NoSummary("the provider returned a compaction block without a summary")
    parts: list[Any] = [] if isinstance(message.content, str) else list(message.content)
    kept = [p for p in parts if p.type == "data" or (answer and not isinstance(p, ContentReasoning))]
    return message.model_copy(update={"content": kept, "tool_calls": None})
