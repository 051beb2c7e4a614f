"""Compactors that are code alone, our own."""

from __future__ import annotations

from ..entries import Entry, Kind

ENTRIES: dict[str, Entry] = {
    "truncate": Entry(
        "truncate:Truncate",
        "recency truncation: system text and the newest messages stay",
        Kind.MECHANICAL,
        keeps="system text, the newest `keep` messages",
        originals="gone",
        settings={"keep": 8},
    ),
    "headtail": Entry(
        "headtail:HeadTail",
        "head and tail: system text, the first and the newest messages stay",
        Kind.MECHANICAL,
        keeps="system text, the first `head` and the newest `tail` messages",
        originals="gone",
        settings={"head": 1, "tail": 8},
    ),
}
