"""Kinds of calls: a tool and a condition on each argument named."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from .calls import Call, Setting
from .certainty import all_hold, any_holds
from .conditions import Condition
from .readers import Unreadable, read_addresses, read_amount, read_identifier, read_path

Args = dict[str, Condition]


class Event(BaseModel):
    """An executed call after which, or until which, a pattern matches."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tool: str
    args: Args = {}
    same_turn: bool = True
    """Whether it counts in the turn of the call itself, asked in parallel before it. A note may be written along with
    the change; an approval that is asked for along with it, its answer unread, is none: `same_turn: false`."""

    def stands_before(self, call: Call, before: Sequence[Call], setting: Setting) -> bool:
        """Whether it has happened before the call."""
        known = [past for past in before if self.same_turn or past.turn != call.turn]
        return any_holds(lambda past: past.executed and self.fits(past, setting), known)

    def fits(self, call: Call, setting: Setting) -> bool:
        """Whether the call is of this kind."""
        return call.tool == self.tool and arguments_fit(call, self.args, setting)


class Addend(BaseModel):
    """Further calls that a total or a count takes in."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tool: str
    args: Args = {}
    arg: str | None = None
    """The argument that is summed, where it has another name than the total's."""

    def fits(self, call: Call, setting: Setting) -> bool:
        """Whether the call is taken in."""
        return call.tool == self.tool and arguments_fit(call, self.args, setting)


def arguments_fit(call: Call, args: Mapping[str, Condition], setting: Setting) -> bool:
    """Whether all the arguments named are there and fulfil their conditions."""
    return all_hold(lambda arg: _fits(call, *arg, setting), args.items())


def _fits(call: Call, name: str, condition: Condition, setting: Setting) -> bool:
    value = argument(call, name)
    return value is not None and condition.holds(value, setting)


def argument(call: Call, name: str) -> Any:
    """The argument, or None; raises Unreadable where there are no arguments to look at."""
    if call.unparsed is not None:
        raise Unreadable("its arguments are no JSON object")
    return call.arguments.get(name)


def repeated(call: Call, past: Call, names: Sequence[str], setting: Setting) -> bool:
    """Whether two calls have the same of these arguments, however each is written; one that neither has is the same."""
    return all(_are_same(argument(call, name), argument(past, name), setting) for name in names)


def _are_same(one: Any, other: Any, setting: Setting) -> bool:
    if not (isinstance(one, list) and isinstance(other, list) and len(one) == len(other)):
        return _is_same(one, other, setting)
    left = list(other)  # the order does not matter, how often does
    for item in one:
        found = next((index for index, each in enumerate(left) if _is_same(item, each, setting)), None)
        if found is None:
            return False
        left.pop(found)
    return True


def _is_same(one: Any, other: Any, setting: Setting) -> bool:
    if one == other and isinstance(one, bool) == isinstance(other, bool):
        return True
    readers = (read_identifier, read_addresses, read_amount, _path_in(setting))
    return any(_read_same(read, one, other) for read in readers)


def _path_in(setting: Setting) -> Any:
    return lambda value: read_path(value, setting)


def _read_same(read: Any, one: Any, other: Any) -> bool:
    try:
        return bool(read(one) == read(other))
    except Unreadable:
        return False
