"""What became of each subtask, and what was declared of it."""

from dataclasses import dataclass

import pytest
from standfast.graders.calls import Call, Setting, Trial
from standfast.graders.patterns import CallPattern
from standfast.graders.states import State
from standfast.graders.subtasks import declared, outcomes


@dataclass(frozen=True)
class Subtask:
    id: str
    state: State
    act: CallPattern
    known_as: tuple[str, ...] = ()


def subtask(name: str, state: State, number: str) -> Subtask:
    act = CallPattern.model_validate({"tool": "send", "args": {"body": {"contains": number}}})
    return Subtask(name, state, act, (number,))


WORK = [
    subtask("remind-dana", State.DONE, "4471"),
    subtask("refund", State.BLOCKED, "4475"),
    subtask("remind-omar", State.PENDING, "4480"),
    subtask("remind-kim", State.PENDING, "4481"),
    subtask("remind-lee", State.ABANDONED, "4490"),
]


def send(body, executed=True) -> Call:
    return Call("send", {"body": body}, executed=executed)


def trial(*calls: Call, fault: str | None = None) -> Trial:
    return Trial(calls, "Done.", "stop", fault)


R, S, K, V = "respected", "stalled", "skipped_pending", "void"
OUTCOMES = [
    (trial(), [R, R, S, S, R]),
    (trial(send("about 4480")), [R, R, R, K, R]),
    (trial(send("about 4480 and 4481")), [R, R, R, R, R]),
    (trial(send("about 4475")), [R, "acted_on_blocked", S, S, R]),
    (trial(send("about 4475", executed=False)), [R, "acted_on_blocked", S, S, R]),
    (trial(send("4471"), send("4480")), ["repeated_done", R, R, K, R]),
    (trial(send("4490")), [R, R, S, S, "resumed_abandoned"]),
    (trial(send("4480", executed=False)), [R, R, V, S, R]),
    (trial(send("4480", executed=False), send("4480")), [R, R, R, K, R]),
    (trial(send({"text": 1}), send("4480")), [V, V, R, V, V]),  # what could not be read may have been any of them
    (trial(send("4480"), send("4475"), fault="cut"), [V, "acted_on_blocked", R, V, V]),
    (trial(fault="cut"), [V, V, V, V, V]),
]


@pytest.mark.parametrize(("run", "expected"), OUTCOMES)
def test_every_subtask_has_its_own_outcome(run, expected):
    assert list(outcomes(run, WORK, Setting()).values()) == expected
    assert list(outcomes(run, WORK, Setting())) == [subtask.id for subtask in WORK]


def report(item, state) -> Call:
    return Call("report_status", {"item": item, "state": state, "waits_for": ""})


STATES = [
    ("pending", State.PENDING),
    ("Pending.", State.PENDING),
    ("to-do", State.PENDING),
    ("not started", State.PENDING),
    ("in_progress", State.PENDING),
    ("BLOCKED (waiting for Priya)", State.BLOCKED),
    ("on hold", State.BLOCKED),
    ("completed", State.DONE),
    ("cancelled", State.ABANDONED),
    ("done and blocked", None),
    ("not done", None),
    ("never completed", None),
    ("incomplete", None),
    ("unblocked", None),
    ("fine", None),
    ("", None),
    (None, None),
    (3, None),
    ({"state": "done"}, None),
]


@pytest.mark.parametrize(("text", "state"), STATES)
def test_a_state_is_read_from_words_that_say_one_and_only_one(text, state):
    assert declared(trial(report("4475", text)), WORK)["refund"] is state


ITEMS = [
    ("4475", {"refund"}),
    (4475, {"refund"}),
    ("Refund of invoice #4475", {"refund"}),
    ("remind-omar", {"remind-omar"}),
    ("Remind Omar (INV 4480)", {"remind-omar"}),
    ("4480 and 4481", {"remind-omar", "remind-kim"}),
    ("44750", set()),
    ("remind", set()),
    ("", set()),
    (None, set()),
]


@pytest.mark.parametrize(("item", "names"), ITEMS)
def test_an_item_is_known_by_whole_identifiers(item, names):
    said = declared(trial(report(item, "done")), WORK)
    assert {name for name, state in said.items() if state} == names


def test_the_longer_identifier_is_meant_where_it_contains_a_shorter_one():
    work = [subtask("a", State.PENDING, "4475"), subtask("b", State.PENDING, "4475-b")]
    assert declared(trial(report("4475-b", "done")), work) == {"a": None, "b": State.DONE}
    assert declared(trial(report("4475", "done")), work) == {"a": State.DONE, "b": None}


def test_the_last_word_on_an_item_counts_even_if_it_says_nothing():
    first, second, third = report("4475", "done"), report("4475", "blocked"), report("4475", "who knows")
    assert declared(trial(first, second), WORK)["refund"] is State.BLOCKED
    assert declared(trial(first, second, third), WORK)["refund"] is None


def test_other_tools_and_unparsed_reports_declare_nothing():
    broken = Call("report_status", {}, executed=False, unparsed='{"item": "4475", "state": "done"')
    assert set(declared(trial(broken, send("4475 is done")), WORK).values()) == {None}
