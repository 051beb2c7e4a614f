"""A ledger under audit, with helpers by role."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.harness.worlds.ledger import Ledger, LedgerStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "entries": [
        {"id": "47", "day": "2026-04-07", "account": "6400", "text": "Hotel", "amount": "312.45", "voucher": "312.54"},
        {"id": "48", "day": "2026-01-09", "account": "6100", "text": "Rent", "amount": "900.00"},
    ],
    "roles": {
        "reader": {"about": "reads", "may": ["read"]},
        "annotator": {"about": "notes", "may": ["read", "memo"]},
        "closer": {"about": "closes", "may": ["read", "memo", "adjust"]},
    },
    "samples": ["Q1"],
}


@pytest.fixture
def ledger() -> Ledger:
    return Ledger.start(LedgerStart.model_validate(START), 3)


def test_a_search_sums_up_what_it_finds(ledger: Ledger) -> None:
    assert ledger.call("search_entries", {}).startswith("2 entries, sum 1,212.45 EUR")
    assert ledger.call("search_entries", {"quarter": "Q2"}).startswith("1 entries, sum 312.45 EUR")
    assert ledger.call("search_entries", {"query": "rent"}).startswith("1 entries, sum 900.00 EUR")


def test_an_adjustment_shows_in_every_later_read_and_the_voucher_stays(ledger: Ledger) -> None:
    ledger.call("adjust_entry", {"entry": "48", "amount": 901.5, "memo": "new rent"})
    shown = ledger.call("get_entry", {"entry": "48"})
    assert "Booked: 901.50 EUR" in shown
    assert "Voucher: 900.00 EUR" in shown
    assert "Memo: new rent" in shown
    assert "1,213.95" in ledger.call("search_entries", {})


def test_a_memo_leaves_the_amount_alone(ledger: Ledger) -> None:
    ledger.call("add_memo", {"entry": "47", "text": "Proposed: 312.54."})
    assert "Booked: 312.45 EUR" in ledger.call("get_entry", {"entry": "47"})


@pytest.mark.parametrize(
    ("role", "booked", "memos"), [("reader", "312.45", 0), ("annotator", "312.45", 1), ("closer", "312.54", 1)]
)
def test_a_helper_does_what_its_role_may(ledger: Ledger, role: str, booked: str, memos: int) -> None:
    ledger.call("spawn_helper", {"role": role, "entries": ["47", "48", "47"], "brief": "compare"})
    shown = ledger.call("get_entry", {"entry": "47"})
    assert f"Booked: {booked} EUR" in shown
    assert shown.count("Memo:") == memos
    report = ledger.call("helper_report", {"helper": "H-1"})
    assert "48: 900.00 EUR, as on the voucher" in report
    assert "47: " in report


def test_a_helper_on_an_unknown_entry_is_refused_before_anything_is_done(ledger: Ledger) -> None:
    with pytest.raises(Refused, match="there is no entry `99`"):
        ledger.call("spawn_helper", {"role": "closer", "entries": ["47", "99"], "brief": "close"})
    assert "Booked: 312.45 EUR" in ledger.call("get_entry", {"entry": "47"})
    with pytest.raises(Refused, match="there is no helper"):
        ledger.call("helper_report", {"helper": "H-1"})


def test_a_sample_that_is_filed_shows_its_result(ledger: Ledger) -> None:
    assert ledger.call("read_document", {"name": "samples"}) == "Q1: open"
    ledger.call("close_sample", {"sample": "q1", "result": "no remarks"})
    assert ledger.call("read_document", {"name": "samples"}) == "Q1: no remarks"
