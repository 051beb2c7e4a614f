"""Moments in time arguments."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from .unreadable import Unreadable, shown

_TIME = re.compile(
    r"(?P<text>(?:\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?|\d{8}T\d{6}))"
    r"(?P<offset>Z|z| ?UTC| ?GMT|[+-]\d\d(?::?\d\d)?)?(?:\[(?P<zone>[\w/+-]+)\])?",
    re.ASCII,
)


def read_time(value: Any, zone: str) -> datetime:
    """The moment that an ISO 8601 date and time names, on the clock of `zone`.

    Without an offset it is local time of `zone`; an hour that the clocks skip or show twice raises.

    >>> read_time("2026-01-05T08:30:00Z", "Europe/Berlin").isoformat()
    '2026-01-05T09:30:00+01:00'
    """
    first, *others = read_moments(value, zone)
    if others:
        raise Unreadable(f"the clocks of {zone} change in this hour: {shown(value)}")
    return first


def read_moments(value: Any, zone: str) -> tuple[datetime, ...]:
    """Every moment that the text may name: two where the clocks skip that hour or show it twice, else one.

    >>> [moment.isoformat() for moment in read_moments("2026-10-25T02:30", "Europe/Berlin")]
    ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00']
    >>> [moment.isoformat() for moment in read_moments("2026-03-29T02:30", "Europe/Berlin")]
    ['2026-03-29T03:30:00+02:00', '2026-03-29T01:30:00+01:00']
    """
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise Unreadable(f"not a date with a time: {shown(value)}")
    try:
        return _moments(match, zone)
    except (ValueError, OverflowError, OSError, LookupError) as error:
        raise Unreadable(f"not a date with a time: {shown(value)}") from error


def _moments(match: re.Match[str], zone: str) -> tuple[datetime, ...]:
    offset = (match["offset"] or "").strip().upper().replace("UTC", "Z").replace("GMT", "Z")
    written = datetime.fromisoformat(match["text"].upper() + offset)
    named = ZoneInfo(match["zone"]) if match["zone"] else None
    if offset:
        if named and offset != "Z" and written.astimezone(named).utcoffset() != written.utcoffset():
            raise ValueError("the offset and the zone contradict each other")
        return (written.astimezone(ZoneInfo(zone)),)
    folds = [written.replace(tzinfo=named or ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)]
    return tuple(moment.astimezone(ZoneInfo(zone)) for moment in dict.fromkeys(folds))
