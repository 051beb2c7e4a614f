"""Text of models and files as it may be shown: what cannot be seen, or moves other text, stands as its code."""

from __future__ import annotations

import re
import unicodedata

# controls, formats (right-to-left overrides, zero widths), surrogates, private use, line and paragraph separators
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
PLAIN = "\n\t"
CODE = re.compile(r"⟦U\+[0-9A-F]{4,6}⟧")


def visible(text: str) -> str:
    """The text with every hidden character as its code.

    >>> visible("a\\u202eb"), visible("red \\x1b[31m"), visible("two\\nlines")
    ('a⟦U+202E⟧b', 'red ⟦U+001B⟧[31m', 'two\\nlines')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(each) for each in text)


def _shown(character: str) -> str:
    if character in PLAIN or unicodedata.category(character) not in HIDDEN:
        return character
    return f"⟦U+{ord(character):04X}⟧"


def line(text: str) -> str:
    """The text in one line, shortened where it is long; for cells of tables."""
    return visible(" ".join(text.split()))
