"""The eviction/summarisation planner, our own."""

from __future__ import annotations

from typing import Any

from ..entries import TRIGGER, TRIGGERS, Entry, Kind

_SPLIT: dict[str, Any] = {
    "keeps": "system text, all user turns, acts and their results",
    "originals": "in an archive that the agent can read (`store=on`)",
    "spares": ("user", "document", "memory"),
    "settings": {"target": None, "keep": 4, "store": "on", **TRIGGER},
    "choices": {"store": ("on", "off"), **TRIGGERS},
}

ENTRIES: dict[str, Entry] = {
    "split": Entry(
        "split.splitting:Split",
        "evicts what can be had again, leaves a mark, protects the rest; halts where the target cannot be met",
        Kind.MECHANICAL,
        **_SPLIT,
    ),
    "split-summary": Entry(
        "split.splitting:Split",
        "as split, with one summary in the place of the assistant's own remarks",
        Kind.WRITTEN,
        shows="the assistant's own remarks, nothing else",
        **_SPLIT,
    ),
}
