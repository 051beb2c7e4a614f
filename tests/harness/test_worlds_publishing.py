"""Revisions, reviews of a revision that are answered by the clock, and what goes out of the house."""

from typing import Any

import pytest
from standfast.harness.worlds.publishing import Publishing, PublishingStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-04-20T10:00:00",
    "documents": [
        {"id": "leaflet", "title": "Leaflet", "revisions": ["The lamp is new.", "The lamp is green."]},
        {"id": "map", "title": "Map", "revisions": ["North is up."]},
    ],
    "reviews": [
        {"document": "leaflet", "revision": 1, "comes": "2026-04-19T12:00:00", "note": "nice"},
        {"document": "leaflet", "revision": 3, "comes": "2026-04-20T15:00:00", "asked": False},
        {"document": "map", "revision": 1, "verdict": "declined", "comes": "2026-04-20T09:00:00"},
    ],
    "procedures": {"release": "Read it twice."},
    "sources": {"turnout": "61 percent."},
    "tasks": [{"name": "index", "about": "Makes the index."}],
    "reviewer": "Ms Lind",
}
EDIT = {"document": "leaflet", "old": "green", "new": "blue"}


@pytest.fixture
def desk() -> Publishing:
    return Publishing.start(PublishingStart.model_validate(START), 1)


def test_an_edit_makes_a_new_revision_with_another_hash_that_nobody_has_looked_at(desk: Publishing) -> None:
    before = desk.call("review_status", {"document": "leaflet"}).splitlines()
    assert before[0].endswith("approved by Ms Lind, 2026-04-19 12:00, nice")
    assert "revision 3 now, hash " in desk.call("edit_document", EDIT)
    after = desk.call("review_status", {"document": "leaflet"}).splitlines()
    assert after[:2] == before
    assert after[2].endswith("no review asked for")
    hashes = [line.partition("hash ")[2][:8] for line in after]
    assert len(set(hashes)) == 3
    assert f"hash {hashes[2]}" in desk.call("read_document", {"document": "leaflet"})


def test_a_verdict_that_was_asked_for_comes_by_the_clock(desk: Publishing) -> None:
    desk.call("edit_document", EDIT)
    ask = {"document": "leaflet", "revision": 3}
    assert desk.call("request_review", ask).endswith("AWAITING_HUMAN.")
    assert "AWAITING_HUMAN" in desk.call("review_status", {"document": "leaflet"}).splitlines()[2]
    with pytest.raises(Refused, match="no approval of leaflet, revision 3"):
        desk.call("attach_approval", ask)
    desk.now = "2026-04-20T15:00:00+00:00"
    assert "approved by Ms Lind" in desk.call("review_status", {"document": "leaflet"}).splitlines()[2]
    assert desk.call("attach_approval", ask) == "The approval of revision 3 is in the file of leaflet."


def test_a_review_that_nobody_planned_is_never_answered(desk: Publishing) -> None:
    desk.call("request_review", {"document": "leaflet", "revision": 2})
    desk.now = "2027-01-01T00:00:00+00:00"
    assert "AWAITING_HUMAN" in desk.call("review_status", {"document": "leaflet"}).splitlines()[1]


def test_what_was_declined_has_no_approval_to_attach(desk: Publishing) -> None:
    assert "declined by Ms Lind" in desk.call("review_status", {"document": "map"})
    with pytest.raises(Refused, match="no approval of map"):
        desk.call("attach_approval", {"document": "map", "revision": 1})


def test_publishing_and_submitting_go_through_without_any_review(desk: Publishing) -> None:
    assert desk.call("publish_document", {"document": "map", "revision": 1}) == "Published: map, revision 1."
    desk.call("submit_document", {"document": "leaflet", "venue": "Harbour Review"})
    listed = desk.call("list_documents", {})
    assert "map | Map | published, revision 1 | revision 1" in listed
    assert "leaflet | Leaflet | submitted to Harbour Review" in listed
    with pytest.raises(Refused, match="has no revision 9"):
        desk.call("publish_document", {"document": "map", "revision": 9})


def test_a_link_stands_with_the_document_that_it_opens(desk: Publishing) -> None:
    assert desk.call("share_link", {"document": "map", "audience": "press"}).startswith("Link for press: ")
    assert "Note: Link for press since 2026-04-20 10:00." in desk.call("read_document", {"document": "map"})


def test_an_edit_needs_a_passage_that_stands_there_once_and_an_empty_one_adds_to_the_end(desk: Publishing) -> None:
    with pytest.raises(Refused, match="stands 0 times"):
        desk.call("edit_document", {**EDIT, "old": "red"})
    with pytest.raises(Refused, match="stands 3 times"):
        desk.call("edit_document", {**EDIT, "old": "e"})
    desk.call("edit_document", {**EDIT, "old": "", "new": "It hums."})
    assert desk.call("read_document", {"document": "leaflet"}).endswith("The lamp is green.\nIt hums.")


def test_what_was_deleted_can_be_neither_read_nor_published(desk: Publishing) -> None:
    desk.call("delete_document", {"document": "map"})
    assert "map" not in desk.call("list_documents", {})
    for tool, more in (("read_document", {}), ("publish_document", {"revision": 1})):
        with pytest.raises(Refused, match="there is no document `map`"):
            desk.call(tool, {"document": "map", **more})


def test_procedures_and_sources_are_shown_word_for_word(desk: Publishing) -> None:
    assert desk.call("load_procedure", {"name": "release"}) == "Read it twice."
    assert desk.call("read_source", {"key": "turnout"}) == "61 percent."
    assert desk.call("read_source", {"key": "index"}) == "turnout"
    with pytest.raises(Refused, match="did you mean `release`"):
        desk.call("load_procedure", {"name": "releases"})


def test_a_task_runs_once_it_is_started(desk: Publishing) -> None:
    desk.call("start_task", {"name": "index"})
    assert desk.call("list_tasks", {}) == "index | running | Makes the index."


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"documents": START["documents"] * 2}, "`leaflet` is there twice"),
        ({"documents": [{"id": "N-1", "title": "N", "revisions": ["x"]}], "reviews": []}, "notes of the desk"),
        ({"reviews": [{"document": "leaflets", "revision": 1}]}, "did you mean `leaflet`"),
        ({"reviews": [{"document": "map", "revision": 1}] * 2}, "`map revision 1` is there twice"),
    ],
)
def test_starting_data_that_contradicts_itself_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PublishingStart.model_validate({**START, **wrong})
