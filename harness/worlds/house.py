"""A house: doors, shutters, heating, alarms by the clock, and sensors whose value can be read a single time.

A reading that was taken is gone from the sensor, so it is known from the conversation alone; and what a door may do
depends on the time of day, which passes with every call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from ...graders.calls import Setting
from . import toolbox
from .numbered import Numbered
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

Line = Annotated[str, Field(min_length=1)]
DoorId = Annotated[str, Field(description="name of the door")]


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"{value} is no temperature")
    return value


Celsius = Annotated[float, Field(ge=5, le=30, description="degrees Celsius"), BeforeValidator(_no_boolean)]


class Door(Strict):
    """A door with a lock that tools can turn."""

    locked: bool = Field(default=True, description="at the start")
    battery: int = Field(default=100, ge=0, le=100, description="percent, shown with it")
    note: str = Field(default="", description="shown with it")


class Sensor(Strict):
    """A sensor that gives its value away a single time."""

    value: str = Field(description="what it shows when it is read")
    about: str = Field(default="", description="shown in the list of sensors")


class Zone(Strict):
    """A heating zone."""

    target: float = Field(description="degrees Celsius, as set at the start")
    note: str = Field(default="", description="shown with it")


class Alarm(Strict):
    """A span of time in which an alarm is on."""

    kind: str = Field(description="such as smoke or water")
    since: str = Field(description="ISO 8601 with offset")
    until: str = Field(description="ISO 8601 with offset")
    place: str = Field(default="", description="shown with it")

    @field_validator("since", "until")
    @classmethod
    def _is_moment(cls, text: str) -> str:
        try:
            aware = datetime.fromisoformat(text).tzinfo is not None
        except ValueError as error:
            raise ValueError(f"{text!r} is no ISO 8601 time, such as 2026-08-03T23:00:00+02:00") from error
        if not aware:
            raise ValueError(f"{text!r} has no offset, such as +02:00")
        return text


class HouseStart(ClockStart):
    """Where a house starts."""

    doors: dict[str, Door] = Field(description="doors by name")
    zones: dict[str, Zone] = Field(default={}, description="heating zones by name")
    sensors: dict[str, Sensor] = Field(default={}, description="sensors by name; each gives its value once")
    shutters: dict[str, Literal["open", "half", "closed"]] = Field(default={}, description="shutters by room")
    alarms: tuple[Alarm, ...] = Field(default=(), description="when which alarm is on")
    notes: dict[str, str] = Field(default={}, description="name → text, shown word for word by read_note")
    resident: str = Field(default="the residents", description="who gets the questions")


@dataclass
class House:
    """The house's state and its tools."""

    name: ClassVar[str] = "house"
    about: ClassVar[str] = "a house: doors by the clock, heating, and sensors that can be read a single time"
    Start: ClassVar[type[BaseModel]] = HouseStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    doors: dict[str, Door]
    zones: dict[str, Zone]
    sensors: dict[str, Sensor]
    shutters: dict[str, Literal["open", "half", "closed"]]
    alarms: list[Alarm]
    notes: dict[str, str]
    resident: str
    read_at: dict[str, str] = field(default_factory=dict)
    turned: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: HouseStart, seed: int) -> Self:
        """A house as the scenario describes it."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            doors=dict(data.doors),
            zones=dict(data.zones),
            sensors=dict(data.sensors),
            shutters=dict(data.shutters),
            alarms=list(data.alarms),
            notes=dict(data.notes),
            resident=data.resident,
        )

    def tools(self) -> dict[str, ToolSpec]:
        """Every tool there is, by name."""
        return toolbox.specs_of(type(self))

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The tool's answer, or Refused."""
        return toolbox.run(self, tool, arguments)

    def dump(self) -> dict[str, Any]:
        """The whole state as plain JSON."""
        return toolbox.dump(self)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Self:
        """The house that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th generated note, read and summed up."""
        return self._generated.bulk(number, "read_note", "name")

    @tool(reads=True)
    def clock_now(self) -> str:
        """Shows the date and the time of the house's clock."""
        return f"It is {self.now[:10]}, {self.now[11:16]}."

    @tool(reads=True)
    def list_doors(self) -> str:
        """Lists the doors with their locks and batteries."""
        return "\n".join(self._door_line(name) for name in self.doors)

    @tool(reads=True)
    def door_log(self) -> str:
        """Shows which lock was turned when."""
        return "\n".join(self.turned) or "No lock was turned yet."

    @tool()
    def unlock_door(self, door: DoorId) -> str:
        """Unlocks a door at once."""
        return self._turn(door, locked=False)

    @tool()
    def lock_door(self, door: DoorId) -> str:
        """Locks a door at once."""
        return self._turn(door, locked=True)

    @tool(reads=True)
    def list_sensors(self) -> str:
        """Lists the sensors and whether their value is still there."""
        lines = [f"{name} | {one.about or '-'} | {self._freshness(name)}" for name, one in self.sensors.items()]
        return "\n".join(lines) or "There are no sensors."

    @tool()
    def read_once(self, sensor: Annotated[str, Field(description="name of the sensor")]) -> str:
        """Reads a sensor, which clears it: its value is shown this one time."""
        name = _known("sensor", sensor, self.sensors)
        if name in self.read_at:
            return f"{name}: empty, it was read at {self.read_at[name][11:16]}."
        self.read_at[name] = self.now
        return f"{name}: {self.sensors[name].value}. The sensor is empty now."

    @tool(reads=True)
    def heating_state(self) -> str:
        """Shows the heating zones and what each is set to."""
        lines = [
            f"{name} | {one.target:g} °C" + (f" | {one.note}" if one.note else "") for name, one in self.zones.items()
        ]
        return "\n".join(lines) or "There are no zones."

    @tool()
    def set_heating(self, zone: Annotated[str, Field(description="name of the zone")], celsius: Celsius) -> str:
        """Sets a heating zone."""
        name = _known("zone", zone, self.zones)
        before = self.zones[name]
        self.zones[name] = before.model_copy(update={"target": celsius})
        return f"{name} is set to {celsius:g} °C, it was {before.target:g} °C."

    @tool()
    def move_shutter(
        self,
        room: Annotated[str, Field(description="name of the room")],
        position: Literal["open", "half", "closed"],
    ) -> str:
        """Moves the shutters of a room."""
        name = _known("shutter", room, self.shutters)
        before, self.shutters[name] = self.shutters[name], position
        return f"Shutters of {name}: {position}, before that {before}."

    @tool(reads=True)
    def alarm_state(self) -> str:
        """Shows which alarms are on at this moment."""
        at = datetime.fromisoformat(self.now)
        on = [
            f"{one.kind} alarm on since {one.since[11:16]}" + (f", {one.place}" if one.place else "")
            for one in self.alarms
            if datetime.fromisoformat(one.since) <= at < datetime.fromisoformat(one.until)
        ]
        return "\n".join(on) or "No alarm is on."

    @tool()
    def send_text(self, to: Line, text: Line) -> str:
        """Sends a text message to somebody; the note `messages` lists them."""
        self.messages.append(f"{self.now[:16]} to {to}: {text}")
        return f"Sent to {to}."

    @tool(reads=True)
    def read_note(self, name: str) -> str:
        """Shows a note of the household in full; `messages` lists what was sent."""
        if name in self.notes:
            return self.notes[name]
        if name == "messages":
            return "\n".join(self.messages) or "Nothing was sent yet."
        found = self._generated.text(name)
        if found is None:
            raise Refused(f"there is no note `{name}`; {nearest(name, [*self.notes, 'messages'])}")
        return found

    @tool(asks=True)
    def ask_resident(self, question: str) -> str:
        """Puts a question to the residents, who answer when they see it."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.resident)

    @property
    def _generated(self) -> Numbered:
        return Numbered("HN", self.seed)

    def _turn(self, door: str, *, locked: bool) -> str:
        name = _known("door", door, self.doors)
        word = "locked" if locked else "unlocked"
        if self.doors[name].locked == locked:
            return f"{name} is {word} already."
        self.doors[name] = self.doors[name].model_copy(update={"locked": locked})
        self.turned.append(f"{self.now[:16]} {name} {word}")
        return f"{name} is {word} now, {self.now[11:16]}."

    def _door_line(self, name: str) -> str:
        one = self.doors[name]
        state = "locked" if one.locked else "unlocked"
        return f"{name} | {state} | battery {one.battery} %" + (f" | {one.note}" if one.note else "")

    def _freshness(self, name: str) -> str:
        return f"empty, read at {self.read_at[name][11:16]}" if name in self.read_at else "one reading"


def _known(kind: str, name: str, known: dict[str, Any]) -> str:
    found = {one.casefold(): one for one in known}
    if name.strip().casefold() not in found:
        raise Refused(f"there is no {kind} `{name}`; {nearest(name, known)}")
    return found[name.strip().casefold()]
