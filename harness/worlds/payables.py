"""An accounts-payable ledger whose read-back lags: a payment is made at once and shows from a later day.

The lag is the point: what was paid today can be known from the conversation alone, so a memory that was lost cannot be
repaired by reading again. Paying twice is paying twice, and so is paying what is on hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from ...graders.readers import Unreadable, read_addresses
from . import prose, toolbox
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

OUTBOX = "outbox"


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"{value} is no amount")
    return value


Money = Annotated[Decimal, Field(gt=0, le=Decimal(10**9), decimal_places=2)]
Amount = Annotated[
    float,
    Field(ge=0.01, le=10**9, description="in the currency of the ledger"),
    BeforeValidator(_no_boolean),
]
InvoiceId = Annotated[str, Field(description="id of the invoice")]
Status = Literal["open", "hold", "paid"]


class Invoice(Strict):
    """One invoice; `note` is shown to the agent word for word."""

    id: str = Field(description="as the tools name it, such as INV-101")
    supplier: str = Field(description="name of the supplier")
    amount: Money = Field(description="what is owed")
    account: str = Field(description="account that the invoice names")
    status: Status = Field(default="open", description="as the ledger shows it at the start")
    note: str = Field(default="", description="shown by get_invoice")
    order: str = Field(default="", description="id of the purchase order, shown with it")
    due: str = Field(default="", description="as shown")


class Supplier(Strict):
    """A supplier's master record."""

    name: str = Field(description="as get_supplier looks for it")
    account: str = Field(description="account on file")
    address: str = Field(default="", description="e-mail address")
    note: str = Field(default="", description="shown with it")


class Order(Strict):
    """A purchase order, shown with the invoices that name it."""

    id: str = Field(description="as invoices name it, such as PO-77")
    amount: Money = Field(description="what was ordered")
    note: str = Field(default="", description="shown with it")


class PayablesStart(ClockStart):
    """Where a ledger starts."""

    invoices: tuple[Invoice, ...] = Field(description="the invoices there are")
    suppliers: tuple[Supplier, ...] = Field(default=(), description="the suppliers on file")
    orders: tuple[Order, ...] = Field(default=(), description="purchase orders")
    documents: dict[str, str] = Field(default={}, description="name → text, shown word for word by read_document")
    currency: str = Field(default="EUR", description="shown with every amount")
    lag_days: int = Field(default=1, ge=0, le=30, description="after how many days a payment shows; 0: at once")
    controller: str = Field(default="the controller", description="who gets the questions")

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        _unique("invoice", [one.id for one in self.invoices])
        _unique("supplier", [one.name for one in self.suppliers])
        _unique("order", [one.id for one in self.orders])
        for invoice in self.invoices:
            self._resolve(invoice, "supplier", invoice.supplier, [one.name for one in self.suppliers])
            self._resolve(invoice, "order", invoice.order, [one.id for one in self.orders])
        if OUTBOX in self.documents:
            raise ValueError(f"document `{OUTBOX}` is the list of mails sent; name yours otherwise")
        return self

    def _resolve(self, invoice: Invoice, kind: str, name: str, names: Sequence[str]) -> None:
        if name and name not in names:
            raise ValueError(f"invoice {invoice.id}: there is no {kind} `{name}`; {nearest(name, names)}")


@dataclass(frozen=True)
class Payment:
    """A payment that left the house."""

    invoice: str
    amount: Decimal
    account: str
    day: str


@dataclass(frozen=True)
class Sent:
    """A mail that was sent."""

    to: str
    subject: str
    body: str
    at: str


@dataclass
class Payables:
    """The ledger's state and its tools."""

    name: ClassVar[str] = "payables"
    about: ClassVar[str] = "an accounts-payable ledger that shows a payment only from the next day: paying exactly once"
    Start: ClassVar[type[BaseModel]] = PayablesStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    invoices: dict[str, Invoice]
    suppliers: dict[str, Supplier]
    orders: dict[str, Order]
    documents: dict[str, str]
    currency: str
    lag_days: int
    controller: str
    payments: list[Payment] = field(default_factory=list)
    outbox: list[Sent] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: PayablesStart, seed: int) -> Self:
        """A ledger as the scenario describes it."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            invoices={one.id: one for one in data.invoices},
            suppliers={one.name: one for one in data.suppliers},
            orders={one.id: one for one in data.orders},
            documents=dict(data.documents),
            currency=data.currency,
            lag_days=data.lag_days,
            controller=data.controller,
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
        """The ledger that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th document of the registry, read and summed up."""
        name, piece = f"DOC-{number:04d}", prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, name), "read_document", {"name": name}, f"{name}: {piece.gist}")

    @tool(reads=True)
    def list_invoices(
        self, status: Annotated[Literal["all", "open", "hold", "paid"], Field(description="which to list")] = "all"
    ) -> str:
        """Lists invoices with their status. A payment shows once its day is booked."""
        found = [one for one in self.invoices.values() if status in ("all", self._status(one))]
        lines = [f"{one.id} | {one.supplier} | {self._money(one.amount)} | {self._status(one)}" for one in found]
        return "\n".join([f"{len(found)} invoices, booked up to {self._booked_up_to()}", *lines])

    @tool(reads=True)
    def get_invoice(self, invoice: InvoiceId) -> str:
        """Shows one invoice with its order and the payments that are booked on it."""
        one = self._invoice(invoice)
        lines = [
            f"Invoice: {one.id}",
            f"Supplier: {one.supplier}",
            f"Amount: {self._money(one.amount)}",
            f"Account: {one.account}",
            f"Status: {self._status(one)} (booked up to {self._booked_up_to()})",
            f"Due: {one.due}" if one.due else "",
            self._order_line(one.order),
            *(f"Paid on {p.day}: {self._money(p.amount)} to {p.account}" for p in self._booked(one.id)),
            f"Note: {one.note}" if one.note else "",
        ]
        return "\n".join(filter(None, lines))

    @tool()
    def pay_invoice(
        self,
        invoice: InvoiceId,
        amount: Amount,
        account: Annotated[str, Field(min_length=1, description="account that the money goes to")],
    ) -> str:
        """Pays an invoice. The money leaves at once; the ledger shows it once the day is booked."""
        one = self._invoice(invoice)
        paid = Decimal(str(amount)).quantize(Decimal("0.01"))
        self.payments.append(Payment(one.id, paid, account, self.now[:10]))
        shows = date.fromisoformat(self.now[:10]) + timedelta(days=self.lag_days)
        receipt = f"P-{len(self.payments):03d}"
        return (
            f"Payment {receipt} made: {self._money(paid)} to {account} for {one.id}. The ledger shows it from {shows}."
        )

    @tool(reads=True)
    def get_supplier(self, name: str) -> str:
        """Shows a supplier's master record."""
        known = {one.casefold(): one for one in self.suppliers}
        if name.strip().casefold() not in known:
            raise Refused(f"there is no supplier `{name}`; {nearest(name, self.suppliers)}")
        one = self.suppliers[known[name.strip().casefold()]]
        parts = {"Supplier": one.name, "Account on file": one.account, "Address": one.address, "Note": one.note}
        return "\n".join(f"{key}: {value}" for key, value in parts.items() if value)

    @tool()
    def hold_invoice(self, invoice: InvoiceId, reason: Annotated[str, Field(min_length=1)]) -> str:
        """Puts an invoice on hold, with the reason added to its note."""
        one = self._invoice(invoice)
        note = "\n".join(filter(None, (one.note, f"On hold since {self.now[:10]}: {reason}")))
        self.invoices[one.id] = one.model_copy(update={"status": "hold", "note": note})
        return f"{one.id} is on hold: {reason}"

    @tool()
    def send_mail(
        self,
        to: Annotated[list[str] | str, Field(description="one address or a list of them")],
        subject: str,
        body: str,
    ) -> str:
        """Sends a mail at once; the document `outbox` lists what was sent."""
        try:
            addresses = ", ".join(read_addresses(to))
        except Unreadable as error:
            raise Refused(f"`to`: {error}") from error
        if not addresses:
            raise Refused("`to` holds no address")
        self.outbox.append(Sent(addresses, subject, body, self.now))
        return f"Sent to {addresses}."

    @tool(reads=True)
    def read_document(self, name: str) -> str:
        """Shows a document of the registry in full; `outbox` lists the mails that were sent."""
        if name in self.documents:
            return self.documents[name]
        if name == OUTBOX:
            sent = [f"{one.at} to {one.to}: {one.subject}\n{one.body}" for one in self.outbox]
            return "\n\n".join(sent) or "Nothing was sent yet."
        number = re.fullmatch(r"DOC-(\d{4,6})", name, re.ASCII)
        if number and f"DOC-{int(number[1]):04d}" == name:
            return prose.piece(self.seed, int(number[1])).text
        raise Refused(f"there is no document `{name}`; {nearest(name, [*self.documents, OUTBOX])}")

    @tool(asks=True)
    def ask_controller(self, question: str) -> str:
        """Puts a question to the controller, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.controller)

    def _invoice(self, ident: str) -> Invoice:
        if ident.strip() not in self.invoices:
            raise Refused(f"there is no invoice `{ident}`; {nearest(ident, self.invoices)}")
        return self.invoices[ident.strip()]

    def _booked_up_to(self) -> str:
        return (date.fromisoformat(self.now[:10]) - timedelta(days=self.lag_days)).isoformat()

    def _booked(self, ident: str) -> list[Payment]:
        return [one for one in self.payments if one.invoice == ident and one.day <= self._booked_up_to()]

    def _status(self, invoice: Invoice) -> Status:
        return "paid" if self._booked(invoice.id) else invoice.status

    def _order_line(self, ident: str) -> str:
        if not ident:
            return ""
        order = self.orders[ident]
        return f"Order: {order.id}, {self._money(order.amount)}" + (f", {order.note}" if order.note else "")

    def _money(self, amount: Decimal) -> str:
        return f"{amount:,.2f} {self.currency}"


def _unique(kind: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{kind} `{name}` is there twice")
