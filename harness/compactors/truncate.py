"""Recency truncation: the oldest messages go, nothing is written in their place."""

from __future__ import annotations

from inspect_ai.model import ChatMessage

from .protocol import Compacted, Work


class Truncate:
    """Keeps the system text and the newest `keep` messages (our own code and our default; a baseline, no runtime).

    A tool result never stays without its call: where the cut falls between them, the result goes too.
    """

    def __init__(self, work: Work) -> None:
        self.keep = int(work.settings["keep"])

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        system = [m for m in messages if m.role == "system"]
        rest = [m for m in messages if m.role != "system"]
        tail = rest[-self.keep :] if self.keep else []
        while tail and tail[0].role == "tool":
            tail = tail[1:]
        return Compacted([*system, *tail], fired=len(tail) < len(rest))
