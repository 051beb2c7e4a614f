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
}
