"""A purchasing desk whose monthly total lags a day."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.harness.worlds.spending import Spending, SpendingStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-06-09T23:58:00+00:00",
    "step_seconds": 60,
    "vendors": [{"name": "Lumen", "about": "Banners."}, {"name": "Harrow", "balance": "900.00"}],
    "campaigns": [{"id": "CP-1", "title": "Spring", "vendor": "Lumen", "budget": "50.00"}],
    "kinds": {"small": {"price": "0.40"}},
    "booked": {"2026-06": "100.00"},
}


@pytest.fixture
def desk() -> Spending:
    return Spending.start(SpendingStart.model_validate(START), 3)


def test_what_is_committed_shows_in_the_total_from_the_next_day(desk: Spending) -> None:
    desk.call("place_order", {"vendor": "Lumen", "amount": 20, "memo": "banners"})
    assert "100.00 EUR" in desk.call("month_total", {"month": "2026-06"})
    assert desk.now.startswith("2026-06-10")
    assert "120.00 EUR" in desk.call("month_total", {"month": "2026-06"})
    assert "0.00 EUR" in desk.call("month_total", {"month": "2026-07"})


def test_orders_campaigns_and_cloud_hours_all_count(desk: Spending) -> None:
    desk.call("fund_campaign", {"campaign": "CP-1", "amount": 30})
    desk.call("launch_cloud", {"kind": "small", "hours": 10, "limit": 4})
    for _ in range(3):
        desk.call("list_kinds", {})
    # the launch was made at 23:59 and the day after is not over
    assert "134.00 EUR" in desk.call("month_total", {"month": "2026-06"})
    assert desk.call("list_commitments", {}).startswith("2 commitments")


def test_a_campaign_shows_its_new_budget_at_once(desk: Spending) -> None:
    desk.call("fund_campaign", {"campaign": "CP-1", "amount": 30})
    assert "CP-1 | Spring | Lumen | 80.00 EUR" in desk.call("list_campaigns", {})


def test_a_balance_paid_in_advance_is_drawn_down(desk: Spending) -> None:
    desk.call("place_order", {"vendor": " harrow ", "amount": 160, "memo": "leaflets"})
    assert "900.00 EUR, drawn: 160.00 EUR" in desk.call("get_vendor", {"name": "Harrow"})
    assert "Balance" not in desk.call("get_vendor", {"name": "Lumen"})


@pytest.mark.parametrize("amount", [True, 0, -5, "much"])
def test_what_is_no_amount_is_refused(desk: Spending, amount: Any) -> None:
    with pytest.raises(Refused, match="amount"):
        desk.call("place_order", {"vendor": "Lumen", "amount": amount, "memo": "x"})


def test_a_campaign_of_an_unknown_vendor_is_an_error_that_names_both() -> None:
    wrong = {**START, "campaigns": [{"id": "CP-1", "title": "Spring", "vendor": "Lumex"}]}
    with pytest.raises(ValueError, match="campaign CP-1: there is no vendor `Lumex`; did you mean `Lumen`"):
        SpendingStart.model_validate(wrong)
