"""Inspect's own strategies."""

from __future__ import annotations

from typing import Any

from ..entries import TRIGGER, TRIGGERS, Entry, Kind

_SUMMARY: dict[str, Any] = {
    "kind": Kind.WRITTEN,
    "keeps": "system text and opening",
    "originals": "gone for the agent, in the caller's history",
    "shows": "system text, opening and all since the last summary",
    "package": "inspect-ai",
    "choices": {"prompt": ("own", "neutral", "rules", "code"), **TRIGGERS},
}
_NATIVE: dict[str, Any] = {
    "kind": Kind.OPAQUE,
    "keeps": "system text; OpenAI: every user message too",
    "originals": "gone, in a block of the provider",
    "shows": "the whole conversation, to the provider's endpoint",
    "package": "inspect-ai",
    "settings": TRIGGER,
    "choices": TRIGGERS,
}


def _summary(about: str, prompt: str) -> Entry:
    return Entry("inspect_own:InspectSummary", about, settings={"prompt": prompt, **TRIGGER}, **_SUMMARY)


ENTRIES: dict[str, Entry] = {
    "inspect": _summary("Inspect's summary with its own prompt (asks to keep constraints)", "own"),
    "inspect-neutral": _summary("Inspect's summary with a neutral 'continue the task' prompt", "neutral"),
    "inspect-rules": _summary("Inspect's summary, asked to keep rules and states of work word for word", "rules"),
    "inspect-code": _summary("Inspect's summary with its own prompt, asked to keep code exactly", "code"),
    "inspect-trim": Entry(
        "inspect_own:InspectTrim",
        "Inspect's trim: the newest share of the messages stays",
        Kind.MECHANICAL,
        keeps="system text, opening, the newest 0.8 of the messages",
        originals="gone for the agent, in the caller's history",
        package="inspect-ai",
        settings={"preserve": 0.8, **TRIGGER},
        choices=TRIGGERS,
    ),
    "inspect-edit": Entry(
        "inspect_own:InspectEdit",
        "Inspect's edit: old tool results and old reasoning go",
        Kind.MECHANICAL,
        keeps="all but old tool results and reasoning",
        originals="gone for the agent, in the caller's history; a mark stays",
        package="inspect-ai",
        spares=("user", "document", "memory"),
        settings={"keep_tool_uses": 3, "keep_thinking_turns": 1, "inputs": "keep", **TRIGGER},
        choices={"inputs": ("keep", "drop"), **TRIGGERS},
    ),
    "inspect-native": Entry(
        "inspect_own:InspectNative", "the writer's provider compacts, through Inspect (no fallback)", **_NATIVE
    ),
    "inspect-auto": Entry(
        "inspect_own:InspectAuto", "the writer's provider compacts; where it fails, Inspect's summary", **_NATIVE
    ),
}
