"""Random and adversarial texts, arguments and calls: what a model might write that nobody has thought of."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Rng = random.Random
WORDS = [
    *("never", "must", "do not", "don't", "delete", "write", "to", "until", "done", "no longer", "except", "unless"),
    *("pending", "blocked", "approved", "production", "read-only", "/etc/prod", "INV-105", "4475", "~", "..", "//"),
    *("ann@acme.com", "bob@rival.com", "Ann <a@b.c>", "1,200.00", "$", "€", "1.2k", "NaN", "2026-08-03T10:30:00Z"),
    *("|", "**", "##", "- [x]", "[ ]", "```", "<rule>", "</rule>", '"', "'", "“", "”", "–", "—", "…", "\\", ";"),
    *(
        "nicht mehr",
        "niemals",
        "löschen",
        "Freigabe",
        "ohne",
        "ya no",
        "nunca",
        "modifiques",
        "sin",
        "aprobación",
        "¿",
        "¡",
    ),
    *(
        "不再",
        "不得",
        "修改",
        "除非",
        "批准",
        "もう",
        "ない",
        "変更",
        "禁止",
        "しないこと",
        "。",
        "，",
        "；",
        "【",
        "】",
        "・",
        "ｐｒｏｄ",
    ),
    *("SELECT * FROM t; DROP TABLE t --x", "http://a.b/?c=%2e%2e#d"),
]
DEEP = (50, 5_000, 100_000)  # how deeply a list may be nested


PIECES = (
    "a" * 300, "(" * 200, "a!" * 150, " " * 300, "\n" * 200, "must " * 120, "not " * 120, "x@" * 150, "../" * 150,
    "\u202e", "\u200b", "\x00", "\x1b[31m", "\ud800", "\U0001f600", "ﬁ", "İ", "ß", "е", "ӓ" * 40, "%25" * 80, "''" * 90,
    "- " * 120, "|" * 300, "#" * 300, "<" * 300, "```\n" * 60, "1," * 150, "9" * 400, "e9" * 50, "/*" * 120,
)  # fmt: skip


def text(rng: Rng, most: int = 40) -> str:
    """A text of words that graders look for, of pieces that stall slow patterns, and of any character there is."""
    parts = [_part(rng) for _ in range(rng.randrange(most))]
    return rng.choice((" ", "", "\n", ". ", ", ")).join(parts)


def _part(rng: Rng) -> str:
    kind = rng.random()
    if kind < 0.75:
        return rng.choice(WORDS)
    return rng.choice(PIECES) if kind < 0.9 else chr(rng.randrange(0x110000))


def value(rng: Rng, depth: int = 3) -> Any:
    """A JSON value, or what a lax parser takes for one: NaN, endless numbers, lists in lists, JSON in a text."""
    make: list[Callable[[], Any]] = [
        lambda: text(rng, 6),
        lambda: rng.choice(WORDS),
        lambda: rng.choice((None, True, False, 0, -1, 4475, 10**400, 1e308, float("nan"), float("inf"), -0.0, "", " ")),
        lambda: rng.uniform(-1e9, 1e9),
        lambda: encoded(value(rng, depth - 1)),
        lambda: [value(rng, depth - 1) for _ in range(rng.randrange(4))],
        lambda: {rng.choice(WORDS): value(rng, depth - 1) for _ in range(rng.randrange(4))},
        lambda: nested(rng.choice(DEEP)) if rng.random() < 0.02 else [],
    ]
    return rng.choice(make if depth > 0 else make[:4])()


def encoded(found: Any) -> str:
    """A value as a text of JSON; of what is nested too deeply, the text of brackets."""
    try:
        return json.dumps(found, default=str)
    except RecursionError:
        return "[" * 100_000 + "]" * 100_000


def nested(depth: int) -> list[Any]:
    """A list in a list in a list, deeper than a recursion reaches."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found
