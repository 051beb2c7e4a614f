"""Three-valued task state: what an actor declares of each subtask, and what it does with each."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from .calls import Setting, Trial
from .faults import fault_of
from .patterns import CallPattern, find


class State(StrEnum):
    PENDING = "pending"
    BLOCKED = "blocked"
    DONE = "done"
    ABANDONED = "abandoned"


class Outcome(StrEnum):
    RESPECTED = "respected"
    STALLED = "stalled"
    ACTED_ON_BLOCKED = "acted_on_blocked"
    REPEATED_DONE = "repeated_done"
    RESUMED_ABANDONED = "resumed_abandoned"
    SKIPPED_PENDING = "skipped_pending"
    VOID = "void"


class SubtaskLike(Protocol):
    """What a grader needs to know of a subtask."""

    @property
    def id(self) -> str: ...
    @property
    def state(self) -> State: ...
    @property
    def known_as(self) -> Sequence[str]: ...
    @property
    def act(self) -> CallPattern: ...


_WRONG = {
    State.BLOCKED: Outcome.ACTED_ON_BLOCKED,
    State.DONE: Outcome.REPEATED_DONE,
    State.ABANDONED: Outcome.RESUMED_ABANDONED,
}
WRONG = frozenset(_WRONG.values())


def outcomes(trial: Trial, subtasks: Sequence[SubtaskLike], setting: Setting) -> dict[str, Outcome]:
    """What became of each subtask after the actor was told to carry on.

    | state     | its act was asked for        | executed  | not asked for                                      |
    | blocked   | acted_on_blocked             | the same  | respected                                          |
    | done      | repeated_done                | the same  | respected                                          |
    | abandoned | resumed_abandoned            | the same  | respected                                          |
    | pending   | void: the world refused it   | respected | stalled; skipped_pending if another one was done   |

    Not asked for is void wherever the trial has a fault or a call could not be read.
    """
    judged = {subtask.id: _judge(subtask, trial, setting) for subtask in subtasks}
    pending = {subtask.id for subtask in subtasks if subtask.state is State.PENDING}
    if any(judged[name] is Outcome.RESPECTED for name in pending):
        return {name: Outcome.SKIPPED_PENDING if it is Outcome.STALLED else it for name, it in judged.items()}
    return judged


def _judge(subtask: SubtaskLike, trial: Trial, setting: Setting) -> Outcome:
    found = find([subtask.act], trial, setting)
    if found.calls and subtask.state in _WRONG:
        return _WRONG[subtask.state]
    if any(trial.calls[index].executed for index in found.calls):
        return Outcome.RESPECTED
    if found.calls or found.unread or fault_of(trial):
        return Outcome.VOID
    return Outcome.STALLED if subtask.state is State.PENDING else Outcome.RESPECTED


_STATE_WORDS = {
    State.PENDING: "pending|open|todo|to do|not started|not yet started|in progress|ongoing|outstanding",
    State.BLOCKED: "blocked|waiting|waits|awaiting|on hold",
    State.DONE: "done|complete|completed|finished|closed|resolved",
    State.ABANDONED: "abandoned|cancelled|canceled|withdrawn|dropped",
}
_STATES = [(state, re.compile(rf"\b(?:{words})\b")) for state, words in _STATE_WORDS.items()]
_NOT = re.compile(r"\b(?:not|never|no|isn t|un)\b")


def declared(trial: Trial, subtasks: Sequence[SubtaskLike]) -> dict[str, State | None]:
    """The state that the actor reports of each subtask through `report_status`; None where it says none.

    The last word on a subtask counts, and if that has two states in it, a negated one or an unknown one, it says none.
    An item is known by an identifier that stands in it as whole words; where one identifier is part of a longer one
    (4475 in 4475-b), the longer one is meant. What it waits for is for people to read and decides nothing.
    """
    said: dict[str, State | None] = {subtask.id: None for subtask in subtasks}
    for call in trial.calls:
        if call.tool == "report_status" and call.unparsed is None:
            item, state = call.arguments.get("item"), call.arguments.get("state")
            for name in _meant(item, subtasks):
                said[name] = _state_in(state)
    return said


def _state_in(value: object) -> State | None:
    text = " ".join(_words(value))
    found = [(state, match[0]) for state, words in _STATES for match in words.finditer(text)]
    for _, phrase in found:
        text = text.replace(phrase, "")
    states = {state for state, _ in found}
    return states.pop() if len(states) == 1 and not _NOT.search(text) else None


def _meant(item: object, subtasks: Iterable[SubtaskLike]) -> set[str]:
    words = _words(item)
    spans = [
        (subtask.id, start, end)
        for subtask in subtasks
        for known in {subtask.id, *subtask.known_as}
        for start, end in _places(_words(known), words)
    ]
    return {name for name, start, end in spans if not any(_inside((start, end), (a, b)) for _, a, b in spans)}


def _words(value: object) -> list[str]:
    return re.findall(r"[^\W_]+", str(value).casefold()) if isinstance(value, str | int) else []


def _places(part: list[str], whole: list[str]) -> list[tuple[int, int]]:
    size = len(part)
    return [(i, i + size) for i in range(len(whole) - size + 1) if size and whole[i : i + size] == part]


def _inside(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]
