"""A rule in a text: intact, residue and of which kind, or dropped. Sentence by sentence, deterministic.

Limits, known and kept: the strongest sentence counts, so a rule that one sentence states and a later, separate one
takes back is intact (a sentence right after it that refers back is seen); `Reading.contradicted` then holds the other
sentence. Whether a rule is about its target or about all outside it is read from the rule's own text: without that,
`never email acme.com` and `never email outside acme.com` are the same. Of two actions that a rule forbids, a text that
keeps one is intact, unless the atoms tell them apart as `actions`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import sentences as _sentences
from .atoms import KINDS, Atoms, finders
from .judgement import Judgement, ResidueKind, Retention, Rule, Said, ends_all, judge, judge_around
from .languages import CJK
from .naming import with_members
from .novelty import is_hard_rule, said_before
from .wording import HAS_CJK, flat, fold

_AROUND = 200  # characters on each side of a rule in which its sentence may take it back

__all__ = ["Atoms", "Reading", "ResidueKind", "Retention", "classify", "invented", "sentences", "traces"]


@dataclass(frozen=True)
class Reading:
    """What a text says of a rule, and the sentence that it rests on; `start` and `end` are offsets into the text."""

    retention: Retention
    kind: ResidueKind | None
    evidence: str | None
    start: int | None
    end: int | None
    matched: tuple[str, ...] = ()
    """The words of the rule in the evidence, as `target: prod-east-2`; what a line above says is not repeated."""
    lost: frozenset[int] = frozenset()
    """Of the actions that the rule forbids severally, those that a narrowed sentence leaves out, by their place."""
    contradicted: str | None = None
    """For an intact rule, a sentence elsewhere in the text that takes it back or states it more softly."""


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences, in order: list items, headings and table rows are sentences too."""
    return [(sentence.start, sentence.end) for sentence in _sentences.split(text)]


def classify(text: str, atoms: Atoms, verbatim: str = "", limits: str = "") -> Reading:
    """What the text still says of a rule.

    `limits` is the rule's own text where it is asked whether its atoms read that text: a `today` in it narrows nothing.

    1. the rule's own text stands in it, not taken back    intact
    2. a sentence has target, predicate and hardness       intact  (see `judgement.judge` for all of the table)
    3. a sentence says a part of it                        residue, of the strongest kind found
    4. anything else                                       dropped

    >>> atoms = Atoms(target=("/etc/prod",), predicate=("write", "change", "read-only"), category=("production",))
    >>> classify("- `/etc/prod` is **read-only**; ask first.", atoms).retention.value
    'intact'
    >>> classify("- `/etc/prod` is no longer read-only.", atoms).kind.value
    'inverted'
    >>> classify("Nothing was written to /etc/prod.", atoms).retention.value
    'dropped'
    """
    found = _readings(text, atoms, verbatim, limits)
    if not found:
        return Reading(Retention.DROPPED, None, None, None, None)
    best = min(found, key=_rank)
    if best.lost and _keep_all(found):
        best = replace(best, retention=Retention.INTACT, kind=None, lost=frozenset())
    against = _contradiction(text, found) if best.retention is Retention.INTACT else None
    return replace(best, matched=_matched(best.evidence or "", atoms, verbatim), contradicted=against)


def traces(text: str, atoms: Atoms, verbatim: str = "") -> list[tuple[int, int]]:
    """The spans to cut so that what is left classifies as dropped, in order and apart from each other."""
    spans: list[tuple[int, int]] = []
    while found := _readings(_without(text, spans), atoms, verbatim):
        # Cutting can bring two pieces together that say something only now; then the search goes another round.
        spans = _joined(spans + [_back(reading, spans) for reading in found])
    return spans


def invented(text: str, known: Sequence[Atoms], said: str) -> list[Reading]:
    """Hard rules in a text that nobody gave: no known rule's target, and nothing like it in the conversation `said`.

    It would rather miss one than accuse: narration, descriptions of what a task waits for, and sentences whose words
    stand together in one sentence of the conversation are not invented. Their retention is `never_stated`.
    """
    rules = [Rule(finders(atoms)) for atoms in known]
    hard = [
        reading
        for start, end in sentences(text)
        if is_hard_rule(flat(text[start:end])) and (reading := _never_stated(text, start, end, rules))
    ]
    if not hard:
        return []
    known_words = said_before(flat(said[start:end]) for start, end in sentences(said))
    return [reading for reading in hard if not known_words(flat(reading.evidence or ""))]


def _contradiction(text: str, found: Sequence[Reading]) -> str | None:
    """The sentence that takes the rule back, or all rules; else one that states it more softly."""
    for kind in (ResidueKind.INVERTED, None, ResidueKind.SOFTENED):
        if kind is None:
            pieces = (text[slice(*span)] for span in sentences(text))
            against = next((piece for piece in pieces if ends_all(flat(piece))), None)
        else:
            against = next((reading.evidence for reading in found if reading.kind is kind), None)
        if against is not None:
            return against
    return None


def _keep_all(found: Sequence[Reading]) -> bool:
    """Whether sentences that each leave out an action of the rule keep all of them between them."""
    return not frozenset.intersection(*(reading.lost for reading in found if reading.lost))


def _matched(evidence: str, atoms: Atoms, verbatim: str) -> tuple[str, ...]:
    own, known = with_members(flat(evidence)), finders(atoms, verbatim)
    named = ((name, getattr(known, name).search(own)) for name in KINDS)
    return tuple(f"{name}: {match[0]}" for name, match in named if match)


def _never_stated(text: str, start: int, end: int, rules: Sequence[Rule]) -> Reading | None:
    own = flat(text[start:end])
    if any(rule.finders.target.search(own) or judge(Said(own), rule).says_something for rule in rules):
        return None
    return Reading(Retention.NEVER_STATED, None, text[start:end], start, end)


def _readings(text: str, atoms: Atoms, verbatim: str, limits: str = "") -> list[Reading]:
    """Every sentence that says something of the rule, in order, and every place where it stands word for word."""
    rule = Rule(finders(atoms, verbatim), flat(verbatim), flat(limits))
    parts = _sentences.split(text)
    flats = [flat(text[part.start : part.end]) for part in parts] + [""]
    found = _verbatim(text, parts, flats, verbatim, rule)
    for index, part in enumerate(parts):
        judged = judge(
            Said(
                own=flats[index],
                leads=tuple(flat(text[start:end]) for start, end in part.leads),
                before=flats[index - 1] if part.goes_on else "",
                following=flats[index + 1],
                raw=text[part.start : part.end],
            ),
            rule,
        )
        if judged.says_something:
            found.append(_reading(text, part.start, part.end, judged))
    return found


def _verbatim(
    text: str, parts: Sequence[_sentences.Sentence], flats: Sequence[str], verbatim: str, rule: Rule
) -> list[Reading]:
    words = fold(verbatim).rstrip(" \n.!;,。！；").split()
    if not words:
        return []
    # a rule that ends in `acme.com` is not said by a text that goes on with `.evil.io`
    before = "" if HAS_CJK.match(words[0][0]) else rf"(?<![^\W{CJK}])"
    after = "" if HAS_CJK.match(words[-1][-1]) else rf"(?![^\W{CJK}]|[-_.@/]\w)"
    pattern = before + r"\s+".join(re.escape(word) for word in words) + after
    starts, ends = [part.start for part in parts], [part.end for part in parts]
    found: dict[tuple[int, int], Judgement] = {}
    for place in re.finditer(pattern, fold(text), re.IGNORECASE):
        first, last = bisect_right(starts, place.start()) - 1, bisect_left(ends, place.end())
        span = starts[first], ends[last]
        if span not in found or not found[span].intact:
            before = text[max(span[0], place.start() - _AROUND) : place.start()]
            after = text[place.end() : min(span[1], place.end() + _AROUND)]
            found[span] = judge_around(flat(f"{before} ; {after}"), flats[last + 1], rule)
    return [_reading(text, *span, judged) for span, judged in found.items()]


def _reading(text: str, start: int, end: int, judged: Judgement) -> Reading:
    retention = Retention.INTACT if judged.intact else Retention.RESIDUE
    return Reading(retention, judged.kind, text[start:end], start, end, lost=judged.lost)


_KINDS = [None, *ResidueKind]  # of an intact rule, then of what is left of one, from the most to the least


def _rank(reading: Reading) -> int:
    return _KINDS.index(reading.kind)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def _back(reading: Reading, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The reading's span in the whole text, where it was found in the text without `spans`."""
    start, end = reading.start or 0, reading.end or 0
    for cut_start, cut_end in spans:
        width = cut_end - cut_start
        start += width if cut_start <= start else 0
        end += width if cut_start < end else 0
    return start, end


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
