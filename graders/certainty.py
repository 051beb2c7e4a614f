"""And and or over checks that may raise `Unreadable`: yes, no, or not known.

What is certain wins: one certain no settles an and, one certain yes settles an or, whatever else could not be read.
Otherwise the first `Unreadable` is raised again, so that not known never turns into no.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from .readers import Unreadable

T = TypeVar("T")


def all_hold(check: Callable[[T], bool], items: Iterable[T]) -> bool:
    """True if the check holds for every item, False if it certainly fails for one; raises Unreadable otherwise."""
    return not _meets(False, check, items)


def any_holds(check: Callable[[T], bool], items: Iterable[T]) -> bool:
    """True if the check certainly holds for one item, False if for none; raises Unreadable otherwise."""
    return _meets(True, check, items)


def _meets(wanted: bool, check: Callable[[T], bool], items: Iterable[T]) -> bool:
    unread: Unreadable | None = None
    for item in items:
        try:
            if check(item) is wanted:
                return True
        except Unreadable as error:
            unread = unread or error
    if unread:
        raise unread
    return False


def agreed(check: Callable[[T], bool], readings: Iterable[T]) -> bool:
    """The answer that all readings of an argument give, of which there is one at least; raises Unreadable otherwise."""
    answers = {check(reading) for reading in readings}
    if len(answers) > 1:
        raise Unreadable("what it means depends on who reads it")
    return answers.pop()
