"""Tokens and cached reads as the two providers bill them. Counts are characters times a factor, so that small fixtures
can be as long as a test needs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LEAST = 1024  # shorter prefixes are never cached, by either provider
STEP = 128  # OpenAI's cached reads come in steps
LOOK_BACK = 20  # so many blocks before a breakpoint Claude looks for a cached prefix
MINUTES_5, HOUR = 300.0, 3600.0


@dataclass(frozen=True)
class Segment:
    """One block of a prompt. `keeps` is how many seconds a cache breakpoint on it lasts; None where there is none."""

    text: str
    keeps: float | None = None


@dataclass(frozen=True)
class Bill:
    """What one reading of a prompt costs: fresh tokens, tokens written to the cache (for an hour), tokens read."""

    fresh: int
    written: int = 0
    written_hour: int = 0
    read: int = 0

    @property
    def prompt(self) -> int:
        return self.fresh + self.written + self.read


@dataclass
class Ledger:
    """What was read before, prefix by prefix. `clock` gives the seconds, for tests of expiry."""

    tokens_per_char: float = 0.25
    clock: Callable[[], float] = time.monotonic
    _kept: dict[str, tuple[float, float]] = field(default_factory=dict)

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return round(len(text) * self.tokens_per_char)

    def size(self, segments: Sequence[Segment]) -> int:
        return sum(self.count(segment.text) for segment in segments)

    def claude(self, segments: Sequence[Segment]) -> Bill:
        """By explicit breakpoints: up to the last of them what is not read is written; after it nothing is cached."""
        prefixes, sums = _prefixes(segments), self._sums(segments)
        points = [i for i, s in enumerate(segments) if s.keeps is not None and sums[i] >= LEAST]
        if not points:
            return Bill(sums[-1] if sums else 0)
        found = max((i for point in points for i in self._hits(prefixes, point)), default=None)
        read = 0 if found is None else sums[found]
        for point in points:
            self._keep(prefixes[point], segments[point].keeps or MINUTES_5)
        written = sums[points[-1]] - read
        for_an_hour = written if segments[points[-1]].keeps == HOUR else 0
        return Bill(sums[-1] - sums[points[-1]], max(0, written), max(0, for_an_hour), read)

    def openai(self, segments: Sequence[Segment]) -> Bill:
        """By itself: the longest prefix that was read before, in whole steps; writing costs nothing."""
        prefixes, sums = _prefixes(segments), self._sums(segments)
        found = max((i for i in range(len(prefixes)) if self._is_kept(prefixes[i])), default=None)
        read = 0 if found is None or sums[found] < LEAST else sums[found] // STEP * STEP
        for prefix in prefixes:
            self._keep(prefix, MINUTES_5)
        return Bill((sums[-1] if sums else 0) - read, 0, 0, read)

    def _sums(self, segments: Sequence[Segment]) -> list[int]:
        total, sums = 0, []
        for segment in segments:
            total += self.count(segment.text)
            sums.append(total)
        return sums

    def _hits(self, prefixes: Sequence[str], point: int) -> list[int]:
        near = range(max(0, point - LOOK_BACK), point + 1)
        hits = [i for i in near if self._is_kept(prefixes[i])]
        for i in hits:
            self._keep(prefixes[i], self._kept[prefixes[i]][1])
        return hits

    def _is_kept(self, prefix: str) -> bool:
        return prefix in self._kept and self._kept[prefix][0] > self.clock()

    def _keep(self, prefix: str, seconds: float) -> None:
        self._kept[prefix] = (self.clock() + seconds, seconds)


def _prefixes(segments: Sequence[Segment]) -> list[str]:
    running, found = hashlib.sha256(), []
    for segment in segments:
        running.update(segment.text.encode() + b"\0")
        found.append(running.copy().hexdigest())
    return found
