"""Claude's own ways, on its servers: a Claude model writes, and only Claude models act on what is left."""

from __future__ import annotations

from ..entries import Entry, Kind

_CLAUDE = {"kind": Kind.OPAQUE, "extra": "anthropic", "package": "anthropic", "provider": "anthropic"}
_DROPPED = "dropped by the provider behind its block"

ENTRIES: dict[str, Entry] = {
    "claude-threshold": Entry(
        "claude_threshold:ClaudeThreshold",
        "Claude's threshold compaction (compact_20260112), from 50,000 tokens on",
        **_CLAUDE,  # type: ignore[arg-type]
        keeps="system text",
        originals=_DROPPED,
        shows="the conversation since the last block, as the provider has it",
        settings={"window": 50_000, "pause": "yes", "instructions": "own"},
        choices={"pause": ("yes", "no"), "instructions": ("own", "neutral", "rules")},
    ),
    "claude-demand": Entry(
        "claude_demand:ClaudeDemand",
        "Claude's compaction on demand: one signed block, at any size",
        **_CLAUDE,  # type: ignore[arg-type]
        keeps="system text",
        originals=_DROPPED,
        shows="system text, tools and the conversation since the last block",
        settings={"instructions": "own"},
        choices={"instructions": ("own", "neutral", "rules")},
    ),
    "claude-clear": Entry(
        "claude_clear:ClaudeClear",
        "Claude's clearing of old tool results (clear_tool_uses_20250919)",
        **_CLAUDE,  # type: ignore[arg-type]
        keeps="all but the results of tools before the newest `keep`",
        originals="in the caller's history; the agent cannot fetch them",
        spares=("user", "document", "memory"),
        settings={"keep": 3, "trigger": "forced", "window": 100_000},
        choices={"trigger": ("forced", "threshold")},
    ),
}
