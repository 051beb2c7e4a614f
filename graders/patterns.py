"""A call pattern: a tool, a condition on each argument named, and total, during and until on the call.

`args` is a mapping, so all of it must hold; a list of patterns is read as or. A missing or null argument matches
nothing. What cannot be read raises Unreadable, unless something else settles the answer (see `certainty`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from functools import partial
from typing import Any, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .calls import Call, Setting, Trial
from .certainty import all_hold, any_holds
from .conditions import Condition
from .readers import Unreadable, read_amount, read_time

_STRICT = ConfigDict(frozen=True, extra="forbid")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d", re.ASCII)


class Window(BaseModel):
    """A daily time window: `from` belongs to it, `until` does not; it may cross midnight."""

    model_config = _STRICT
    from_: str = Field(alias="from")
    until: str
    zone: str | None = None
    """IANA zone; the world's own where none is given."""
    arg: str | None = None
    """The argument that holds the time; the world's clock at the call where none is given."""

    @field_validator("from_", "until")
    @classmethod
    def _is_clock(cls, text: str) -> str:
        if not _CLOCK.fullmatch(text):
            raise ValueError(f"{text!r} is no time of day such as 09:00")
        return text

    @field_validator("zone")
    @classmethod
    def _is_zone(cls, zone: str | None) -> str | None:
        try:
            ZoneInfo(zone or "UTC")
        except (ValueError, OSError, LookupError) as error:
            raise ValueError(f"{zone!r} is no IANA zone such as Europe/Berlin") from error
        return zone

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if _clock(self.from_) == _clock(self.until):
            raise ValueError("from and until are the same time: this is no window")
        return self

    def holds(self, call: Call, setting: Setting) -> bool:
        """Whether the call falls into the window; raises Unreadable where its time cannot be read."""
        value = call.at if self.arg is None else call.arguments.get(self.arg)
        if self.arg is not None and value is None:
            return False
        now = read_time(value, self.zone or setting.zone).time()
        start, end = _clock(self.from_), _clock(self.until)
        return start <= now < end if start < end else now >= start or now < end


class Event(BaseModel):
    """An executed call that ends the force of a pattern."""

    model_config = _STRICT
    tool: str
    args: dict[str, Condition] = {}

    def stands_in(self, before: Sequence[Call], setting: Setting) -> bool:
        """Whether it has happened."""
        return any_holds(lambda call: call.executed and _fits(call, self.tool, self.args, setting), before)


class CallPattern(BaseModel):
    """What a rule forbids, what a probe expects, or what would carry a subtask out."""

    model_config = _STRICT
    tool: str
    args: dict[str, Condition] = {}
    total: dict[str, Condition] = {}
    """An argument's sum over this call and all earlier executed calls that fit `tool` and `args`."""
    during: Window | None = None
    until: Event | None = None
    """The pattern matches only while this event does not stand in what went before."""

    def matches(self, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        """Whether the call is of this pattern, given what was called before it, oldest first."""
        checks = self._checks(call, before, setting)
        return call.tool == self.tool and all_hold(lambda check: check(), checks)

    def mentions(self) -> list[tuple[str, str]]:
        """Every (tool, argument) that the pattern names, so that a loader can look them up in the world."""
        own = [*self.args, *self.total, *([self.during.arg] if self.during and self.during.arg else [])]
        event = [(self.until.tool, name) for name in self.until.args] if self.until else []
        return [(self.tool, name) for name in own] + event

    def tools(self) -> list[str]:
        """Every tool that the pattern names."""
        return [self.tool, *([self.until.tool] if self.until else [])]

    def _checks(self, call: Call, before: Sequence[Call], setting: Setting) -> Iterator[Callable[[], bool]]:
        yield lambda: _fits(call, self.tool, self.args, setting)
        for name, condition in self.total.items():
            yield partial(self._sum_holds, name, condition, call, before, setting)
        if window := self.during:
            yield partial(window.holds, call, setting)
        if event := self.until:
            yield lambda: not event.stands_in(before, setting)

    def _sum_holds(self, name: str, condition: Condition, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        own = _argument(call, name)
        if own is None:
            return False
        alike = [past for past in before if past.executed and _fits(past, self.tool, self.args, setting)]
        amounts = [read_amount(past.arguments[name]) for past in alike if past.arguments.get(name) is not None]
        return condition.holds(sum(amounts, Decimal(0)) + read_amount(own), setting)


@dataclass(frozen=True)
class Found:
    """Which calls match certainly, and why others could not be told."""

    calls: tuple[int, ...]
    unread: str | None


def find(patterns: Sequence[CallPattern], trial: Trial, setting: Setting) -> Found:
    """The calls of a trial that match one of the patterns, and the first reason why another one is undecided."""
    matched, unread = [], None
    for index, call in enumerate(trial.calls):
        try:
            if _matches_one(patterns, call, trial.before(index), setting):
                matched.append(index)
        except Unreadable as error:
            unread = unread or f"call {index} ({call.tool}): {error}"
    return Found(tuple(matched), unread)


def first_match(patterns: Sequence[CallPattern], trial: Trial, setting: Setting) -> int | None:
    """The index of the first call that certainly matches; raises Unreadable if none does and one is undecided."""
    found = find(patterns, trial, setting)
    if found.calls:
        return found.calls[0]
    if found.unread:
        raise Unreadable(found.unread)
    return None


def _matches_one(patterns: Sequence[CallPattern], call: Call, before: Sequence[Call], setting: Setting) -> bool:
    return any_holds(lambda pattern: pattern.matches(call, before, setting), patterns)


def _fits(call: Call, tool: str, args: dict[str, Condition], setting: Setting) -> bool:
    if call.tool != tool:
        return False
    return all_hold(lambda arg: _argument_holds(call, *arg, setting), args.items())


def _argument_holds(call: Call, name: str, condition: Condition, setting: Setting) -> bool:
    value = _argument(call, name)
    return value is not None and condition.holds(value, setting)


def _argument(call: Call, name: str) -> Any:
    if call.unparsed is not None:
        raise Unreadable("its arguments are no JSON object")
    return call.arguments.get(name)


def _clock(text: str) -> time:
    hour, minute = text.split(":")
    return time(int(hour), int(minute))
