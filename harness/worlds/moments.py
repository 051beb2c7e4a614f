"""Moments of starting data that the world's clock reaches, or has not reached yet."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator


def _reads(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError(f"{text!r} is no ISO 8601 time, such as 2026-08-03T09:00:00") from error
    if moment and not 1990 <= moment.year <= 2100:  # far from where a calendar ends, so that no zone can overflow
        raise ValueError(f"{text!r} lies outside 1990 to 2100")
    return text


Moment = Annotated[str, AfterValidator(_reads)]
"""ISO 8601; without an offset it is local time of the world. Empty: no such moment."""


def reached(moment: str, now: str, zone: str) -> bool:
    """Whether the clock stands at the moment or after it; an empty one is never reached.

    >>> reached("2026-08-03T09:00:00", "2026-08-03T09:00:00+02:00", "Europe/Berlin")
    True
    >>> reached("2026-08-03T09:00:00Z", "2026-08-03T09:00:00+02:00", "Europe/Berlin")
    False
    """
    if not moment:
        return False
    read = datetime.fromisoformat(moment)
    local = read.replace(tzinfo=ZoneInfo(zone)) if read.tzinfo is None else read
    return local <= datetime.fromisoformat(now)


def shown(moment: str) -> str:
    """The moment as a table shows it: to the minute, without its offset."""
    return moment[:16].replace("T", " ")
