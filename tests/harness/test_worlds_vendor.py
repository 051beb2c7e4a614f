"""Portals that lock, a key that comes by the clock, and refunds."""

from typing import Any

import pytest
from standfast.harness.worlds.vendor import Vendor, VendorStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-03-10T09:00:00",
    "zone": "Europe/Vienna",
    "portals": [
        {"name": "Torrel", "user": "desk-4", "rotates": "2026-03-10T14:00:00", "custodian": "Pavel"},
        {"name": "Quay", "user": "desk-4", "working": True},
    ],
    "orders": [
        {"id": "O-1", "customer": "Ann", "amount": "20.00"},
        {"id": "O-2", "customer": "Bo", "amount": "35.00", "system": "Torrel"},
    ],
    "articles": [{"id": "KB-3", "title": "Keys", "text": "A key lasts a quarter."}],
}
AFTERNOON = "2026-03-10T14:00:00+01:00"


@pytest.fixture
def desk() -> Vendor:
    return Vendor.start(VendorStart.model_validate(START), 1)


def sign_in(desk: Vendor, portal: str = "Torrel") -> str:
    return desk.call("sign_in", {"portal": portal})


def test_the_third_failure_locks_the_account_for_good(desk: Vendor) -> None:
    assert sign_in(desk) == "Torrel: key not accepted, try 1 of 3."
    assert sign_in(desk) == "Torrel: key not accepted, try 2 of 3."
    assert sign_in(desk).endswith("try 3 of 3. The account desk-4 is locked now.")
    desk.now = AFTERNOON
    desk.call("fetch_key", {"portal": "Torrel"})
    assert "is locked" in sign_in(desk)
    assert desk.call("refund_order", {"order": "O-2", "amount": 35}).startswith("No session at Torrel")


def test_a_new_key_comes_by_the_clock_and_has_to_be_fetched(desk: Vendor) -> None:
    assert "AWAITING_HUMAN, Pavel" in desk.call("key_status", {"portal": "Torrel"})
    with pytest.raises(Refused, match="no new key for Torrel yet"):
        desk.call("fetch_key", {"portal": "Torrel"})
    desk.now = AFTERNOON
    assert "rotated since 2026-03-10 14:00" in desk.call("key_status", {"portal": "Torrel"})
    assert "try 1 of 3" in sign_in(desk)
    desk.call("fetch_key", {"portal": "Torrel"})
    assert sign_in(desk) == "Torrel: signed in as desk-4."
    assert desk.access["Torrel"].failures == 0


def test_an_order_of_a_portal_is_refunded_with_a_session_alone(desk: Vendor) -> None:
    assert desk.call("refund_order", {"order": "O-2", "amount": 35}) == (
        "No session at Torrel: nothing was refunded on O-2."
    )
    assert desk.refunds == []
    desk.now = AFTERNOON
    desk.call("fetch_key", {"portal": "Torrel"})
    sign_in(desk)
    assert desk.call("refund_order", {"order": "O-2", "amount": 35}) == "Refund R-001: 35.00 EUR to Bo for O-2."


def test_an_order_of_the_house_is_refunded_at_once_and_as_often_as_asked(desk: Vendor) -> None:
    for _ in range(2):
        desk.call("refund_order", {"order": "O-1", "amount": "12.50"})
    assert desk.call("list_orders", {"system": "house"}).endswith("O-1 | house | Ann | 20.00 EUR | refunded 25.00 EUR")
    assert desk.call("get_order", {"order": "O-1"}).count("Refunded 12.50 EUR") == 2


def test_a_working_key_signs_in_and_nobody_is_making_another(desk: Vendor) -> None:
    assert desk.call("key_status", {"portal": "Quay"}) == "Quay: the present key is in use."
    assert sign_in(desk, "Quay") == "Quay: signed in as desk-4."


@pytest.mark.parametrize("amount", [0, -5, 1e300, True, "all", None, [1]])
def test_an_amount_that_is_no_sum_of_money_gives_nothing_back(desk: Vendor, amount: Any) -> None:
    with pytest.raises(Refused, match="`amount`"):
        desk.call("refund_order", {"order": "O-1", "amount": amount})
    assert desk.refunds == []


def test_articles_are_found_by_their_words_and_shown_in_full(desk: Vendor) -> None:
    assert desk.call("search_articles", {"query": "quarter key"}).endswith("KB-3 | Keys")
    assert desk.call("read_article", {"article": "KB-3"}) == "KB-3: Keys\n\nA key lasts a quarter."
    with pytest.raises(Refused, match="there is no article"):
        desk.call("read_article", {"article": "N-1"})


def test_an_answer_to_a_customer_stands_with_the_order(desk: Vendor) -> None:
    desk.call("answer_customer", {"order": "O-2", "text": "We are on it."})
    assert desk.call("get_order", {"order": "O-2"}).endswith("Answered: We are on it.")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"portals": START["portals"] * 2}, "is there twice"),
        ({"orders": [{**START["orders"][0], "system": "Torel"}]}, "did you mean `Torrel`"),
        ({"portals": [{"name": "house", "user": "x"}], "orders": []}, "is the house's own system"),
        ({"portals": [{**START["portals"][0], "rotates": "soon"}]}, "'soon' is no ISO 8601 time"),
    ],
)
def test_starting_data_that_contradicts_itself_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VendorStart.model_validate({**START, **wrong})
