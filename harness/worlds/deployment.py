"""Services with versions in environments, a clock, and incidents that open and close by it: deploying and going back.

Whether an incident is open is known only at its hour, and nothing stands in the way of a deployment: the hour, the
environment and the incident that it is said to belong to are the agent's to choose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .ids import twice
from .moments import Moment, reached, shown
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Severity = Literal["sev-1", "sev-2", "sev-3"]
ServiceName = Annotated[str, Field(description="name of the service")]
EnvironmentName = Annotated[str, Field(description="name of the environment")]
IncidentId = Annotated[str, Field(description="id of the incident that it belongs to; left out: none")]


class Build(Strict):
    """A version that can be deployed."""

    version: str = Field(description="as the tools name it, such as 4.2.0")
    tests: Literal["green", "red", "running"] = Field(default="green", description="how its tests ended")
    note: str = Field(default="", description="shown with it")


class Service(Strict):
    """One service; what runs where is shown to the agent."""

    name: str = Field(description="as the tools name it")
    about: str = Field(default="", description="shown with it")
    builds: tuple[Build, ...] = Field(description="the versions there are, oldest first")
    running: dict[str, str] = Field(description="environment → version that runs there")
    before: dict[str, str] = Field(default={}, description="environment → version that ran there before")


class Incident(Strict):
    """An incident, there from the hour it opens and closed from the hour it closes."""

    id: str = Field(description="as the tools name it, such as INC-41")
    service: str = Field(description="the service it is about")
    severity: Severity = Field(description="sev-1 is the gravest")
    title: str = Field(description="shown in lists")
    opens: Moment = Field(description="from when it is there")
    closes: Moment = Field(default="", description="from when it is closed; left out: it stays open")
    note: str = Field(default="", description="shown with it")


class Change(Strict):
    """A change request, approved from an hour on or waiting for good."""

    id: str = Field(description="as the tools name it, such as CHG-9")
    title: str = Field(description="shown with it")
    approver: str = Field(description="who approves it")
    approved: Moment = Field(default="", description="from when it is approved; left out: nobody has answered")
    note: str = Field(default="", description="shown with it")


class DeploymentStart(ClockStart):
    """Where the services start."""

    services: tuple[Service, ...] = Field(description="the services there are")
    incidents: tuple[Incident, ...] = Field(default=(), description="incidents, also those that open later")
    changes: tuple[Change, ...] = Field(default=(), description="change requests")
    documents: dict[str, str] = Field(default={}, description="name → text, shown word for word by read_document")
    on_call: str = Field(default="the engineer on call", description="who gets the questions")

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        services = [one.name for one in self.services]
        records = [*(one.id for one in self.incidents), *(one.id for one in self.changes)]
        if again := [*twice(services), *twice(records)]:
            raise ValueError(f"`{again[0]}` is there twice")
        for incident in self.incidents:
            if incident.service not in services:
                raise ValueError(
                    f"incident {incident.id}: there is no service `{incident.service}`; "
                    f"{nearest(incident.service, services)}"
                )
        for service in self.services:
            self._versions_exist(service)
        return self

    def _versions_exist(self, service: Service) -> None:
        known = [build.version for build in service.builds]
        for version in (*service.running.values(), *service.before.values()):
            if version not in known:
                raise ValueError(f"service {service.name}: there is no build `{version}`; {nearest(version, known)}")


@dataclass
class Deployment:
    """What runs where, and the tools that change it."""

    name: ClassVar[str] = "deployment"
    about: ClassVar[str] = "services, environments and a clock by which incidents open and close: deploying, going back"
    Start: ClassVar[type[BaseModel]] = DeploymentStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    services: dict[str, Service]
    incidents: dict[str, Incident]
    changes: dict[str, Change]
    documents: dict[str, str]
    on_call: str
    flags: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: DeploymentStart, seed: int) -> Self:
        """The services as the scenario describes them."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            services={one.name: one for one in data.services},
            incidents={one.id: one for one in data.incidents},
            changes={one.id: one for one in data.changes},
            documents=dict(data.documents),
            on_call=data.on_call,
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
        """The services that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th entry of the shift's log book, read and summed up."""
        name, piece = f"LOG-{number:04d}", prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, name), "read_document", {"name": name}, f"{name}: {piece.gist}")

    @tool(reads=True)
    def tell_time(self) -> str:
        """Tells the date, the time and the day of the week by the clock of the control room."""
        return f"{WEEKDAYS[datetime.fromisoformat(self.now).weekday()]}, {shown(self.now)} ({self.zone})."

    @tool(reads=True)
    def list_services(self) -> str:
        """Lists every service with the version that runs in each environment."""
        lines = [
            " | ".join([one.name, *(f"{place} {version}" for place, version in one.running.items())])
            for one in self.services.values()
        ]
        return "\n".join([f"{len(lines)} services", *lines])

    @tool(reads=True)
    def get_service(self, service: ServiceName) -> str:
        """Shows one service: what runs where, what ran there before, its builds and flags."""
        one = self._service(service)
        runs = [
            f"{place}: {version}" + (f" (before: {one.before[place]})" if place in one.before else "")
            for place, version in one.running.items()
        ]
        builds = [f"Build {b.version}: tests {b.tests}" + (f", {b.note}" if b.note else "") for b in one.builds]
        flags = [f"Flag {key.partition('/')[2]}: {value}" for key, value in self.flags.items() if _of(key, one.name)]
        return "\n".join([f"Service: {one.name}" + (f", {one.about}" if one.about else ""), *runs, *builds, *flags])

    @tool()
    def deploy_service(
        self,
        service: ServiceName,
        environment: EnvironmentName,
        version: Annotated[str, Field(description="version of a build of the service")],
        incident: IncidentId = "",
    ) -> str:
        """Puts a version of a service into an environment at once."""
        one, place = self._service(service), self._place(service, environment)
        build = next((build for build in one.builds if build.version == version.strip()), None)
        if build is None:
            raise Refused(f"{one.name} has no build `{version}`; {nearest(version, [b.version for b in one.builds])}")
        self._incident_or_none(incident)
        return self._run(one, place, build.version, incident)

    @tool()
    def roll_back(self, service: ServiceName, environment: EnvironmentName, incident: IncidentId = "") -> str:
        """Puts the version back into an environment that ran there before, at once."""
        one, place = self._service(service), self._place(service, environment)
        if place not in one.before:
            raise Refused(f"nothing ran before {one.running[place]} of {one.name} in {place}")
        self._incident_or_none(incident)
        return self._run(one, place, one.before[place], incident)

    @tool()
    def set_flag(
        self,
        service: ServiceName,
        environment: EnvironmentName,
        flag: Annotated[str, Field(min_length=1, description="name of the flag")],
        value: Annotated[str, Field(min_length=1, description="its new value")],
    ) -> str:
        """Sets a flag of a service in an environment; no version changes."""
        one, place = self._service(service), self._place(service, environment)
        self.flags[f"{one.name}/{place}/{flag}"] = value
        return f"Flag {flag} of {one.name} in {place} is {value}."

    @tool(reads=True)
    def list_incidents(
        self, status: Annotated[Literal["open", "closed", "all"], Field(description="which to list")] = "open"
    ) -> str:
        """Lists incidents with severity and status, as they stand at this hour."""
        found = [one for one in self._known() if status in ("all", self._status(one))]
        lines = [f"{one.id} | {one.severity} | {one.service} | {self._status(one)} | {one.title}" for one in found]
        return "\n".join([f"{len(found)} incidents at {shown(self.now)}", *lines])

    @tool(reads=True)
    def get_incident(self, incident: Annotated[str, Field(description="id of the incident")]) -> str:
        """Shows one incident with its notes, as it stands at this hour."""
        one = self._incident(incident)
        lines = [
            f"Incident: {one.id}, {one.title}",
            f"Severity: {one.severity}",
            f"Service: {one.service}",
            f"Status: {self._status(one)} (opened {shown(one.opens)})",
            one.note,
            *self.notes.get(one.id, []),
        ]
        return "\n".join(filter(None, lines))

    @tool(reads=True)
    def get_change(self, change: Annotated[str, Field(description="id of the change request")]) -> str:
        """Shows one change request and whether it is approved by now."""
        if change.strip() not in self.changes:
            raise Refused(f"there is no change `{change}`; {nearest(change, self.changes)}")
        one = self.changes[change.strip()]
        approved = reached(one.approved, self.now, self.zone)
        state = f"approved by {one.approver}" if approved else f"AWAITING_HUMAN: asked of {one.approver}, no answer yet"
        return "\n".join(filter(None, [f"Change: {one.id}, {one.title}", state, one.note, *self.notes.get(one.id, [])]))

    @tool()
    def add_note(
        self,
        record: Annotated[str, Field(description="id of an incident or a change request")],
        text: Annotated[str, Field(min_length=1)],
    ) -> str:
        """Adds a note to an incident or a change request."""
        known = [*(one.id for one in self._known()), *self.changes]
        if record.strip() not in known:
            raise Refused(f"there is no record `{record}`; {nearest(record, known)}")
        self.notes.setdefault(record.strip(), []).append(f"{shown(self.now)}: {text}")
        return f"Noted on {record.strip()}."

    @tool(reads=True)
    def read_document(self, name: str) -> str:
        """Shows a document in full; the log book's entries are LOG-0000, LOG-0001, …"""
        if name in self.documents:
            return self.documents[name]
        number = re.fullmatch(r"LOG-(\d{4,6})", name, re.ASCII)
        if number and f"LOG-{int(number[1]):04d}" == name:
            return prose.piece(self.seed, int(number[1])).text
        raise Refused(f"there is no document `{name}`; {nearest(name, self.documents)}")

    @tool(asks=True)
    def ask_on_call(self, question: str) -> str:
        """Puts a question to the engineer on call, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.on_call)

    def _run(self, one: Service, place: str, version: str, incident: str) -> str:
        last = one.running[place]
        running, before = {**one.running, place: version}, {**one.before, place: last}
        self.services[one.name] = one.model_copy(update={"running": running, "before": before})
        reason = f", for {incident.strip()}" if incident.strip() else ""
        return f"{one.name} {version} runs in {place} since {shown(self.now)} (before: {last}){reason}."

    def _service(self, name: str) -> Service:
        if name.strip() not in self.services:
            raise Refused(f"there is no service `{name}`; {nearest(name, self.services)}")
        return self.services[name.strip()]

    def _place(self, service: str, environment: str) -> str:
        places = self._service(service).running
        if environment.strip() not in places:
            raise Refused(f"{service.strip()} has no environment `{environment}`; {nearest(environment, places)}")
        return environment.strip()

    def _known(self) -> list[Incident]:
        return [one for one in self.incidents.values() if reached(one.opens, self.now, self.zone)]

    def _incident(self, ident: str) -> Incident:
        known = {one.id: one for one in self._known()}
        if ident.strip() not in known:
            raise Refused(f"there is no incident `{ident}`; {nearest(ident, known)}")
        return known[ident.strip()]

    def _incident_or_none(self, ident: str) -> None:
        if ident.strip():
            self._incident(ident)

    def _status(self, one: Incident) -> str:
        return "closed" if reached(one.closes, self.now, self.zone) else "open"


def _of(key: str, service: str) -> bool:
    return key.partition("/")[0] == service
