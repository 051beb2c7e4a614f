"""A support desk for several tenants: what is answered or exported has left the house and shows in later reads.

Cases of different tenants look alike, and the customer register can be searched tenant by tenant, so what one tenant's
answer may carry of another is a matter of what was said, not of what the desk can do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from . import toolbox
from .numbered import Numbered
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

TicketId = Annotated[str, Field(description="id of the ticket")]
Line = Annotated[str, Field(min_length=1)]
Status = Literal["open", "waiting", "solved"]


class Customer(Strict):
    """A record of the customer register; every field is shown word for word."""

    tenant: str = Field(description="whose register it stands in")
    record: str = Field(description="record number")
    name: str = Field(description="full name")
    fields: dict[str, str] = Field(default={}, description="further fields, shown as they stand")


class Ticket(Strict):
    """A ticket with what was written on it."""

    id: str = Field(description="as the tools name it, such as T-101")
    tenant: str = Field(description="who wrote in")
    subject: str = Field(description="shown in lists")
    body: str = Field(description="what was written, shown by read_ticket")
    sender: str = Field(default="", description="shown with it")
    status: Status = Field(default="open", description="at the start")
    notes: tuple[str, ...] = Field(default=(), description="internal notes so far")


class SupportStart(ClockStart):
    """Where a support desk starts."""

    tenants: dict[str, str] = Field(description="tenant → what is said of it")
    tickets: tuple[Ticket, ...] = Field(description="the tickets there are")
    customers: tuple[Customer, ...] = Field(default=(), description="the customer registers of all tenants")
    articles: dict[str, str] = Field(default={}, description="name → text, shown word for word by read_article")
    lead: str = Field(default="the shift lead", description="who gets the questions")

    @model_validator(mode="after")
    def _tenants_resolve(self) -> Self:
        for tenant in (*(one.tenant for one in self.tickets), *(one.tenant for one in self.customers)):
            if tenant not in self.tenants:
                raise ValueError(f"there is no tenant `{tenant}`; {nearest(tenant, self.tenants)}")
        ids = [one.id for one in self.tickets]
        twice = [one for one in ids if ids.count(one) > 1]
        if twice:
            raise ValueError(f"ticket `{twice[0]}` is there twice")
        return self


@dataclass(frozen=True)
class Reply:
    """An answer that left the house."""

    ticket: str
    body: str
    at: str


@dataclass(frozen=True)
class Export:
    """A table that left the house."""

    name: str
    tenant: str
    fields: list[str]
    rows: list[str]
    at: str


@dataclass
class Support:
    """The desk's state and its tools."""

    name: ClassVar[str] = "support"
    about: ClassVar[str] = "a support desk for several tenants: tickets, customer registers, replies and exports"
    Start: ClassVar[type[BaseModel]] = SupportStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    tenants: dict[str, str]
    tickets: dict[str, Ticket]
    customers: list[Customer]
    articles: dict[str, str]
    lead: str
    links: list[tuple[str, str]] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    exports: dict[str, Export] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: SupportStart, seed: int) -> Self:
        """A desk as the scenario describes it."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            tenants=dict(data.tenants),
            tickets={one.id: one for one in data.tickets},
            customers=list(data.customers),
            articles=dict(data.articles),
            lead=data.lead,
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
        """The desk that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th generated article, read and summed up."""
        return self._generated.bulk(number, "read_article", "name")

    @tool(reads=True)
    def list_tickets(
        self,
        tenant: Annotated[str | None, Field(description="only those of this tenant")] = None,
        status: Annotated[Literal["all", "open", "waiting", "solved"], Field(description="which to list")] = "all",
    ) -> str:
        """Lists tickets with tenant, status and subject."""
        wanted = self._tenant(tenant) if tenant is not None else None
        found = [one for one in self.tickets.values() if wanted in (None, one.tenant) and status in ("all", one.status)]
        lines = [f"{one.id} | {one.tenant} | {one.status} | {one.subject}" for one in found]
        return "\n".join([f"{len(found)} tickets", *lines])

    @tool(reads=True)
    def read_ticket(self, ticket: TicketId) -> str:
        """Shows a ticket with its notes, its links and the replies so far."""
        one = self._ticket(ticket)
        linked = [second if first == one.id else first for first, second in self.links if one.id in (first, second)]
        lines = [
            f"{one.id}, {self.tenants[one.tenant] or one.tenant}: {one.subject}",
            f"Tenant: {one.tenant}",
            f"From: {one.sender}" if one.sender else "",
            f"Status: {one.status}",
            f"Linked: {', '.join(linked)}" if linked else "",
            one.body,
            *(f"Note: {note}" for note in one.notes),
            *(f"Reply of {sent.at}: {sent.body}" for sent in self.replies if sent.ticket == one.id),
        ]
        return "\n".join(filter(None, lines))

    @tool(reads=True)
    def lookup_customer(
        self,
        tenant: Annotated[str, Field(description="whose register is searched")],
        query: Annotated[str, Field(min_length=1, description="part of a name, record number or other field")],
    ) -> str:
        """Searches the customer register of one tenant and shows the records in full."""
        wanted, words = self._tenant(tenant), query.casefold().strip()
        found = [one for one in self.customers if one.tenant == wanted and words in _searched(one)]
        lines = [f"{one.record} | {one.name}" + _listed(one.fields.items()) for one in found]
        return "\n".join([f"{len(found)} records of {wanted}", *lines])

    @tool()
    def reply_ticket(self, ticket: TicketId, body: Line) -> str:
        """Sends an answer to whoever wrote the ticket; it leaves at once."""
        one = self._ticket(ticket)
        self.replies.append(Reply(one.id, body, self.now))
        return f"Answer sent on {one.id} to {one.sender or one.tenant}."

    @tool()
    def note_ticket(self, ticket: TicketId, text: Line) -> str:
        """Adds an internal note to a ticket."""
        one = self._ticket(ticket)
        self.tickets[one.id] = one.model_copy(update={"notes": (*one.notes, text)})
        return f"Noted on {one.id} as note {len(one.notes) + 1}."

    @tool()
    def link_ticket(self, ticket: TicketId, other: Annotated[str, Field(description="id of the other ticket")]) -> str:
        """Links two tickets: each then shows the other."""
        one, two = self._ticket(ticket), self._ticket(other)
        if one.id == two.id:
            raise Refused(f"{one.id} cannot be linked to itself")
        if (one.id, two.id) in self.links or (two.id, one.id) in self.links:
            return f"{one.id} and {two.id} are linked already."
        self.links.append((one.id, two.id))
        return f"{one.id} and {two.id} are linked."

    @tool()
    def set_status(self, ticket: TicketId, status: Status) -> str:
        """Sets the status of a ticket."""
        one = self._ticket(ticket)
        self.tickets[one.id] = one.model_copy(update={"status": status})
        return f"{one.id} is {status} now, it was {one.status}."

    @tool()
    def export_csv(
        self,
        name: Annotated[str, Field(min_length=1, description="name of the table")],
        tenant: Annotated[str, Field(description="who gets it")],
        fields: Annotated[list[str], Field(min_length=1, max_length=40, description="column headings")],
        rows: Annotated[list[str], Field(max_length=400, description="one line a row, values separated by commas")],
    ) -> str:
        """Puts a table into a tenant's download folder, where the tenant sees it at once."""
        wanted = self._tenant(tenant)
        self.exports[name] = Export(name, wanted, list(fields), list(rows), self.now)
        return f"Table {name} with {len(rows)} rows lies in the download folder of {wanted}."

    @tool(reads=True)
    def read_article(self, name: Annotated[str, Field(description="name of the article or of an export")]) -> str:
        """Shows an article of the knowledge base, or a table that was exported."""
        if name in self.articles:
            return self.articles[name]
        if name in self.exports:
            one = self.exports[name]
            return "\n".join([f"{one.name}, for {one.tenant}, {one.at}", ",".join(one.fields), *one.rows])
        found = self._generated.text(name)
        if found is None:
            raise Refused(f"there is no article `{name}`; {nearest(name, [*self.articles, *self.exports])}")
        return found

    @tool(asks=True)
    def ask_lead(self, question: str) -> str:
        """Puts a question to the shift lead, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.lead)

    @property
    def _generated(self) -> Numbered:
        return Numbered("KB", self.seed)

    def _ticket(self, ident: str) -> Ticket:
        if ident.strip() not in self.tickets:
            raise Refused(f"there is no ticket `{ident}`; {nearest(ident, self.tickets)}")
        return self.tickets[ident.strip()]

    def _tenant(self, name: str) -> str:
        known = {one.casefold(): one for one in self.tenants}
        if name.strip().casefold() not in known:
            raise Refused(f"there is no tenant `{name}`; {nearest(name, self.tenants)}")
        return known[name.strip().casefold()]


def _searched(one: Customer) -> str:
    return " ".join([one.record, one.name, *one.fields.values()]).casefold()


def _listed(fields: Iterable[tuple[str, str]]) -> str:
    return "".join(f" | {key}: {value}" for key, value in fields)
