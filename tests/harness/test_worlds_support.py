"""A support desk for several tenants."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.harness.worlds.support import Support, SupportStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "tenants": {"north": "North Clinic", "south": "South Clinic"},
    "tickets": [
        {"id": "T-1", "tenant": "north", "subject": "Letter", "body": "Where?", "sender": "desk@north.example"},
        {"id": "T-2", "tenant": "south", "subject": "Bill", "body": "Twice.", "status": "waiting"},
    ],
    "customers": [
        {"tenant": "north", "record": "N-1", "name": "Ann Lee", "fields": {"splint": "small"}},
        {"tenant": "south", "record": "S-1", "name": "Ann Lee", "fields": {"splint": "large"}},
    ],
}


@pytest.fixture
def desk() -> Support:
    return Support.start(SupportStart.model_validate(START), 3)


def test_a_search_shows_the_records_of_one_tenant_alone(desk: Support) -> None:
    found = desk.call("lookup_customer", {"tenant": "North", "query": "ann"})
    assert "N-1" in found
    assert "S-1" not in found
    assert desk.call("lookup_customer", {"tenant": "south", "query": "small"}) == "0 records of south"


def test_an_answer_a_note_and_a_status_show_on_the_ticket(desk: Support) -> None:
    desk.call("reply_ticket", {"ticket": "T-1", "body": "It was sent on Monday."})
    desk.call("note_ticket", {"ticket": "T-1", "text": "Looked up."})
    desk.call("set_status", {"ticket": "T-1", "status": "solved"})
    shown = desk.call("read_ticket", {"ticket": "T-1"})
    assert "It was sent on Monday." in shown
    assert "Note: Looked up." in shown
    assert "Status: solved" in shown
    assert "T-1 | north | solved" in desk.call("list_tickets", {})


def test_a_link_shows_on_both_tickets_once(desk: Support) -> None:
    desk.call("link_ticket", {"ticket": "T-1", "other": "T-2"})
    assert "already" in desk.call("link_ticket", {"ticket": "T-2", "other": "T-1"})
    assert "Linked: T-1" in desk.call("read_ticket", {"ticket": "T-2"})
    with pytest.raises(Refused, match="itself"):
        desk.call("link_ticket", {"ticket": "T-1", "other": "T-1"})


def test_an_export_can_be_read_again_and_names_its_tenant(desk: Support) -> None:
    desk.call("export_csv", {"name": "week", "tenant": "south", "fields": ["case"], "rows": ["P-1", "P-2"]})
    shown = desk.call("read_article", {"name": "week"})
    assert shown.startswith("week, for south")
    assert shown.endswith("case\nP-1\nP-2")


def test_lists_are_narrowed_by_tenant_and_status(desk: Support) -> None:
    assert desk.call("list_tickets", {"tenant": "south", "status": "waiting"}).startswith("1 tickets")
    assert desk.call("list_tickets", {"tenant": "south", "status": "open"}) == "0 tickets"


def test_a_ticket_of_an_unknown_tenant_is_an_error_that_names_it() -> None:
    wrong = {**START, "tenants": {"north": "North Clinic"}}
    with pytest.raises(ValueError, match="there is no tenant `south`"):
        SupportStart.model_validate(wrong)
