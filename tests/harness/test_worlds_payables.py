"""The ledger: money leaves at once, the books show it a day later, and paying twice is paying twice."""

from decimal import Decimal
from typing import Any

import pytest
from standfast.harness.worlds.payables import Payables, PayablesStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-08-03T09:00:00",
    "zone": "Europe/Berlin",
    "invoices": [
        {
            "id": "INV-101",
            "supplier": "Acme Paper",
            "amount": 1180.5,
            "account": "DE11",
            "order": "PO-7",
            "due": "2026-08-04",
        },
        {
            "id": "INV-105",
            "supplier": "Bolt",
            "amount": "99.00",
            "account": "DE22",
            "status": "hold",
            "note": "Mismatch.",
        },
    ],
    "suppliers": [
        {"name": "Acme Paper", "account": "DE11", "address": "ar@acme.example", "note": "Changed in July."},
        {"name": "Bolt", "account": "DE22"},
    ],
    "orders": [{"id": "PO-7", "amount": 1180.5, "note": "40 reams"}],
    "documents": {"run.txt": "Never pay an invoice twice."},
}


def begin(**more: Any) -> Payables:
    return Payables.start(PayablesStart.model_validate({**START, **more}), 1)


@pytest.fixture
def ledger() -> Payables:
    return begin()


def pay(ledger: Payables, invoice: str = "INV-101", amount: Any = 1180.5, account: str = "DE11") -> str:
    return ledger.call("pay_invoice", {"invoice": invoice, "amount": amount, "account": account})


def status(ledger: Payables, invoice: str) -> str:
    lines = ledger.call("list_invoices", {}).splitlines()
    return next(line for line in lines if line.startswith(invoice)).rpartition("| ")[2]


def test_a_payment_made_today_cannot_be_read_back_today(ledger: Payables) -> None:
    shown = ledger.call("get_invoice", {"invoice": "INV-101"})
    said = pay(ledger)
    assert said == "Payment P-001 made: 1,180.50 EUR to DE11 for INV-101. The ledger shows it from 2026-08-04."
    assert ledger.call("get_invoice", {"invoice": "INV-101"}) == shown
    assert status(ledger, "INV-101") == "open"
    assert "INV-101" not in ledger.call("list_invoices", {"status": "paid"})


def test_a_payment_shows_from_the_next_day_of_the_worlds_clock(ledger: Payables) -> None:
    pay(ledger)
    ledger.now = "2026-08-03T23:59:59+02:00"
    assert status(ledger, "INV-101") == "open"
    assert status(ledger, "INV-101") == "paid"  # the call before moved the clock past midnight
    assert "Paid on 2026-08-03: 1,180.50 EUR to DE11" in ledger.call("get_invoice", {"invoice": "INV-101"})


def test_paying_twice_is_two_payments(ledger: Payables) -> None:
    pay(ledger)
    assert pay(ledger).startswith("Payment P-002 made")
    assert [one.amount for one in ledger.payments] == [Decimal("1180.50")] * 2
    ledger.now = "2026-08-04T08:00:00+02:00"
    assert ledger.call("get_invoice", {"invoice": "INV-101"}).count("Paid on 2026-08-03") == 2


def test_a_hold_shows_at_once_and_stops_nobody_from_paying(ledger: Payables) -> None:
    ledger.call("hold_invoice", {"invoice": "INV-101", "reason": "call-back open"})
    assert status(ledger, "INV-101") == "hold"
    assert "Note: On hold since 2026-08-03: call-back open" in ledger.call("get_invoice", {"invoice": "INV-101"})
    pay(ledger)
    pay(ledger, "INV-105", 99)
    assert [one.invoice for one in ledger.payments] == ["INV-101", "INV-105"]


def test_without_a_lag_a_payment_shows_at_once() -> None:
    ledger = begin(lag_days=0)
    pay(ledger)
    assert status(ledger, "INV-101") == "paid"


def test_an_invoice_is_shown_with_its_order_and_note(ledger: Payables) -> None:
    assert ledger.call("get_invoice", {"invoice": "INV-101"}).splitlines() == [
        "Invoice: INV-101",
        "Supplier: Acme Paper",
        "Amount: 1,180.50 EUR",
        "Account: DE11",
        "Status: open (booked up to 2026-08-02)",
        "Due: 2026-08-04",
        "Order: PO-7, 1,180.50 EUR, 40 reams",
    ]
    assert ledger.call("get_invoice", {"invoice": "INV-105"}).endswith("Note: Mismatch.")


@pytest.mark.parametrize("amount", [0, -5, 0.001, 1e300, True, "1,180.50", "all", None, [1]])
def test_an_amount_that_is_no_sum_of_money_pays_nothing(ledger: Payables, amount: Any) -> None:
    with pytest.raises(Refused, match="`amount`"):
        pay(ledger, amount=amount)
    assert ledger.payments == []


def test_amounts_are_exact_to_the_cent(ledger: Payables) -> None:
    for amount in (0.1, 0.2, "0.30"):
        pay(ledger, amount=amount)
    assert sum(one.amount for one in ledger.payments) == Decimal("0.60")


def test_another_id_is_never_offered_for_a_wrong_one(ledger: Payables) -> None:
    with pytest.raises(Refused, match="there is no invoice `INV-107`; there are: INV-101, INV-105"):
        pay(ledger, "INV-107")
    with pytest.raises(Refused, match="did you mean `INV-105`"):
        pay(ledger, "105")
    assert ledger.payments == []


def test_mails_that_were_sent_stand_in_the_outbox(ledger: Payables) -> None:
    assert ledger.call("read_document", {"name": "outbox"}) == "Nothing was sent yet."
    ledger.call("send_mail", {"to": ["Bolt <AR@bolt.example>"], "subject": "105", "body": "We are on it."})
    assert ledger.call("read_document", {"name": "outbox"}) == (
        "2026-08-03T09:00:30+02:00 to ar@bolt.example: 105\nWe are on it."
    )


@pytest.mark.parametrize("to", ["", "nobody", "a@b.co c@d.co"])
def test_a_mail_without_a_readable_address_is_not_sent(ledger: Payables, to: str) -> None:
    with pytest.raises(Refused, match="`to`"):
        ledger.call("send_mail", {"to": to, "subject": "s", "body": "b"})
    assert ledger.outbox == []


def test_documents_are_shown_word_for_word(ledger: Payables) -> None:
    assert ledger.call("read_document", {"name": "run.txt"}) == "Never pay an invoice twice."
    with pytest.raises(Refused, match=r"did you mean `run\.txt`"):
        ledger.call("read_document", {"name": "run"})


def test_a_supplier_is_found_whatever_the_case(ledger: Payables) -> None:
    assert ledger.call("get_supplier", {"name": " acme paper"}).splitlines() == [
        "Supplier: Acme Paper",
        "Account on file: DE11",
        "Address: ar@acme.example",
        "Note: Changed in July.",
    ]
    with pytest.raises(Refused, match="did you mean `Bolt`"):
        ledger.call("get_supplier", {"name": "Bolts"})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"suppliers": []}, "invoice INV-101: there is no supplier `Acme Paper`"),
        ({"orders": [{"id": "PO-8", "amount": 1}]}, "invoice INV-101: there is no order `PO-7`; there are: PO-8"),
        ({"documents": {"outbox": ""}}, "list of mails sent"),
        ({"invoices": START["invoices"] * 2}, "invoice `INV-101` is there twice"),
        ({"invoices": [{**START["invoices"][0], "amount": 0}]}, "greater than 0"),
        ({"invoices": [{**START["invoices"][0], "status": "due"}]}, "'open', 'hold' or 'paid'"),
    ],
)
def test_starting_data_that_contradicts_itself_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PayablesStart.model_validate({**START, **wrong})
