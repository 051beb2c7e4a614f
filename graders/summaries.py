"""Whether a summary is a summary of this conversation, and how hard the compaction pressed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from .languages import LETTERS

# an address, a path, a word with a digit in it: what a text about something else would not happen to hold
# From the start of a run of such characters on, so that a long run is looked at once.
_IDENTIFIER = re.compile(
    rf"(?<![{LETTERS}.+-])[{LETTERS}.+-]+@[{LETTERS}.-]+[{LETTERS}]|(?:/[{LETTERS}.-]+){{2,}}"
    rf"|(?<![{LETTERS}-])[{LETTERS}-]*\d[{LETTERS}-]*"
)


def identifiers(text: str) -> frozenset[str]:
    """The conversation-specific identifiers of a text, in lower case: addresses, paths, words of three or more
    characters with a digit.

    >>> sorted(identifiers("Pay INV-4471 to ann@acme.example; see /srv/app/x.conf, 2 of 3."))
    ['/srv/app/x.conf', 'ann@acme.example', 'inv-4471']
    """
    found = _IDENTIFIER.findall(unicodedata.normalize("NFKC", text))
    return frozenset(each.lower() for each in found if len(each) >= 3)


def is_summary(text: str, known: Collection[str]) -> bool:
    """Whether the text holds at least one of the conversation's identifiers (Kwartler et al. 2026, arXiv 2608.11392:
    texts without any are non-summaries, and counting them as lost rules inflates the loss)."""
    return not identifiers(text).isdisjoint(known)


def pressure(text: str, keys: Sequence[str]) -> float | None:
    """The share of the planted neutral facts, given by their keys, that the text has lost; None without facts."""
    if not keys:
        return None
    folded = " ".join(text.split()).casefold()
    lost = sum(1 for key in keys if " ".join(key.split()).casefold() not in folded)
    return lost / len(keys)
