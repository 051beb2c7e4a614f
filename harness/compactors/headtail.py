"""Head and tail: the first and the newest messages stay, the middle goes, nothing is written in its place."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage

from .protocol import Compacted, Work


class HeadTail:
    """Keeps the system text, the first `head` and the newest `tail` messages (our own code and our defaults; a
    baseline, no runtime).

    A tool result never stays without its call, nor a call without its results: the head grows by the results of its
    last call, and a result whose call lies in the middle goes with it.
    """

    def __init__(self, work: Work) -> None:
        self.head, self.tail = int(work.settings["head"]), int(work.settings["tail"])

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        system = [m for m in messages if m.role == "system"]
        rest = [m for m in messages if m.role != "system"]
        start = _after_results(rest, min(self.head, len(rest)))
        end = _after_results(rest, max(start, len(rest) - self.tail))
        return Compacted([*system, *rest[:start], *rest[end:]], fired=start < end)


def _after_results(messages: Sequence[ChatMessage], place: int) -> int:
    """The place, or where the tool results that begin there end."""
    while 0 < place < len(messages) and messages[place].role == "tool":
        place += 1
    return place
