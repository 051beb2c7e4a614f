"""The contract of a world: simulated tools over an in-memory state that nothing outside can feel.

A world is a state machine. `start` makes one from a scenario's data, `call` runs one tool, `dump` and `load` carry it
through a snapshot. Everything about it is deterministic: the same data, seed and calls give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any, ClassVar, Protocol, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...graders.calls import Setting


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the agent is told of it; `parameters` is the JSON Schema of the object that it takes."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Bulk:
    """A piece of bulky neutral work: the user asks, the agent calls a tool that only looks, the agent remarks."""

    ask: str
    tool: str
    arguments: dict[str, Any]
    remark: str


class Refused(Exception):
    """The world's answer is an error that the agent can read; a refused call is not logged and moves no clock."""


class World(Protocol):
    """What the harness asks of every world."""

    name: ClassVar[str]
    about: ClassVar[str]
    Start: ClassVar[type[BaseModel]]
    now: str
    log: list[dict[str, Any]]

    @classmethod
    def start(cls, data: Any, seed: int) -> Self:
        """A world at its beginning; `data` is an instance of `Start`."""

    def tools(self) -> dict[str, ToolSpec]:
        """Every tool there is, by name."""

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The tool's answer; the call is logged and the clock ticks. Raises Refused and nothing else."""

    def dump(self) -> dict[str, Any]:
        """The whole state as plain JSON, independent of the world."""

    @classmethod
    def load(cls, state: dict[str, Any]) -> Self:
        """The world that `dump` wrote down, independent of `state`."""

    def setting(self) -> Setting:
        """What the graders are told so that arguments can be read."""

    def filler(self, number: int) -> Bulk:
        """The number-th piece of bulky neutral work, the same for the same seed and number."""


class Strict(BaseModel):
    """Starting data: a misspelt key is an error, and what was read stays as it was read."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False)


class ClockStart(Strict):
    """The world's clock: where it starts and what one call takes."""

    now: str = Field(
        default="2026-08-03T09:00:00", description="ISO 8601; without an offset it is local time in `zone`"
    )
    zone: str = Field(default="UTC", description="IANA time zone of the world's clock, such as Europe/Berlin")
    step_seconds: int = Field(default=30, ge=0, le=86_400, description="how far one executed call moves the clock")

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, OSError, ValueError) as error:  # which of the three depends on how the name is wrong
            raise ValueError(f"{zone!r} is no IANA time zone, such as UTC or Europe/Berlin") from error
        return zone

    @model_validator(mode="after")
    def _now_reads(self) -> Self:
        self.begins()
        return self

    def begins(self) -> str:
        """The clock's first reading, with the zone's offset."""
        try:
            moment = datetime.fromisoformat(self.now)
        except ValueError as error:
            raise ValueError(f"`now` {self.now!r} is no ISO 8601 time, such as 2026-08-03T09:00:00") from error
        if not 1990 <= moment.year <= 2100:  # far from where a calendar ends, so that no tick can overflow
            raise ValueError(f"`now` {self.now!r} lies outside 1990 to 2100")
        zone = ZoneInfo(self.zone)
        local = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
        return local.isoformat(timespec="seconds")


def later(now: str, seconds: int, zone: str) -> str:
    """`now` moved on by real seconds: across a change of summer time the offset follows the zone."""
    moment = datetime.fromisoformat(now).astimezone(UTC) + timedelta(seconds=seconds)
    return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")


def nearest(word: str, names: Iterable[str]) -> str:
    """How an error goes on after naming an unknown word: the nearest right name, else what there is.

    >>> nearest("send_mial", ["send_mail", "read_mail"])
    'did you mean `send_mail`?'
    >>> nearest("INV-107", ["INV-101", "INV-105"])
    'there are: INV-101, INV-105'
    >>> nearest("105", ["INV-101", "INV-105"])
    'did you mean `INV-105`?'
    """
    known = sorted(set(names))
    # An id is its digits: offering INV-101 for INV-107 would put a wrong act into the agent's mouth.
    alike = [name for name in known if _digits(name) == _digits(word)]
    close = get_close_matches(word, alike, 1) or get_close_matches(word.casefold(), alike, 1)
    close = close or (alike if _digits(word) and len(alike) == 1 else [])
    if close:
        return f"did you mean `{close[0]}`?"
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"there are: {shown}" if known else "there is none"


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))
