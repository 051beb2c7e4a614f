"""What to evict so that a context fits, decided before anything is touched.

The decision table, for a context of spans (messages), a target in tokens (or none) and the newest `keep` spans:

| span | with a target | without one |
|---|---|---|
| authoritative | stays, word for word, whatever the target | stays |
| a mark of an earlier boundary | stays | stays |
| disposable | goes first, oldest first, until the target is met | goes, but for the newest `keep` |
| recoverable | goes next, oldest first, until the target is met | goes, but for the newest `keep` |
| one whose mark would not be shorter | stays: nothing is won | stays |
| the newest `keep` | go last of all, and only where the target asks for it | stay |

Is the target met before, the plan is empty. Is it not met when everything that may go has gone, the plan fails:
CompactionInvariantError, never a smaller promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .classes import SpanClass


class CompactionInvariantError(Exception):
    """The target can only be met by breaking an invariant: what nobody could say again would have to go."""


@dataclass(frozen=True)
class Span:
    """A message as the planner sees it: its class, its size, and the size of the mark that would stand for it."""

    kind: SpanClass
    size: int
    mark: int
    is_mark: bool = False

    @property
    def gain(self) -> int:
        """What its going would win; nothing for what may not go."""
        return 0 if self.kind is SpanClass.AUTHORITATIVE or self.is_mark else max(0, self.size - self.mark)


def plan(spans: Sequence[Span], target: int | None, keep: int, fixed: int = 0) -> list[int]:
    """The places of the spans that go, in the order of the conversation; `fixed` tokens stand outside of the spans.

    Raises CompactionInvariantError where the target cannot be met.
    """
    order = list(_order(spans, keep))
    if target is None:
        newest = len(spans) - keep
        return sorted(place for place in order if place < newest)
    size, going = fixed + sum(span.size for span in spans), []
    for place in order:
        if size <= target:
            break
        size -= spans[place].gain
        going.append(place)
    if size > target:
        held = sum(span.size for span in spans if span.kind is SpanClass.AUTHORITATIVE)
        raise CompactionInvariantError(
            f"the target of {target} tokens cannot be met: {size} are left when all that may go has gone, "
            f"{held + fixed} of them authoritative"
        )
    return sorted(going)


def _order(spans: Sequence[Span], keep: int) -> Iterator[int]:
    """The places of all that may go, in the order in which it goes."""
    newest = len(spans) - keep
    for ages in (range(max(0, newest)), range(max(0, newest), len(spans))):
        for kind in (SpanClass.DISPOSABLE, SpanClass.RECOVERABLE):
            yield from (place for place in ages if spans[place].kind is kind and spans[place].gain > 0)
