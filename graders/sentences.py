"""Text → sentences, for prose, markdown lists, headings and tables alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .wording import fold

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"[ \t]{0,40}(?:[-+*•·|>–—]|\d{1,3}[.)])(?=\s)")
# Atomic, and only from the start of a run of marks: a megabyte of dots must not take quadratic time.
# A mark inside quotes ends nothing if the sentence goes on in lower case: `"Never ... ." no longer applies`.
_END = re.compile(r"(?<![.!?])[.!?]++(?:[\"')\]]++(?!\s+[a-z])|)(?=\s|\Z)|[。！？]")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|approx|mr|mrs|ms|dr|no)|^\W*\d{1,3})\.\Z", re.IGNORECASE)
_LONGEST_LEAD = 300  # what is longer introduces nothing, and would be read again for every item under it
_WRAPPED_FROM = 40  # a line shorter than this was not broken for width


@dataclass(frozen=True)
class Sentence:
    """A span of the text, and the line that introduces it, if it stands in a list under one."""

    start: int
    end: int
    lead: tuple[int, int] | None = None


def split(text: str) -> list[Sentence]:
    """The sentences in order. A sentence never crosses a line, except where prose was broken for width."""
    folded = fold(text)
    found: list[Sentence] = []
    lead: tuple[int, int] | None = None
    for start, end in _blocks(text, folded):
        if not _BULLET.match(text, start, end):
            lead = None
        found += [Sentence(*span, lead) for span in _spans(text, folded, start, end)]
        if end - start <= _LONGEST_LEAD and (folded[start:end].rstrip().endswith(":") or text.startswith("#", start)):
            lead = (start, end)
    return found


def _blocks(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """Lines that are not blank, each with the lines that continue it."""
    lines = [(line.start(), line.end()) for line in _LINE.finditer(folded) if not line[0].isspace()]
    block: tuple[int, int] | None = None
    for previous, (start, end) in zip([(0, 0), *lines], lines, strict=False):
        if block and previous[1] + 1 == start and _goes_on(folded[slice(*previous)].rstrip(), text[start:end]):
            block = (block[0], end)
            continue
        if block:
            yield block
        block = (start, end)
    if block:
        yield block


def _goes_on(before: str, line: str) -> bool:
    unfinished = len(before) >= _WRAPPED_FROM and not before.endswith((".", "!", "?", ":", ";", "|"))
    return unfinished and re.match(r" {0,8}[a-z/]", line) is not None


def _spans(text: str, folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _END.finditer(folded, start, end):
        if not _ABBREVIATED.search(folded[max(at, match.end() - 12) : match.end()]):
            yield from _trimmed(text, folded, at, match.end())
            at = match.end()
    yield from _trimmed(text, folded, at, end)


def _trimmed(text: str, folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]  # of the text itself, so that a bullet's star and bold marks go with their sentence
    if folded[start:end].strip():
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
