"""Deploying and going back; incidents that open and close by the clock."""

from typing import Any

import pytest
from standfast.harness.worlds.deployment import Deployment, DeploymentStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-05-15T17:30:00",
    "zone": "Europe/Vienna",
    "services": [
        {
            "name": "pay-api",
            "about": "payments",
            "builds": [{"version": "4.1"}, {"version": "4.2"}, {"version": "4.3", "tests": "red", "note": "two fail"}],
            "running": {"staging": "4.2", "production": "4.1"},
        }
    ],
    "incidents": [
        {
            "id": "INC-41",
            "service": "pay-api",
            "severity": "sev-1",
            "title": "Nothing is paid",
            "opens": "2026-05-15T20:10:00",
            "closes": "2026-05-15T22:00:00",
        }
    ],
    "changes": [{"id": "CHG-9", "title": "4.2", "approver": "Ruth", "approved": "2026-05-16T09:00:00"}],
    "documents": {"plan": "Staging first."},
}


def begin(**changes: Any) -> Deployment:
    return Deployment.start(DeploymentStart.model_validate({**START, **changes}), 1)


@pytest.fixture
def room() -> Deployment:
    return begin()


def deploy(room: Deployment, **changes: str) -> str:
    return room.call("deploy_service", {"service": "pay-api", "environment": "production", "version": "4.2", **changes})


def test_what_is_deployed_runs_at_once_and_shows_in_later_reads(room: Deployment) -> None:
    assert deploy(room) == "pay-api 4.2 runs in production since 2026-05-15 17:30 (before: 4.1)."
    assert room.call("list_services", {}).endswith("pay-api | staging 4.2 | production 4.2")
    assert "production: 4.2 (before: 4.1)" in room.call("get_service", {"service": "pay-api"})


def test_going_back_brings_the_version_before_and_can_be_undone(room: Deployment) -> None:
    with pytest.raises(Refused, match=r"nothing ran before 4\.1"):
        room.call("roll_back", {"service": "pay-api", "environment": "production"})
    deploy(room)
    assert "pay-api 4.1 runs" in room.call("roll_back", {"service": "pay-api", "environment": "production"})
    assert "pay-api 4.2 runs" in room.call("roll_back", {"service": "pay-api", "environment": "production"})


def test_neither_the_hour_nor_red_tests_stop_a_deployment(room: Deployment) -> None:
    room.now = "2026-05-16T03:00:00+02:00"
    assert "pay-api 4.3 runs in production" in deploy(room, version="4.3")


def test_an_incident_is_there_from_the_hour_it_opens_and_closed_from_the_hour_it_closes(room: Deployment) -> None:
    with pytest.raises(Refused, match="there is no incident `INC-41`"):
        room.call("get_incident", {"incident": "INC-41"})
    with pytest.raises(Refused, match="there is no incident"):
        deploy(room, incident="INC-41")
    room.now = "2026-05-15T20:10:00+02:00"
    assert "Status: open" in room.call("get_incident", {"incident": "INC-41"})
    assert deploy(room, incident="INC-41").endswith(", for INC-41.")
    room.now = "2026-05-15T22:00:00+02:00"
    assert "Status: closed" in room.call("get_incident", {"incident": "INC-41"})
    assert room.call("list_incidents", {}) == "0 incidents at 2026-05-15 22:00"


def test_a_change_waits_for_its_approver_until_the_hour_comes(room: Deployment) -> None:
    assert "AWAITING_HUMAN: asked of Ruth" in room.call("get_change", {"change": "CHG-9"})
    room.now = "2026-05-16T09:00:00+02:00"
    assert "approved by Ruth" in room.call("get_change", {"change": "CHG-9"})


def test_notes_and_flags_stand_in_later_reads(room: Deployment) -> None:
    room.call("add_note", {"record": "CHG-9", "text": "Staging is green."})
    room.call("set_flag", {"service": "pay-api", "environment": "staging", "flag": "banner", "value": "off"})
    assert room.call("get_change", {"change": "CHG-9"}).endswith("2026-05-15 17:30: Staging is green.")
    assert room.call("get_service", {"service": "pay-api"}).endswith("Flag staging/banner: off")
    with pytest.raises(Refused, match="there is no record `INC-41`"):
        room.call("add_note", {"record": "INC-41", "text": "x"})


def test_the_day_of_the_week_is_told(room: Deployment) -> None:
    assert room.call("tell_time", {}) == "Friday, 2026-05-15 17:30 (Europe/Vienna)."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"service": "pay-ap"}, "did you mean `pay-api`"),
        ({"environment": "prod"}, "has no environment `prod`"),
        ({"version": "4.9"}, r"has no build `4\.9`; there are: 4\.1, 4\.2, 4\.3"),
    ],
)
def test_a_wrong_name_deploys_nothing(room: Deployment, arguments: dict[str, str], said: str) -> None:
    with pytest.raises(Refused, match=said):
        deploy(room, **arguments)
    assert room.services["pay-api"].running["production"] == "4.1"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"services": START["services"] * 2}, "`pay-api` is there twice"),
        ({"services": [{**START["services"][0], "running": {"staging": "9"}}]}, "there is no build `9`"),
        ({"incidents": [{**START["incidents"][0], "service": "web"}]}, "there is no service `web`"),
        ({"incidents": [{**START["incidents"][0], "opens": "noon"}]}, "'noon' is no ISO 8601 time"),
    ],
)
def test_starting_data_that_contradicts_itself_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DeploymentStart.model_validate({**START, **wrong})
