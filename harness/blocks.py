"""Blocks that a provider left in place of messages: whose they are, and what anybody else can read of them.

Claude's block is text with or without a signature: anybody can read it, only Claude takes it as what it is, and a
signed one that was altered is refused. OpenAI's is encrypted: nobody else can read it.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, ContentData

_PROVIDERS = {"anthropic_compact": "anthropic", "openai_compact": "openai"}


def block_of(message: ChatMessage) -> dict[str, Any] | None:
    """The provider's block in the message, as Inspect keeps it; None where there is none."""
    for part in [] if isinstance(message.content, str) else message.content:
        if isinstance(part, ContentData):
            block = part.data.get("compaction_metadata")
            if isinstance(block, dict):
                return block
    return None


def is_opaque(message: ChatMessage) -> bool:
    """Whether the message holds a block that only its provider takes, and that nobody may alter."""
    return not isinstance(message.content, str) and any(part.type == "data" for part in message.content)


def is_sealed(message: ChatMessage) -> bool:
    """Whether the message holds a block that nobody but its provider can read."""
    return is_opaque(message) and block_text(message) is None


def block_text(message: ChatMessage) -> str | None:
    """What the message's block says; None for no block and for one that cannot be read."""
    content = (block_of(message) or {}).get("content")
    return content if isinstance(content, str) else None


def provider_of(message: ChatMessage) -> str | None:
    """The provider of the message's block, as models are named by it; None where there is no block."""
    block = block_of(message)
    if block is None:
        return "unknown" if is_opaque(message) else None
    return _PROVIDERS.get(str(block.get("type")), "unknown")
