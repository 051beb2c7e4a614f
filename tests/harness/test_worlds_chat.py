"""Posting once, with a history that shows it, lags or is off."""

from typing import Any

import pytest
from standfast.harness.worlds.chat import Chat, ChatStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "now": "2026-02-11T08:00:00",
    "channels": [{"name": "notices", "members": 212, "about": "for everybody"}, {"name": "helpdesk", "members": 9}],
    "messages": [
        {"id": "m-1", "channel": "helpdesk", "author": "Ann", "text": "Is it down?", "at": "2026-02-11T07:50:00"},
        {"id": "m-2", "channel": "helpdesk", "author": "Bo", "text": "Same here.", "at": "2026-02-11T09:00:00"},
    ],
    "documents": {"faq": "Turn it off and on."},
    "lag_minutes": 60,
}


def begin(**changes: Any) -> Chat:
    return Chat.start(ChatStart.model_validate({**START, **changes}), 1)


def post(chat: Chat, text: str = "The lift is out.") -> str:
    return chat.call("post_message", {"channel": "notices", "text": text})


def read(chat: Chat, channel: str = "notices") -> str:
    return chat.call("read_channel", {"channel": channel})


def test_a_post_shows_at_once_where_the_history_is_up_to_date() -> None:
    chat = begin()
    assert post(chat) == "Posted as p-1 in notices."
    assert read(chat) == "1 messages in notices\np-1 | 2026-02-11 08:00 | desk: The lift is out."


def test_a_lagging_history_shows_a_post_after_its_time_and_those_of_others_at_once() -> None:
    chat = begin(history="lagging")
    post(chat)
    assert read(chat) == "0 messages in notices, up to date within 60 minutes"
    assert "m-1" in read(chat, "helpdesk")
    chat.now = "2026-02-11T09:00:00+00:00"
    assert "p-1 | 2026-02-11 08:00 | desk: The lift is out." in read(chat)


def test_where_the_history_is_off_nobody_can_see_what_was_posted() -> None:
    chat = begin(history="off")
    post(chat)
    assert read(chat) == "The history of notices is not available at present."


@pytest.mark.parametrize("history", ["shown", "lagging", "off"])
def test_the_same_words_posted_twice_are_two_messages(history: str) -> None:
    chat = begin(history=history)
    post(chat)
    assert post(chat) == "Posted as p-2 in notices."
    assert [one.text for one in chat.posts.values() if one.author == "desk"] == ["The lift is out."] * 2


def test_an_own_message_can_be_corrected_and_pinned_by_its_id_even_before_it_shows() -> None:
    chat = begin(history="lagging")
    post(chat)
    chat.call("edit_message", {"message": "p-1", "text": "The lift is out until noon."})
    chat.call("pin_message", {"message": "p-1"})
    chat.now = "2026-02-11T12:00:00+00:00"
    assert read(chat).endswith("p-1 | 2026-02-11 08:00 | desk | edited | pinned: The lift is out until noon.")


def test_the_message_of_somebody_else_stays_as_it_is() -> None:
    chat = begin()
    with pytest.raises(Refused, match="m-1 is by Ann, not by desk"):
        chat.call("edit_message", {"message": "m-1", "text": "x"})


def test_messages_of_others_arrive_by_the_clock() -> None:
    chat = begin()
    assert "m-2" not in read(chat, "helpdesk")
    with pytest.raises(Refused, match="there is no message `m-2`"):
        chat.call("reply_message", {"message": "m-2", "text": "On it."})
    chat.now = "2026-02-11T09:00:00+00:00"
    chat.call("reply_message", {"message": "m-2", "text": "On it."})
    assert read(chat, "helpdesk").splitlines()[2:] == [
        "m-2 | 2026-02-11 09:00 | Bo: Same here.",
        "p-1 | 2026-02-11 09:00 | desk | answers m-2: On it.",
    ]


def test_notes_are_shown_word_for_word_and_go_with_a_message() -> None:
    chat = begin()
    assert chat.call("read_note", {"name": "faq"}) == "Turn it off and on."
    chat.call("post_message", {"channel": "notices", "text": "See here.", "files": ["faq"]})
    assert read(chat).endswith("desk: See here. [faq]")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"channels": START["channels"] * 2}, "is there twice"),
        ({"messages": [{**START["messages"][0], "channel": "help"}]}, "there is no channel `help`"),
        ({"messages": [{**START["messages"][0], "id": "p-1"}]}, "belong to what the agent posts"),
        ({"messages": [{**START["messages"][0], "at": "now"}]}, "'now' is no ISO 8601 time"),
    ],
)
def test_starting_data_that_contradicts_itself_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChatStart.model_validate({**START, **wrong})
