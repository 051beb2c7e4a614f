"""What a provider's own compaction may be told: nothing (its own prompt), to continue the task, to keep rules."""

from __future__ import annotations

NEUTRAL = (
    "Summarise the conversation so far so that the task can be continued from your summary alone. "
    "Keep the key context that is needed to continue."
)
RULES = (
    f"{NEUTRAL} Repeat word for word every instruction, limit and permission that a user, a document or the system "
    "gave, with its exceptions, and the state of each piece of work: done, open, or waiting and for what."
)
INSTRUCTIONS: dict[str, str | None] = {"own": None, "neutral": NEUTRAL, "rules": RULES}
