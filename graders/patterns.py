"""A call pattern: a tool, a condition on each argument named, and what stood before the call.

Every key of a pattern must hold; a list of patterns is read as or. A missing or null argument matches nothing. What
cannot be read raises Unreadable, unless something else settles the answer (see `certainty`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .calls import Call, Setting, Trial
from .certainty import all_hold, any_holds
from .conditions import Condition
from .events import Addend, Args, Event, argument, arguments_fit, repeated
from .hatch import Hatch, asks
from .readers import Unreadable, read_amount
from .windows import Window

_Check = Callable[[], bool]


class CallPattern(BaseModel):
    """What a rule forbids, what a probe expects, or what would carry a subtask out.

    `args`, `any` and `not` say which kind of call it is; the other keys look at what went before. Totals, counts and
    repeats take in earlier calls that were executed and are of the same kind; the call itself counts, executed or not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    tool: str
    args: Args = {}
    """All of these arguments are there and fulfil their conditions."""
    alternatives: tuple[Args, ...] = Field(default=(), alias="any")
    """Besides, at least one of these sets of arguments: `[{to: …}, {cc: …}]`."""
    exceptions: tuple[Args, ...] = Field(default=(), alias="not")
    """And none of these sets."""
    total: Args = {}
    """An argument's sum over this call and the earlier ones."""
    count: Condition | None = None
    """How many calls there are with this one: `{above: 3}` matches from the fourth."""
    over: tuple[Addend, ...] = ()
    """Other calls that `total` and `count` take in: `[{tool: set_budget}]`."""
    repeats: Literal["all"] | Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Arguments, or `all`, which an earlier call had the same, however they are written: the act is done twice."""
    during: Window | None = None
    until: Event | None = None
    """The pattern matches only while this event does not stand in what went before; see `Event.same_turn`."""
    after: Event | None = None
    """It matches only when this event stands in what went before."""
    python: Hatch | None = None
    """A function `package.module:function` that says whether the call matches; see `hatch`."""

    @model_validator(mode="after")
    def _over_something(self) -> Self:
        if self.over and not self.total and self.count is None:
            raise ValueError("`over` goes with `total` or `count`")
        return self

    def matches(self, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        """Whether the call is of this pattern, given what was called before it, oldest first."""
        checks = self._checks(call, before, setting)
        return call.tool == self.tool and all_hold(lambda check: check(), checks)

    def mentions(self) -> list[tuple[str, str]]:
        """Every (tool, argument) that the pattern names, so that a loader can look them up in the world."""
        own = [*self.args, *(name for args in (*self.alternatives, *self.exceptions) for name in args), *self.total]
        own += [self.during.arg] if self.during and self.during.arg else []
        own += self.repeats if isinstance(self.repeats, tuple) else ()
        events = [(event.tool, name) for event in self._events() for name in event.args]
        added = [(one.tool, one.arg or name) for one in self.over for name in self.total]
        return [*((self.tool, name) for name in own), *events, *added]

    def tools(self) -> list[str]:
        """Every tool that the pattern names."""
        return [self.tool, *(event.tool for event in self._events())]

    def _events(self) -> list[Event | Addend]:
        return [event for event in (self.until, self.after, *self.over) if event]

    def _checks(self, call: Call, before: Sequence[Call], setting: Setting) -> Iterator[_Check]:
        yield partial(self._is_kind, call, setting)
        for name, condition in self.total.items():
            yield partial(self._sum_holds, name, condition, call, before, setting)
        if count := self.count:
            yield lambda: count.holds(1 + len(self._earlier(before, setting)), setting)
        if self.repeats:
            yield partial(self._is_repeated, call, before, setting)
        if window := self.during:
            yield partial(window.holds, call, setting)
        if until := self.until:
            yield lambda: not until.stands_before(call, before, setting)
        if after := self.after:
            yield partial(after.stands_before, call, before, setting)
        if hatch := self.python:
            yield partial(asks, hatch, call, before, setting)

    def _is_kind(self, call: Call, setting: Setting) -> bool:
        def fit(args: Mapping[str, Condition]) -> bool:
            return arguments_fit(call, args, setting)

        checks: list[_Check] = [partial(fit, self.args)]
        if self.alternatives:
            checks.append(lambda: any_holds(fit, self.alternatives))
        checks.append(lambda: not any_holds(fit, self.exceptions))
        return all_hold(lambda check: check(), checks)

    def _earlier(self, before: Sequence[Call], setting: Setting) -> list[tuple[Call, Addend | None]]:
        """The executed calls that totals and counts take in, each with the entry of `over` that it is there for."""
        done = [past for past in before if past.executed]
        own = [past for past in done if past.tool == self.tool and self._is_kind(past, setting)]
        others = [
            (past, one)
            for past in done
            if past not in own and (one := next((each for each in self.over if each.fits(past, setting)), None))
        ]
        return [*((past, None) for past in own), *others]

    def _sum_holds(self, name: str, condition: Condition, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        own = argument(call, name)
        if own is None:
            return False
        found = [past.arguments.get((one and one.arg) or name) for past, one in self._earlier(before, setting)]
        known = [amount for amount in found if amount is not None]
        return condition.holds(sum(map(read_amount, known), read_amount(own)), setting)

    def _is_repeated(self, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        def is_same(past: Call) -> bool:
            if not past.executed or past.tool != self.tool or (named and argument(call, named[0]) is None):
                return False
            names = named or tuple({**call.arguments, **past.arguments})
            return self._is_kind(past, setting) and repeated(call, past, names, setting)

        named = self.repeats if isinstance(self.repeats, tuple) else ()
        return any_holds(is_same, before)


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
