"""Google ADK's event compaction."""

from __future__ import annotations

from typing import Any

from ..entries import TRIGGER, TRIGGERS, Entry, Kind

_ADK: dict[str, Any] = {
    "kind": Kind.WRITTEN,
    "originals": "in the session; the agent cannot fetch them",
    "extra": "adk",
    "package": "google-adk",
    "choices": TRIGGERS,
}

ENTRIES: dict[str, Entry] = {
    "adk-token": Entry(
        "adk:AdkToken",
        "Google ADK's compaction by tokens; the last summary is folded again",
        keeps="system text, the newest `keep` events",
        shows="the last summary and the events to fold, 2,000 characters of each tool argument and result",
        settings={"keep": 2, **TRIGGER},
        **_ADK,
    ),
    "adk-window": Entry(
        "adk:AdkWindow",
        "Google ADK's sliding window; summaries stand side by side",
        keeps="system text, a user message that waits for an answer",
        shows="the new invocations and `overlap` earlier ones, 2,000 characters of each tool argument and result",
        settings={"overlap": 1, "interval": 1, "trigger": "forced"},
        **_ADK,
    ),
}
