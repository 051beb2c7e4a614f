"""Text → sentences, for prose, markdown lists, headings, tables, JSON and XML alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .wording import fold

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(
    r"[ \t\u3000]{0,40}(?:(?:[-+*•·|>–—]|\d{1,3}[.)])(?=\s)|[・●○■◆◇※①-⑳]|[0-9０-９]{1,3}[、．）]"
    r"|[一二三四五六七八九十]、)"
)
_INDENT = re.compile(r"[ \t]{0,80}")
# Atomic, and only from the start of a run of marks: a megabyte of dots must not take quadratic time.
# A mark inside quotes ends nothing if the sentence goes on in lower case: `"Never ... ." no longer applies`.
_END = re.compile(r"(?<![.!?])[.!?]++(?:[\"')\]]++(?!\s+[a-z])|)(?=\s|\Z)|[。！？；｡]++[\"')\]）】]*+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|approx|mr|mrs|ms|dr|no|bzw|ca|usw|nr|inkl|ggf|evtl|vgl|sr|sra|ud|uds|núm|p\. ?ej|z"
    r"|z\. ?b"
    r"|d\. ?h|u\. ?a|i\. ?d|i\. ?d\. ?r)|^\W*\d{1,3})\.\Z",
    re.IGNORECASE,
)
_ORDINAL = re.compile(  # `am 12. Mai`: the German number goes on
    r"(?<![\w.])\d{1,2}\.\s+(?:und |bis |Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober"
    r"|November|Dezember"
    r"|Quartal|Woche|Tag)"
)
_HEADING = re.compile(r"#{1,6}(?=\s)")
_ROW = re.compile(r"[ \t]{0,40}\|")
_OPENS = re.compile(
    r"[:{\[]\s*\Z|\A\s{0,40}【[^】]{1,80}】\s*\Z"
)  # a line that introduces what is listed or nested under it
_TAG = re.compile(r"\s{0,40}<([A-Za-z][\w.-]{0,40})(?:\s[^<>]{0,200})?>\s*\Z")
_LONGEST_LEAD = 300  # what is longer introduces nothing, and would be read again for every item under it
_DEEPEST = 4  # leads of leads of leads
_WRAPPED_FROM = 40  # a line shorter than this was not broken for width

Span = tuple[int, int]


@dataclass(frozen=True)
class Sentence:
    """A span of the text, and the lines that introduce it, outermost first, if it stands in a list under them."""

    start: int
    end: int
    leads: tuple[Span, ...] = ()
    goes_on: bool = False
    """Whether the sentence before it stands in the same paragraph or list item."""


def split(text: str) -> list[Sentence]:
    """The sentences in order. A sentence never crosses a line, except where prose was broken for width."""
    folded = fold(text)
    found: list[Sentence] = []
    scope = _Scope(text, folded)
    for start, end in _blocks(text, folded):
        leads = scope.leads(start, end)
        spans = list(_spans(text, folded, start, end))
        found += [Sentence(*span, leads, goes_on=i > 0) for i, span in enumerate(spans)]
        if spans:
            scope.enter(start, end, spans[-1])
    return found


class _Scope:
    """The lines that are open at a place: headings, lines that end in a colon or a bracket, items with sub-items."""

    def __init__(self, text: str, folded: str) -> None:
        self._text, self._folded = text, folded
        self._open: list[tuple[int, Span]] = []
        self._head: Span | None = None  # of a table
        self._after_row = False

    def leads(self, start: int, end: int) -> tuple[Span, ...]:
        """What introduces the block. Prose is introduced by nothing: only items, rows and nested lines are."""
        depth = self._depth(start, end)
        row = bool(_ROW.match(self._text, start, end))
        if not row:
            self._head, self._after_row = None, False
        while self._open and self._open[-1][0] >= depth:
            self._open.pop()
        if not (row or _BULLET.match(self._text, start, end) or self._nested(start)):
            return ()
        head = (self._head,) if self._head else ()
        return (*(span for _, span in self._open[-_DEEPEST:]), *head)

    def enter(self, start: int, end: int, last: Span) -> None:
        """Opens what this block introduces; `last` is its last sentence."""
        if _ROW.match(self._text, start, end):
            if not self._after_row:
                self._head, self._after_row = _short(last), True
            return
        line = self._folded[start:end]
        item = bool(_BULLET.match(self._text, start, end))
        if (span := _short(last)) and (item or _OPENS.search(line) or _HEADING.match(line) or self._is_tag(start, end)):
            self._open.append((self._depth(start, end), span))

    def _depth(self, start: int, end: int) -> int:
        if heading := _HEADING.match(self._folded, start, end):
            return len(heading[0]) - 10
        indent = len(_INDENT.match(self._text, start, end)[0].expandtabs(4))  # type: ignore[index]
        item = _BULLET.match(self._text, start, end) or _ROW.match(self._text, start, end)
        return 2 * indent + bool(item)

    def _nested(self, start: int) -> bool:
        """Whether the line lies in the brackets or the tag of a line before it."""
        return any(
            depth >= 0 and (self._folded[span[1] - 1] in "{[" or self._is_tag(*span)) and depth < self._indent(start)
            for depth, span in self._open
        )

    def _indent(self, start: int) -> int:
        return 2 * len(_INDENT.match(self._text, start)[0].expandtabs(4))  # type: ignore[index]

    def _is_tag(self, start: int, end: int) -> bool:
        return _TAG.match(self._folded[start : min(end, start + _LONGEST_LEAD)]) is not None


def _short(span: Span) -> Span | None:
    return span if span[1] - span[0] <= _LONGEST_LEAD else None


def _blocks(text: str, folded: str) -> Iterator[Span]:
    """Lines that are not blank, each with the lines that continue it."""
    lines = [(line.start(), line.end()) for line in _LINE.finditer(folded) if not line[0].isspace()]
    block: Span | None = None
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
    return unfinished and re.match(r" {0,8}[a-z/äöüáéíóúñ¿¡]", line) is not None


def _spans(text: str, folded: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for match in _END.finditer(folded, start, end):
        if not (
            _ABBREVIATED.search(folded[max(at, match.end() - 12) : match.end()])
            or _ORDINAL.match(folded, max(at, match.end() - 3))
            or _ORDINAL.match(folded, max(at, match.end() - 2))
        ):
            yield from _trimmed(text, folded, at, match.end())
            at = match.end()
    yield from _trimmed(text, folded, at, end)


def _trimmed(text: str, folded: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]  # of the text itself, so that a bullet's star and bold marks go with their sentence
    if folded[start:end].strip():
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
