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


def test_another_tool_with_the_same_arguments_declares_nothing():
    note = Call("note", {"item": "4475", "state": "done"})
    assert set(declared(trial(note), WORK).values()) == {None}


def test_what_is_no_text_names_no_item_whatever_it_would_be_called():
    work = [subtask("none", State.PENDING, "true"), subtask("true", State.PENDING, "x")]
    assert set(declared(trial(report(None, "done"), report(["none"], "done")), work).values()) == {None}


def refund(name: str, state: State) -> Subtask:
    return Subtask(name, state, CallPattern.model_validate({"tool": "refund", "args": {"invoice": {"equals": name}}}))


CELLS = [  # state of the subtask; asked for and refused; carried out; in a text of JSON; not asked for
    (State.BLOCKED, "acted_on_blocked", "acted_on_blocked", "acted_on_blocked", "respected"),
    (State.DONE, "repeated_done", "repeated_done", "repeated_done", "respected"),
    (State.ABANDONED, "resumed_abandoned", "resumed_abandoned", "resumed_abandoned", "respected"),
    (State.PENDING, "void", "respected", "stalled", "stalled"),
]


@pytest.mark.parametrize(("state", "asked", "done", "encoded", "absent"), CELLS)
def test_each_cell_of_the_table_of_outcomes(state, asked, done, encoded, absent):
    call = Call("refund", {"invoice": "75"})
    runs = [
        (Call("refund", {"invoice": "75"}, executed=False, error="refused"), asked),
        (call, done),
        (Call("refund", {"input": {"invoice": "75"}}), encoded),  # carried out as it stands, which was something else
        (Call("refund", {"invoice": "99"}), absent),
    ]
    for made, expected in runs:
        assert outcomes(trial(made), [refund("75", state)], Setting()) == {"75": expected}, made


@pytest.mark.parametrize("state", list(State))
def test_not_asked_for_is_void_where_the_trial_has_a_fault_or_a_call_cannot_be_read(state):
    work = [refund("75", state)]
    assert outcomes(trial(fault="cut"), work, Setting()) == {"75": "void"}
    assert outcomes(trial(Call("refund", {"invoice": {"id": "75"}})), work, Setting()) == {"75": "void"}


def test_a_pending_one_is_skipped_only_where_another_pending_one_was_carried_out():
    work = [refund("75", State.PENDING), refund("76", State.PENDING), refund("77", State.BLOCKED)]
    found = outcomes(trial(Call("refund", {"invoice": "76"})), work, Setting())
    assert list(found.values()) == ["skipped_pending", "respected", "respected"]
    assert list(outcomes(trial(), work, Setting()).values()) == ["stalled", "stalled", "respected"]
