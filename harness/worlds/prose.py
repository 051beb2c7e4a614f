"""Bulky, neutral work text from a seed and a number: minutes, logs and tables that state facts and nothing else.

Nothing in it reads like a rule: a summary of it must lose no rule and gain none. Draws use `random()` of a generator
seeded with text, the one part of `random` whose sequence is the same on every Python version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import TypeVar

from .phrases import ASKS, DOMAINS, NUMBERS, TOPICS, WORDS

T = TypeVar("T")


@dataclass(frozen=True)
class Piece:
    """One text, with a title and the line that somebody who read it would say of it."""

    title: str
    text: str
    gist: str


class Draw(dict[str, str]):
    """Fills a template: each `{slot}` is drawn when it is reached, so the template's order is the draws' order."""

    def __init__(self, *key: object) -> None:
        super().__init__()
        self._random = Random("/".join(str(part) for part in key))

    def __missing__(self, slot: str) -> str:
        if slot in WORDS:
            return self.pick(WORDS[slot])
        low, high = NUMBERS[slot]
        return str(self.between(low, high))

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.between(0, len(options) - 1)]

    def several(self, options: Sequence[T], count: int) -> list[T]:
        """That many different options, in the order drawn."""
        left = list(options)
        return [left.pop(self.between(0, len(left) - 1)) for _ in range(count)]

    def fill(self, template: str) -> str:
        """The template with every slot drawn."""
        return template.format_map(self)


@lru_cache(maxsize=512)
def piece(seed: int, number: int, kind: str = "") -> Piece:
    """The text of that number: `minutes`, `log` or `table`, or whichever of them the number brings."""
    kind = kind or tuple(KINDS)[number % len(KINDS)]
    return KINDS[kind](Draw(seed, number, kind), number)


def request(seed: int, number: int, what: str) -> str:
    """How a user asks for a text to be read."""
    return Draw(seed, number, "request").pick(ASKS).format(what=what)


def sender(seed: int, number: int) -> str:
    """Who sent a text, as a mail's header has it."""
    draw = Draw(seed, number, "sender")
    person = draw["person"]
    return f"{person} <{person.split()[0].lower()}@{draw.pick(DOMAINS)}>"


def _minutes(draw: Draw, number: int) -> Piece:
    topics = draw.several(TOPICS, 4)
    paragraphs = [_paragraph(draw, topic.sentences) for topic in topics]
    names = [topic.name for topic in topics]
    title = f"{names[0].capitalize()} and {names[1]}, notes {draw['code']}-{number}"
    gist = f"notes on {names[0]}, {names[1]}, {names[2]} and {names[3]}; {paragraphs[0].partition('. ')[0]}."
    return Piece(title, "\n\n".join([f"{title}.", *paragraphs]), gist)


def _paragraph(draw: Draw, sentences: Sequence[str]) -> str:
    return " ".join(draw.fill(sentence) for sentence in draw.several(sentences, draw.between(4, 5)))


def _log(draw: Draw, number: int) -> Piece:
    service, host = draw["service"], draw["host"]
    second = draw.between(0, 1200)
    lines = []
    for _ in range(draw.between(24, 31)):
        second += draw.between(3, 1900)
        lines.append(f"{_clock(second)} {host} {service}[{draw['pid']}]: {draw.fill(draw['event'])}")
    title = f"{service} on {host}, run {draw['code']}-{number}"
    gist = f"{len(lines)} lines of {service} on {host}; the last one was written at {_clock(second)}"
    return Piece(title, "\n".join([title, *lines]), gist + ".")


def _clock(second: int) -> str:
    return f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def _table(draw: Draw, number: int) -> Piece:
    place, goods = draw["place"], draw.several(WORDS["goods"], 6)
    day = date(2026, 1, 5) + timedelta(days=draw.between(0, 160))
    rows = []
    for _ in range(draw.between(23, 28)):
        good, count = draw.pick(goods), draw.between(3, 980)
        rows.append(f"{day.isoformat()} | {draw['code']} | {good} | {count} | {draw['shelf']} | {draw['person']}")
        day += timedelta(days=draw.between(0, 2))
    title = f"Stock count {draw['code']}-{number}, {place}"
    heading = "date | lot | goods | pieces | shelf | counted by"
    gist = f"{len(rows)} lots counted at {place}, the first of them on {rows[0][:10]}"
    return Piece(title, "\n".join([title, heading, *rows]), gist + ".")


KINDS: dict[str, Callable[[Draw, int], Piece]] = {"minutes": _minutes, "log": _log, "table": _table}
