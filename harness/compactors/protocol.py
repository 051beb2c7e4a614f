"""What a compactor is: something that shrinks a conversation, by a runtime's own code.

Triggers. By default a boundary is forced: `compact` compacts once, exactly there. A runtime with a threshold of its own
takes the settings of `entries.TRIGGER` beside its own: `trigger=threshold,window=N`. Then the runtime's own check
decides, with N tokens as *it* counts them as its limit (`work.trigger`, `work.window`); what it left alone comes back
with `fired=False`. The two ways may differ inside a runtime and are separate variants.

Names in an archive are short words without blanks (`t11`, `conversation_history/c1.md`): an agent types them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspect_ai.model import ChatMessage, Model
from inspect_ai.tool import ToolInfo


@dataclass(frozen=True)
class Work:
    """What a compactor is made for: one chain. `prefix` is what stands before the history (system, opening).

    `writer` has the chain's seed set, and with a budget its `max_tokens` too: a compactor that can tell the writer of
    the budget in words does so as well. `tools` are those of the world, `reads` the names of those that only look.
    """

    writer: Model | None
    prefix: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    reads: frozenset[str] = frozenset()

    @property
    def budget(self) -> int | None:
        """How many tokens a summary may have; None where nobody set it."""
        value = self.settings.get("budget")
        return None if value is None else int(value)

    @property
    def window(self) -> int | None:
        """The limit in tokens of the runtime's own check; None where the boundary is forced."""
        if self.settings.get("trigger") != "threshold":
            return None
        return int(self.settings["window"])

    @property
    def request(self) -> str:
        """How the writer is told of its budget, for an adapter that can say something to it; empty without one."""
        return "" if self.budget is None else f"Use at most {self.budget} tokens for the summary."


@dataclass(frozen=True)
class Compacted:
    """What a compactor left.

    `messages` is what the agent sees from now on. `fired` says whether anything was compacted. `fallback` names another
    strategy than the asked one that ran, with the reason. `summary` is set only where no call of the writer shows it
    (provider-native compaction), and so is `shown`, what was sent to be compacted: an entry a request. `archive` holds
    the originals by name, all that there are so far, where the runtime lets its agent read them again. `halted` says
    why the compactor gave up rather than break an invariant: the context is then too large, and the chain ends here.
    `notes` are other facts for the record.
    """

    messages: list[ChatMessage]
    fired: bool
    fallback: str | None = None
    summary: str | None = None
    shown: tuple[tuple[ChatMessage, ...], ...] = ()
    archive: Mapping[str, str] = field(default_factory=dict)
    halted: str | None = None
    notes: tuple[str, ...] = ()


class Compactor(Protocol):
    """One instance a chain. It is fed what it returned last plus what was appended, with stable message ids; it may
    keep state between boundaries. Untouched messages come back as the same objects. An error is raised."""

    async def compact(self, messages: list[ChatMessage]) -> Compacted: ...
