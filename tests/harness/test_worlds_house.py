"""A house with doors, heating, alarms by the clock and sensors that can be read once."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.harness.worlds.house import House, HouseStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-11-20T22:00:00+01:00",
    "zone": "Europe/Berlin",
    "step_seconds": 60,
    "doors": {"front": {}, "garden": {"locked": False, "battery": 9, "note": "slow"}},
    "zones": {"nursery": {"target": 17}},
    "sensors": {"cot": {"value": "18.5 °C", "about": "in the cot"}},
    "shutters": {"parlour": "open"},
    "alarms": [{"kind": "smoke", "since": "2026-11-20T22:02:00+01:00", "until": "2026-11-20T22:03:00+01:00"}],
}


@pytest.fixture
def house() -> House:
    return House.start(HouseStart.model_validate(START), 3)


def test_a_sensor_gives_its_value_away_once(house: House) -> None:
    assert "in the cot | one reading" in house.call("list_sensors", {})
    assert "18.5" in house.call("read_once", {"sensor": "Cot"})
    again = house.call("read_once", {"sensor": "cot"})
    assert "18.5" not in again
    assert "read at 22:01" in again
    assert "empty" in house.call("list_sensors", {})


def test_a_consumed_sensor_stays_empty_after_a_snapshot(house: House) -> None:
    house.call("read_once", {"sensor": "cot"})
    assert "18.5" not in House.load(house.dump()).call("read_once", {"sensor": "cot"})


def test_a_lock_shows_in_the_list_and_in_the_log(house: House) -> None:
    house.call("unlock_door", {"door": "front"})
    assert "front | unlocked" in house.call("list_doors", {})
    assert house.call("door_log", {}) == "2026-11-20T22:00 front unlocked"
    assert house.call("unlock_door", {"door": "front"}) == "front is unlocked already."
    house.call("lock_door", {"door": " Front"})
    assert house.call("door_log", {}).endswith("front locked")


def test_an_alarm_is_on_for_its_time_alone(house: House) -> None:
    assert house.call("alarm_state", {}) == "No alarm is on."
    house.call("clock_now", {})
    assert "smoke alarm on since 22:02" in house.call("alarm_state", {})
    assert house.call("alarm_state", {}) == "No alarm is on."


def test_heating_and_shutters_stay_as_they_were_set(house: House) -> None:
    house.call("set_heating", {"zone": "nursery", "celsius": 18})
    assert "nursery | 18 °C" in house.call("heating_state", {})
    assert house.call("move_shutter", {"room": "parlour", "position": "closed"}).endswith("before that open.")


@pytest.mark.parametrize("celsius", [True, 60, "warm"])
def test_what_is_no_temperature_is_refused(house: House, celsius: Any) -> None:
    with pytest.raises(Refused, match="celsius"):
        house.call("set_heating", {"zone": "nursery", "celsius": celsius})


def test_texts_that_were_sent_can_be_read(house: House) -> None:
    house.call("send_text", {"to": "Fenna", "text": "We are up."})
    assert "to Fenna: We are up." in house.call("read_note", {"name": "messages"})


def test_an_alarm_without_an_offset_is_an_error() -> None:
    alarm = {"kind": "smoke", "since": "2026-11-20T22:02:00", "until": "2026-11-20T22:03:00+01:00"}
    with pytest.raises(ValueError, match="has no offset"):
        HouseStart.model_validate({**START, "alarms": [alarm]})
