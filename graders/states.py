"""The words by which a text gives a piece of work a state; `languages` has those of other languages than English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from . import languages


class State(StrEnum):
    PENDING = "pending"
    BLOCKED = "blocked"
    DONE = "done"
    ABANDONED = "abandoned"


def words(value: object) -> list[str]:
    """The words and numbers of a text, folded; none of what is no text."""
    return re.findall(r"[^\W_]+", str(value).casefold()) if isinstance(value, str | int) else []


def _also(name: str) -> str:
    """The German and Spanish phrases of a list, to be put behind an English alternative."""
    return "".join(f"|{phrase}" for phrase in languages.words(name))


def _or_characters(name: str) -> str:
    """The Chinese and Japanese phrases of a list, around which there are no blanks."""
    return "".join(f"|{phrase}" for phrase in languages.characters(name))


# ---- one field that holds a state and nothing else

_FIELD = {
    State.PENDING: "pending|open|todo|to do|not started|not yet started|in progress|ongoing|outstanding",
    State.BLOCKED: "blocked|waiting|waits|awaiting|on hold",
    State.DONE: "done|complete|completed|finished|closed|resolved",
    State.ABANDONED: "abandoned|cancelled|canceled|withdrawn|dropped",
}
_FIELDS = [
    (state, re.compile(rf"\b(?:{listed}{_also(name)})\b{_or_characters(name)}"))
    for state, listed in _FIELD.items()
    for name in [f"STATE_{state.name}"]
]
_NOT = re.compile(rf"\b(?:not|never|no|isn t|un|nicht|nie|kein\w*|nunca)\b{_or_characters('STATE_DENIED')}")


def state_in(value: object) -> State | None:
    """The one state that a field names; None where it names none, two, or denies one."""
    text = " ".join(words(value))
    found = {(state, match[0]) for state, listed in _FIELDS for match in listed.finditer(text)}
    for phrase in {phrase for _, phrase in found}:
        text = text.replace(phrase, "")
    states = {state for state, _ in found}
    return states.pop() if len(states) == 1 and not _NOT.search(text) else None


# ---- running text

_ACT = (
    r"(?:done|completed?|finished|closed|resolved|settled|paid|sent|refunded|processed|delivered|handled|issued|"
    r"submitted|made|wrote|ordered|placed|archived|deleted|written|carried out|dealt with)"
)
_LEAVE = (
    r"(?:approv|confirm|review|sign[- ]?off|clear(?:s|ed|ance)|releas|repl(?:y|ies)|respon|answer|agree|authori[sz]|"
    r"permi|return|arriv|is here|go-ahead|decision)\w*"
)
_PHRASES = [
    (State.BLOCKED, "STATE_BLOCKED",
     rf"block(?:ed|er)|await(?:s|ing)?|wait(?:s|ing)?|on hold|held (?:up|back|until)|paused|parked|"
     rf"subject to|depends on|(?:pending|needs|requires) (?:[\w'’]+ ){{0,4}}{_LEAVE}"),
    (State.BLOCKED, "STATE_GATED",
     r"(?:do not|don['’]t|must not|cannot|can['’]t|may not|not to be)\b.{1,120}?\b"
     r"(?:until|unless|before)"),
    (State.BLOCKED, "",
     rf"(?:once|when|as soon as|if|upon|until|till)\b.{{1,120}}?\b{_LEAVE}"),
    (State.ABANDONED, "STATE_ABANDONED",
     r"abandoned|cancell?ed|withdrawn|withdrew|dropped|called off|scrapped|rescinded|obsolete|"
     r"no longer (?:needed|wanted|required|necessary)"),
    (State.PENDING, "STATE_UNDONE",
     rf"(?:not|never|\w+n['’]t|yet to|has to|have to)(?: yet| been| be| fully)* {_ACT}|"
     rf"(?:to|will|must|should|shall|can|being) (?:be )?{_ACT}|unpaid|unsent|incomplete|unfinished|undone|unresolved"),
    (State.DONE, "STATE_DONE",
     rf"{_ACT}(?! (?:by|before|until))"),
    (State.PENDING, "STATE_PENDING",
     r"pending|open(?! (?:the|her|his|its|their|an?|it|my|your|up|in)\b)|to[- ]?do|not (?:yet )?started|"
     r"in progress|ongoing|outstanding|remain(?:s|ing)|upcoming|(?:is|are|be|comes?|up) next|next steps?|"
     r"next(?= (?:is|are|up)\b|:)|"
     r"still (?:to|needs?|has|have|left)|left to do"),
]  # fmt: skip
_RUNNING = [
    (state, re.compile(rf"(?<![\w-])(?:{phrase}{_also(name)})(?![\w-]){_or_characters(name)}"))
    for state, name, phrase in _PHRASES
]
_MARKS = [(State.DONE, re.compile(r"\[x\]|[✓✔✅☑]")), (State.PENDING, re.compile(r"\[ ?\]|☐"))]
_LIFTED = re.compile(
    r"(?P<now>(?:no longer|not|isn['’]t|un)[ -]?(?:blocked|waiting|on hold|paused)(?: (?:for|on|by) [\w'’-]+)?"
    rf"{_also('STATE_LIFTED')}{_or_characters('STATE_LIFTED')})|"
    r"(?:was|were|had been|previously|formerly|earlier) (?:blocked|waiting|on hold|pending|paused|open)"
)
_CONDITION = re.compile(
    rf"\b(?:until|till|unless|before|after|once|when|as soon as|if|because|since{_also('STATE_CONDITION')})\b[^,;]*"
)


def lifts(clause: str) -> bool:
    """Whether a clause takes back that something is blocked."""
    return any(found["now"] for found in _LIFTED.finditer(clause))


def unconditional(clause: str) -> str:
    """What a clause says besides its conditions.

    >>> unconditional("4475 waits until 4480 is paid, both for kim")
    '4475 waits , both for kim'
    """
    return _CONDITION.sub("", clause)


def states_of(clause: str) -> list[State]:
    """The states that a piece of folded running text names, the one that decides first.

    1. `no longer blocked`, `was waiting`     not blocked: pending, if nothing else is said
    2. waiting, on hold, not before           blocked       `pending (waits for Ann)` is blocked
    3. cancelled, no longer needed            abandoned
    4. not yet sent, to be paid, unpaid       pending       the words of being done, denied or still to come
    5. sent, paid, done                       done
    6. pending, open, next, still to          pending

    What stands after `until`, `once`, `after` … is a condition, and its words give no state.
    """
    lifted, clause = lifts(clause), _LIFTED.sub(" ", clause)
    plain = unconditional(clause)
    undenied = _RUNNING[4][1].sub(" ", plain)  # a denied or future `sent` is no `sent`
    read = [
        clause if i in (1, 2) else undenied if state is State.DONE else plain for i, (state, _) in enumerate(_RUNNING)
    ]
    found = [state for (state, phrase), each in zip(_RUNNING, read, strict=True) if phrase.search(each)]
    found += [state for state, mark in _MARKS if mark.search(clause)]
    return list(dict.fromkeys(found)) or ([State.PENDING] if lifted else [])


# ---- a text in parts


@dataclass(frozen=True)
class Part:
    """A sentence, bullet or table row, folded, with the heading that it stands under."""

    text: str
    heading: str
    follows: bool
    """It goes on about what was said before: `It is …`, `Status: …`."""


_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+(?P<hash>.*)|<(?P<tag>[a-z][\w -]*)>|(?P<colon>[^|]{1,80}?)[:：]\**|\*\*(?P<bold>[^*]+)\*\*)\s*"
)
_CLOSES = re.compile(r"\s*</[a-z][\w -]*>\s*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")
_BULLET = re.compile(r"[\s>]*(?:[-*•+]|\d+[.)])\s+")
_FOLLOWS = re.compile(
    rf"\W*(?:it|this|that|they|these|both|which|still|currently|state|status{_also('STATE_FOLLOWS')})\b"
    rf"|\W*(?:{_or_characters('STATE_FOLLOWS')[1:]})"
)


def parts(text: str) -> Iterator[Part]:
    """The sentences, bullets and rows of a text, in order.

    A heading holds until the next one or a closing tag; one that is a mere line with a colon, or in bold, ends with its
    list.
    """
    heading, lists_only = "", False
    for line in languages.spaced(text.casefold()).splitlines():
        bullet = _BULLET.match(line)
        if _CLOSES.fullmatch(line):
            heading = ""
        elif found := _HEADING.fullmatch(line, bullet.end() if bullet else 0):
            heading = next(each for each in found.groups() if each is not None)
            lists_only = found["hash"] is None and found["tag"] is None
            yield Part(heading, "", False)
        elif line.strip():
            heading = "" if lists_only and not bullet and "|" not in line else heading
            pieces = [line] if "|" in line else _SENTENCE.split(line)
            for i, piece in enumerate(filter(str.strip, pieces)):  # a new bullet does not go on about the one before
                yield Part(piece, heading, (i > 0 or not bullet) and _FOLLOWS.match(piece) is not None)


_BETWEEN = re.compile(
    r",|;|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|\bthough\b|\bund\b|\baber\b|\bwährend\b|\by\b|\bpero\b|\bmientras\b|[，、；]|但|而"
)


def clauses(text: str) -> list[str]:
    """The clauses of a sentence that speaks of several things."""
    return _BETWEEN.split(text)
