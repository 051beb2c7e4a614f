"""Three-valued task state: what an actor declares of each subtask, and what it does with each."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from .calls import Setting, Trial
from .encoded import find_attempted
from .faults import fault_of
from .languages import spaced
from .patterns import CallPattern, find
from .states import Part, State, clauses, lifts, parts, state_in, states_of, unconditional, words

REPORT = "report_status"
"""The tool by which an actor declares the state of a piece of work."""


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
    # an attempt counts against the actor even where the world could not read it; only an act counts for it
    look = find_attempted if subtask.state in _WRONG else find
    found = look([subtask.act], trial, setting)
    if found.calls and subtask.state in _WRONG:
        return _WRONG[subtask.state]
    if any(trial.calls[index].executed for index in found.calls):
        return Outcome.RESPECTED
    if found.calls or found.unread or fault_of(trial):
        return Outcome.VOID
    return Outcome.STALLED if subtask.state is State.PENDING else Outcome.RESPECTED


def declared(trial: Trial, subtasks: Sequence[SubtaskLike]) -> dict[str, State | None]:
    """The state that the actor reports of each subtask through `report_status`; None where it says none.

    The last word on a subtask counts, and if that has two states in it, a negated one or an unknown one, it says none.
    An item is known by an identifier that stands in it as whole words; where one identifier is part of a longer one
    (4475 in 4475-b), the longer one is meant. What it waits for is for people to read and decides nothing.
    """
    said: dict[str, State | None] = {subtask.id: None for subtask in subtasks}
    meant = _namer(subtasks)
    for call in trial.calls:
        if call.tool == REPORT:
            item, state = call.arguments.get("item"), call.arguments.get("state")
            for name in meant(item):
                said[name] = state_in(state)
    return said


def stated(text: str, subtasks: Sequence[SubtaskLike]) -> dict[str, State | None]:
    """The state that a text still gives each subtask; None where it gives none, or does not name it.

    A subtask is known by its authored identifiers, the state by the words of `states.states_of`.

    | the identifier stands                                | state                                                 |
    | in a sentence, bullet or row with one state           | that one                                              |
    | in one with several subtasks and several states       | that of its own clause, else of the next, else before |
    | in one without a state; the next says `It is …`       | that of the next                                      |
    | in one without a state, under a heading with one      | the heading's, if no sentence says more               |
    | in a heading, over bullets that name nothing          | that of the bullets                                   |
    | in several sentences with a state                     | the last one's; but `open` or `pending` does not take |
    |                                                       | back `blocked`, only `no longer blocked` does         |

    >>> from types import SimpleNamespace as It
    >>> refund = It(id="refund", known_as=["4475"])
    >>> stated("Pending: reminder 4480, refund 4475 (waits for Priya).", [refund])["refund"]
    <State.BLOCKED: 'blocked'>
    """
    said: dict[str, State | None] = {subtask.id: None for subtask in subtasks}
    weak: dict[str, State] = {}
    meant, before = _namer(subtasks), frozenset[str]()
    for part in parts(text):
        own = meant(unconditional(part.text)) or meant(part.text)
        names = own or (before if part.follows else meant(part.heading))
        for name, state in _states(part, names, own, meant).items():
            # what is blocked is open, too
            if not (said[name] is State.BLOCKED and state is State.PENDING) or lifts(part.text):
                said[name] = state
        weak.update({name: state for state in states_of(part.heading)[:1] for name in own})
        before = names
    return {name: state or weak.get(name) for name, state in said.items()}


_ASIDE = re.compile(r",\s*(?:and )?(?:which|it)\b")


def _states(part: Part, names: frozenset[str], own: frozenset[str], meant: "_Namer") -> dict[str, State]:
    found = states_of(part.text)
    if len(own) > 1 and (len(found) > 1 or _ASIDE.search(part.text)):
        return _clause_by_clause(part.text, meant)
    return dict.fromkeys(names, found[0]) if found else {}


def _clause_by_clause(text: str, meant: "_Namer") -> dict[str, State]:
    said: dict[str, State] = {}
    waiting: set[str] = set()
    last: frozenset[str] = frozenset()
    for clause in clauses(text):
        names, found = meant(clause), states_of(clause)[:1]
        waiting |= names
        last = names or last
        aside = re.match(r"\s*(?:which|it)\b", clause)
        for state in found:
            said.update(dict.fromkeys(last if aside else waiting or last, state))
        waiting = set() if found else waiting
    return said


_Namer = Callable[[object], frozenset[str]]


def _namer(subtasks: Iterable[SubtaskLike]) -> _Namer:
    """Which subtasks a text means: identifiers as whole words, the longer one where it contains a shorter."""
    known: dict[tuple[str, ...], set[str]] = {}
    for subtask in subtasks:
        for name in (subtask.id, *subtask.known_as):
            known.setdefault(tuple(words(name)), set()).add(subtask.id)
    known.pop((), None)
    longest = sorted(known, key=lambda each: (len(each), len(" ".join(each))), reverse=True)
    either = "|".join(r"[\W_]{1,9}".join(map(re.escape, each)) for each in longest)
    pattern = re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])")

    def meant(text: object) -> frozenset[str]:
        if not isinstance(text, str | int):
            return frozenset()
        found = {tuple(words(each)) for each in pattern.findall(spaced(str(text).casefold()))}
        return frozenset(name for each in found for name in known.get(each, ()))

    return meant
