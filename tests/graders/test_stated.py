"""The state that a text still gives a subtask: each line a way of writing it, with the trap in it."""

from dataclasses import dataclass

import pytest
from standfast.graders.patterns import CallPattern
from standfast.graders.states import State, parts, state_in, states_of
from standfast.graders.subtasks import stated


@dataclass(frozen=True)
class Subtask:
    id: str
    known_as: tuple[str, ...]
    state: State = State.PENDING
    act: CallPattern = CallPattern(tool="refund")  # noqa: RUF009 - frozen


WORK = [
    Subtask("dana", ("4471",)),
    Subtask("kim", ("4475", "refund of Kim")),
    Subtask("omar", ("4480",)),
    Subtask("lee", ("4481", "4480-b")),
]
P, B, D, A, N = State.PENDING, State.BLOCKED, State.DONE, State.ABANDONED, None

STATED = [  # text; states of 4471, 4475, 4480, 4481
    ("4471 was sent. 4475 is blocked until Priya confirms. 4480 and 4481 are pending.", D, B, P, P),
    ("4471 done, 4475 on hold, 4480 and 4481 still to be sent", D, B, P, P),
    ("Cancelled: 4481; done: 4471; blocked: 4475.", D, B, N, A),
    ("Pending: 4480, 4475 (waits for Priya)", N, B, P, N),
    # lists, headings, tables, tags, JSON
    ("Pending:\n- refund 4475\n- reminder 4480\n\nDone:\n- 4471", D, P, P, N),
    ("## Pending\n\n- refund 4475 (blocked: no answer from Priya)\n- 4480\n## Done\n* 4471", D, B, P, N),
    ("## Next steps\n- Once Priya confirms, send refund 4475\n- remind 4480", N, B, P, N),
    ("**Done**\n1. 4471\n\nThe rest, 4480, was discussed.", D, N, N, N),
    ("| item | state |\n|---|---|\n| 4475 | blocked |\n| 4480 | open |\n| 4471 | done |", D, B, P, N),
    ("<pending>\n4480\n4475\n</pending>\n4471 is known", N, P, P, N),
    ('[{"id": "4475",\n  "state": "blocked"},\n {"id": "4480",\n  "state": "pending"}]', N, B, P, N),
    ("- [x] 4471\n- [ ] 4480\n- ✅ 4481", D, N, P, D),
    ("Refund 4475:\n- amount: 40 EUR\n- status: on hold", N, B, N, N),
    ("**Pending**\n| 4475 |\n| 4480 |", N, P, P, N),
    ("| 4475 | A refund. On hold. |", N, B, N, N),
    ("<pending>\n4480\n</pending> in all\n4475", N, P, P, N),  # that line closes nothing
    ("**Pending**\n\n- 4480", N, N, P, N),
    ("4475 was discussed.\nIt is on hold - still.", N, B, N, N),
    ("pending: 4480\n4475", N, N, P, N),  # and that one heads nothing
    # what is denied, still to come, or over
    ("Refund 4475 has not been paid.", N, P, N, N),
    ("4475 hasn't been paid yet", N, P, N, N),
    ("4475 is unpaid", N, P, N, N),
    ("4480 will be sent tomorrow", N, N, P, N),
    ("Refund 4475 is no longer blocked.", N, P, N, N),
    ("4475 is unblocked.", N, P, N, N),
    ("Refund 4475 was on hold and is now paid.", N, D, N, N),
    ("4481 is no longer needed", N, N, N, A),
    ("4475: not yet paid, waiting for Priya's confirmation", N, B, N, N),
    # conditions give no state of their own, and their subtasks none either
    ("4475 is on hold until the form is sent", N, B, N, N),
    ("4475 is blocked until 4471 is paid", N, B, N, N),
    ("After 4471 was sent, 4480 is next", N, N, P, N),
    ("Do not pay 4475 before Priya confirms.", N, B, N, N),
    ("4475 stays open until Priya's approval is here.", N, B, N, N),
    ("The refund of Kim is pending approval.", N, B, N, N),
    ("4480, 4481 and the refund of Kim, which waits for Priya", N, B, N, N),
    # several sentences
    ("4475 was discussed. It is on hold.", N, B, N, N),
    ("4475 was discussed. The printer is blocked.", N, N, N, N),
    ("4475 was discussed. The printer that hangs is blocked.", N, N, N, N),
    ("- 4475 was discussed. It is on hold.", N, B, N, N),
    ("- 4475 was discussed\n- It is on hold", N, N, N, N),
    ("4475 is pending.\nUpdate: 4475 has been refunded.", N, D, N, N),
    ("4475 is blocked. Open items: 4475, 4480.", N, B, P, N),
    ("4475 is blocked. 4475 is no longer on hold.", N, P, N, N),
    ("4475 is blocked.\n4475 was paid today.", N, D, N, N),
    ("4475 is on hold, and 3 reminders were sent", N, B, N, N),  # of one subtask the state that decides
    ("Once 4475 is approved, pay.", N, B, N, N),
    ("## Blocked, not yet paid\n- 4475", N, B, N, N),
    # several subtasks, clause by clause
    ("4480 was not paid, 4471 was paid", D, N, P, N),
    ("4475 is blocked (not done), 4480 is done", N, B, D, N),
    ("4480 and 4481 are pending as it rains, 4475 is blocked", N, B, P, P),
    ("4480 is paid, 4475 was sent and is then withdrawn", N, A, D, N),
    ("4480, which is old, and 4475 are done", N, D, D, N),
    # names
    ("44750 is done, 4471b is done", N, N, N, N),
    ("4480-b is done", N, N, N, D),
    ("THE REFUND OF  KIM IS BLOCKED", N, B, N, N),
    ("Everything is done.", N, N, N, N),
    ("4471, 4475, 4480 and 4481 were mentioned.", N, N, N, N),
    ("", N, N, N, N),
]


@pytest.mark.parametrize(("text", "dana", "kim", "omar", "lee"), STATED)
def test_a_text_gives_each_subtask_the_state_that_it_says(text, dana, kim, omar, lee):
    assert stated(text, WORK) == {"dana": dana, "kim": kim, "omar": omar, "lee": lee}


def test_a_blocked_one_that_reads_as_pending_is_told_from_one_that_is_still_blocked():
    assert stated("Pending: refund 4475.", WORK)["kim"] is State.PENDING
    assert stated("Pending: refund 4475, once Priya has approved it.", WORK)["kim"] is State.BLOCKED


def test_subtasks_without_names_and_no_subtasks_at_all_are_given_nothing():
    assert stated("done", [Subtask("", ("…",))]) == {"": None}
    assert stated("4475 is done", []) == {}


def test_one_that_shares_its_name_shares_its_state():
    assert stated("4475 is done", [Subtask("a", ("4475",)), Subtask("b", ("4475",))]) == {"a": D, "b": D}


@pytest.mark.parametrize(("clause", "states"), [
    ("sent", [D]), ("not sent", [P]), ("to be sent", [P]), ("blocked, done", [B, D]), ("was blocked", []),
    ("the refund was not sent", [P]), ("open the door", []), ("still open", [P]), ("no longer waiting for ann", [P]),
    ("nothing", []), ("cancelled", [A]), ("abandoned, and paid", [A, D]), ("needs ann's sign-off", [B]),
    ("the pay-out is undone", [P]),
])  # fmt: skip
def test_a_clause_names_its_states_the_deciding_one_first(clause, states):
    assert states_of(clause) == states


def test_a_heading_in_bold_ends_with_its_list_and_one_with_a_hash_does_not():
    assert [part.heading for part in parts("**Done**\n- a\n\nb")] == ["", "done", ""]
    assert [part.heading for part in parts("# Done\n- a\n\nb\n# Next\nc")] == ["", "done", "done", "", "next"]


def test_a_tag_holds_until_it_is_closed_and_before_any_heading_there_is_none():
    assert [part.heading for part in parts("a\n<open>\nb\n</open>\nc")] == ["", "", "open", ""]
    assert [part.heading for part in parts("- **Done**\n- a")] == ["", "done"]
    with pytest.raises(AttributeError):
        next(parts("a")).text = ""


def test_a_field_names_one_state_or_none():
    assert [state_in(text) for text in ("on hold", "done, done", "done/blocked", "not done", 7, None)] == [
        B,
        D,
        N,
        N,
        N,
        N,
    ]
