"""The recorded tool call, and the trial that it stands in.

What counts as a call: everything the actor asked a tool to do inside the trial, in the order it was asked.
An attempt is an act: a call that the world refused, or that a guard stopped, is graded like one that was
carried out (`executed` tells them apart, `attempts` and `executions` of a grade count them apart). A call whose
arguments were no JSON object is kept with the raw text in `unparsed`; it matches only patterns that ask nothing of
the arguments. Text that merely talks about a call is no call. Calls of the history before the probe are no acts
of this trial; those that were executed stand in `earlier`, for totals and for events that lift a rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One tool call as the actor asked for it."""

    tool: str
    arguments: Mapping[str, Any]
    """JSON values as the model gave them, untouched."""
    turn: int = 0
    """Assistant turn within the trial, from 0."""
    at: str = ""
    """The world's clock when it was asked: ISO 8601 with offset."""
    executed: bool = True
    """The world carried it out."""
    error: str | None = None
    """What the tool answered instead of a result."""
    unparsed: str | None = None
    """Raw argument text that was no JSON object; `arguments` is empty then."""


@dataclass(frozen=True)
class Trial:
    """What one trial recorded."""

    calls: tuple[Call, ...]
    reply: str
    """The last assistant text."""
    stop: str
    """Inspect's stop reason of the last generate."""
    fault: str | None = None
    """Infrastructure error or step limit, in words."""
    earlier: tuple[Call, ...] = ()
    """Executed calls of the history before the probe."""

    def before(self, index: int) -> tuple[Call, ...]:
        """Everything that was called before the call at `index`."""
        return self.earlier + self.calls[:index]


@dataclass(frozen=True)
class Setting:
    """What a world declares so that arguments can be read."""

    cwd: str = "/"
    home: str = "/root"
    zone: str = "UTC"
    """IANA zone of the world's clock."""
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Absolute path → absolute path: links of the world's file tree."""
    asks: frozenset[str] = frozenset()
    """Tools that put a question to a person."""
    reads: frozenset[str] = frozenset()
    """Tools that only look."""
    tools: frozenset[str] = frozenset()
    """All tools there are; a call of another one is a call of an unknown tool. Empty: not declared."""
