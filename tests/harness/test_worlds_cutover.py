"""The migration: a killed run looks like a finished one in all but size and hash, and accepted is not kept."""

from typing import Any

import pytest
from standfast.harness.worlds.cutover import Cutover, CutoverStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "jobs": {
        "copy": {"writes": "/data/new.img", "parts": ["users", "orders", "items"], "megabytes": 300, "killed_at": [62]}
    },
    "artifacts": {"/data/old.img": {"megabytes": 280, "sha": "aa00"}},
    "targets": {"shop": "/data/old.img"},
    "forgets": ["nightly"],
    "changes": {"CHG-7": {"title": "Move the shop"}},
    "documents": {"manifest": "new.img: 300.0 MB, {sha:copy}"},
}


@pytest.fixture
def cutover() -> Cutover:
    return Cutover.start(CutoverStart.model_validate(START), 1)


def digest(cutover: Cutover) -> str:
    return cutover.call("artifact_hash", {"path": "/data/new.img"}).rpartition(" ")[2]


def test_a_killed_run_leaves_a_part_and_the_next_one_the_whole(cutover: Cutover) -> None:
    output = cutover.call("run_job", {"job": "copy"})
    assert output.startswith("Run 1 of copy:\nplan: 3 parts, users, orders, items")
    assert output.endswith("Killed.")
    assert "62 % orders" in output
    assert cutover.call("artifact_stat", {"path": "/data/new.img"}).startswith("/data/new.img: 186.0 MB")
    part = digest(cutover)
    assert cutover.call("run_job", {"job": "copy"}).endswith("done: 300 MB in /data/new.img")
    assert part != digest(cutover)
    assert cutover.call("read_document", {"name": "manifest"}) == f"new.img: 300.0 MB, {digest(cutover)}"
    assert cutover.call("run_output", {"run": 1}).endswith("Killed.")


def test_a_switch_takes_whatever_file_it_is_given(cutover: Cutover) -> None:
    cutover.call("run_job", {"job": "copy"})
    cutover.call("switch_target", {"target": "shop", "artifact": "/data/new.img"})
    assert cutover.call("show_target", {"target": "shop"}) == "shop serves /data/new.img"
    with pytest.raises(Refused, match="there is no artifact"):
        cutover.call("switch_target", {"target": "shop", "artifact": "/data/no.img"})


def test_a_schedule_may_be_accepted_and_not_kept_the_first_time(cutover: Cutover) -> None:
    for kept in (False, True):
        assert cutover.call("create_schedule", {"name": "nightly", "spec": "daily 02:00"}).startswith("Accepted")
        assert ("nightly: daily 02:00" in cutover.call("list_schedules", {})) is kept
    cutover.call("delete_schedule", {"name": "nightly"})
    with pytest.raises(Refused, match="there is no schedule"):
        cutover.call("show_schedule", {"name": "nightly"})


def test_a_change_keeps_its_notes_and_says_how_it_was_closed(cutover: Cutover) -> None:
    cutover.call("note_change", {"change": "CHG-7", "text": "Begun."})
    cutover.call("close_change", {"change": "CHG-7", "result": "moved"})
    assert cutover.call("read_change", {"change": "CHG-7"}).splitlines() == [
        "CHG-7: Move the shop",
        "Status: closed: moved",
        "- Begun.",
    ]


def test_a_document_that_wants_the_hash_of_no_job_is_an_error() -> None:
    with pytest.raises(ValueError, match="there is no job `cop`; did you mean `copy`"):
        CutoverStart.model_validate({**START, "documents": {"m": "{sha:cop}"}})
