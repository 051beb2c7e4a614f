"""OpenAI: compaction of the Responses API, and what the Agents SDK does to a session."""

from __future__ import annotations

from ..entries import Entry, Kind

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
        settings={"instructions": "own"},
        choices={"instructions": ("own", "neutral", "rules")},
    ),
}
