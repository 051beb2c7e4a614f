"""Inspect's own strategies."""

from __future__ import annotations

from ..entries import Entry, Kind

_SUMMARY = {
    "kind": Kind.WRITTEN,
    "keeps": "system text and opening",
    "originals": "gone for the agent, in the caller's history",
    "shows": "the whole conversation since the last summary",
    "package": "inspect-ai",
    "choices": {"prompt": ("own", "neutral")},
}

ENTRIES: dict[str, Entry] = {
    "inspect": Entry(
        "inspect_summary:InspectSummary",
        "Inspect's summary with its own prompt (asks to keep constraints)",
        **_SUMMARY,  # type: ignore[arg-type]
        settings={"prompt": "own"},
    ),
    "inspect-neutral": Entry(
        "inspect_summary:InspectSummary",
        "Inspect's summary with a neutral 'continue the task' prompt",
        **_SUMMARY,  # type: ignore[arg-type]
        settings={"prompt": "neutral"},
    ),
}
