"""OpenAI: compaction of the Responses API, and what the Agents SDK does to a session."""

from __future__ import annotations

from ..entries import Entry, Kind

_USERS = ("user", "document", "memory")  # what these channels plant is a user message
_SDK = {"extra": "openai-agents", "package": "openai-agents"}

ENTRIES: dict[str, Entry] = {
    "openai-responses": Entry(
        "openai_responses:OpenAIResponses",
        "OpenAI's responses.compact: user messages and one encrypted item",
        Kind.OPAQUE,
        keeps="system text, every user message",
        originals="gone; the item cannot be read",
        shows="the last item and all that stands after it",
        extra="openai",
        package="openai",
        provider="openai",
        spares=_USERS,
        settings={"instructions": "own"},
        choices={"instructions": ("own", "neutral", "rules")},
    ),
    "openai-agents-limit": Entry(
        "agents_limit:AgentsLimit",
        "the Agents SDK's session limit: the newest items are read",
        Kind.MECHANICAL,
        **_SDK,  # type: ignore[arg-type]
        keeps="system text, the newest `limit` items (no orphans)",
        originals="in the session; the agent cannot fetch them",
        settings={"limit": 8},
    ),
    "openai-agents-trim": Entry(
        "agents_trim:AgentsTrim",
        "the Agents SDK's trimming of tool results in older turns",
        Kind.MECHANICAL,
        **_SDK,  # type: ignore[arg-type]
        keeps="all but long tool results before the newest `recent_turns` user turns",
        originals="in the session; the agent cannot fetch them",
        spares=_USERS,
        settings={"recent_turns": 2, "max_output_chars": 500, "preview_chars": 200},
    ),
    "openai-agents-summary": Entry(
        "agents_summary:AgentsSummary",
        "the cookbook's session summary for the Agents SDK (its pattern, our code)",
        Kind.WRITTEN,
        **_SDK,  # type: ignore[arg-type]
        keeps="system text, the newest `keep_turns` user turns",
        originals="replaced in the session",
        shows="the old summary and the turns to fold, tool results cut at `tool_chars`",
        bounds_writer=True,
        settings={"keep_turns": 2, "context_limit": None, "max_tokens": 400, "tool_chars": 600},
    ),
    "openai-agents-responses": Entry(
        "agents_responses:AgentsResponses",
        "the Agents SDK's session that OpenAI compacts (responses.compact)",
        Kind.OPAQUE,
        **_SDK,  # type: ignore[arg-type]
        keeps="system text, every user message",
        originals="replaced in the session; the item cannot be read",
        shows="the last item and all that stands after it",
        provider="openai",
        spares=_USERS,
        settings={"trigger": "forced"},
        choices={"trigger": ("forced", "threshold")},
    ),
}
