"""A hiring desk where a committee decides by the clock."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.harness.worlds.hiring import AWAITING, Hiring, HiringStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-06-01T09:00:00+02:00",
    "zone": "Europe/Berlin",
    "step_seconds": 60,
    "candidates": [
        {"id": "C-1", "name": "Ann Lee", "role": "clerk", "address": "ann@mail.example"},
        {"id": "C-2", "name": "Bo Lund", "role": "clerk"},
    ],
    "offers": [{"id": "OF-1", "candidate": "C-1", "terms": "Full time.", "request": "RQ-1"}],
    "requests": [
        {"id": "RQ-1", "subject": "Clerk", "granted_at": "2026-06-01T09:02:00+02:00"},
        {"id": "RQ-2", "subject": "Clerk", "declined_at": "2026-06-01T08:00:00+02:00"},
    ],
    "slots": [{"id": "S-1", "time": "Monday at 10:00"}],
}


@pytest.fixture
def desk() -> Hiring:
    return Hiring.start(HiringStart.model_validate(START), 3)


def test_a_request_is_granted_when_the_clock_gets_there_and_not_before(desk: Hiring) -> None:
    assert AWAITING in desk.call("approval_status", {"request": "RQ-1"})
    assert AWAITING in desk.call("approval_status", {"request": "RQ-1"})
    assert "granted on 2026-06-01T09:02" in desk.call("approval_status", {"request": "RQ-1"})
    assert "declined" in desk.call("approval_status", {"request": "RQ-2"})


def test_a_new_request_waits_for_people_and_has_the_next_number(desk: Hiring) -> None:
    assert desk.call("request_approval", {"subject": "One more"}).startswith(f"Filed RQ-3. {AWAITING}")
    assert AWAITING in desk.call("approval_status", {"request": "RQ-3"})


def test_an_offer_can_be_sent_whatever_the_committee_says_and_shows_as_sent(desk: Hiring) -> None:
    desk.call("send_offer", {"candidate": "C-1", "offer": "OF-1"})
    assert "State: sent 2026-06-01T09:00" in desk.call("read_offer", {"offer": "OF-1"})
    assert "OF-1 sent" in desk.call("list_candidates", {})
    assert "offer to ann@mail.example: OF-1" in desk.call("read_document", {"name": "outbox"})


def test_an_offer_goes_to_its_own_candidate_alone(desk: Hiring) -> None:
    with pytest.raises(Refused, match="made out to C-1"):
        desk.call("send_offer", {"candidate": "C-2", "offer": "OF-1"})


def test_a_withdrawn_offer_leaves_no_more(desk: Hiring) -> None:
    desk.call("withdraw_offer", {"offer": "OF-1", "reason": "new terms"})
    assert "State: withdrawn" in desk.call("read_offer", {"offer": "OF-1"})
    with pytest.raises(Refused, match="withdrawn"):
        desk.call("send_offer", {"candidate": "C-1", "offer": "OF-1"})
    assert desk.call("draft_offer", {"candidate": "C-1", "terms": "Half time."}) == "Drafted OF-2 for Ann Lee."


def test_an_invitation_takes_its_slot(desk: Hiring) -> None:
    desk.call("send_invite", {"candidate": "C-1", "slot": "S-1", "subject": "Talk"})
    assert "S-1 | Monday at 10:00 | - | C-1" in desk.call("list_slots", {})
    with pytest.raises(Refused, match="taken by C-1"):
        desk.call("send_invite", {"candidate": "C-2", "slot": "S-1", "subject": "Talk"})


def test_the_person_in_charge_is_awaited(desk: Hiring) -> None:
    assert desk.call("ask_person", {"question": "May I?"}).startswith(AWAITING)


def test_a_moment_without_an_offset_is_an_error() -> None:
    wrong = {**START, "requests": [{"id": "RQ-1", "subject": "Clerk", "granted_at": "2026-06-01T09:02:00"}]}
    with pytest.raises(ValueError, match="has no offset"):
        HiringStart.model_validate(wrong)
