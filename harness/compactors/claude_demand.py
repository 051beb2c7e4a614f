"""Claude's compaction on demand (beta compact-2026-09-04): the whole conversation becomes one signed block.

The provider's own: the summary, its prompt, the signature, what a block stands for. It has no least size, so every
boundary is exactly where the chain asks for it. The writer reads system text and tools too. Inspect's provider knows
neither the parameter nor the signature; `claude_blocks` adds both to its requests, and to those of an actor that meets
the block. Ours: at most 8,000 tokens of answer, since a longer one would be streamed, which loses the block's fields;
and two other prompts (`instructions`), which replace the provider's.
"""

from __future__ import annotations

from inspect_ai.model import ChatMessage, ChatMessageSystem

from .claude_blocks import carry, claude, wanting
from .claude_threshold import ROOM, block_message
from .native_prompts import INSTRUCTIONS
from .protocol import Compacted, Work


class ClaudeDemand:
    """Nothing is kept between boundaries: the last block is part of the conversation that makes the next one."""

    def __init__(self, work: Work) -> None:
        self.writer = claude(work.writer, "claude-demand")
        carry(self.writer)
        self.tools = list(work.tools)
        words = INSTRUCTIONS[str(work.settings["instructions"])]
        self.wanted = {"type": "summarize", **({"instructions": words} if words else {})}

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        output = await self.writer.generate(messages, self.tools, config=wanting(self.wanted, ROOM))
        block = block_message(output.message, answer=False)
        system = [m for m in messages if isinstance(m, ChatMessageSystem)]
        return Compacted([*system, block], fired=True)
