"""Daily time windows."""

import re
from datetime import time
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .calls import Call, Setting
from .certainty import agreed
from .events import argument
from .readers import read_moments

_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d", re.ASCII)


class Window(BaseModel):
    """A daily time window: `from` belongs to it, `until` does not; it may cross midnight."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    from_: str = Field(alias="from")
    until: str
    zone: str | None = None
    """IANA zone of `from` and `until`; the world's own where none is given."""
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
        """Whether the call falls into the window; raises Unreadable where its time cannot be read.

        A time without an offset is one of the world's clock, whatever the zone of the window.
        """
        value = call.at if self.arg is None else argument(call, self.arg)
        if value is None:
            return False
        zone = ZoneInfo(self.zone or setting.zone)
        moments = read_moments(value, setting.zone)
        return agreed(lambda moment: self._has(moment.astimezone(zone).time()), moments)

    def _has(self, now: time) -> bool:
        start, end = _clock(self.from_), _clock(self.until)
        return start <= now < end if start < end else now >= start or now < end


def _clock(text: str) -> time:
    hour, minute = text.split(":")
    return time(int(hour), int(minute))
