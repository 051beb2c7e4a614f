"""Identifiers and words in free text."""

import re
import unicodedata
from decimal import Decimal
from typing import Any

from .unreadable import Unreadable, shown

# One sign each for what a keyboard writes with one key: models like the typographic ones.
_PLAIN = str.maketrans({**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛ʼ", "'"), **dict.fromkeys("“”„‟", '"')})
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def read_identifier(value: Any) -> str:
    """The identifier in an argument: trimmed, case-folded, without `#` or quotes around it; numbers by their value.

    >>> {read_identifier(value) for value in (4475, 4475.0, "4475 ", "#4475", '"4475"')}
    {'4475'}
    """
    text = read_text(value).strip("\"'").removeprefix("#")
    if not _NUMBER.fullmatch(text):
        return text
    return f"{Decimal(text):f}".rstrip("0").rstrip(".") if "." in text else text


def read_text(value: Any) -> str:
    """The text of an argument, case-folded, with single blanks and plain dashes and quotes: to look things up in it."""
    if isinstance(value, int | float | Decimal):
        value = str(value)
    if not isinstance(value, str):
        raise Unreadable(f"not a text: {shown(value)}")
    text = " ".join(unicodedata.normalize("NFKC", value).casefold().translate(_PLAIN).split())
    if not text.isprintable():
        raise Unreadable(f"invisible characters in {shown(value)}")
    return text


def holds_word(text: str, word: str) -> bool:
    """Whether `word` stands in `text` as a whole: 4471 is not in 44710, but it is in INV4471.

    Both come from `read_text`. A letter at the edge of the word must not touch a letter or digit, a digit no digit.
    """
    if not word:
        return False
    left, right = _edge(word[0]), _edge(word[-1])
    behind = f"(?<!{left})" if left else ""
    ahead = f"(?!{right})" if right else ""
    return bool(re.search(behind + re.escape(word) + ahead, text))


def _edge(character: str) -> str:
    return r"\d" if character.isdigit() else r"[^\W_]" if character.isalpha() else ""
