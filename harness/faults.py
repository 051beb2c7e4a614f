"""What a user did wrong, in one message: the place, the fault and the nearest right thing."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BadInput(Exception):
    """Input that cannot be used. The command line prints it and ends with exit code 2."""

    def __init__(self, place: str, fault: str) -> None:
        super().__init__(f"{place}: {fault}" if place else fault)
        self.place, self.fault = place, fault


class NotAvailable(Exception):
    """Something that this machine lacks, such as an extra that is not installed; exit code 4."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The words "; did you mean `x`?", or nothing where nothing comes near."""
    hint = nearest(word, known)
    return hint if hint.startswith("; did") else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The words "; did you mean `x`?", or the list of what there is where nothing comes near."""
    names = sorted(set(known))
    folded = {name.casefold(): name for name in names}
    close = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.55)
    if close:
        return f"; did you mean `{folded[close[0]]}`?"
    return f"; there is {', '.join(names[:20])}{', …' if len(names) > 20 else ''}" if names else ""
