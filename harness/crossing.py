"""One boundary of a chain: the compactor is run, and what happened is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage

from ..graders import summaries
from . import messages
from .compactors.protocol import Compacted, Compactor
from .history import Conversation, tokens
from .plan import Chain
from .snapshots import Boundary

CUT_OFF = ("content_filter", "model_length", "unknown")  # a summary that ended so is half a summary
UNASKED = "the writer was never asked"


@dataclass
class Line:
    """One chain on its way: the uncompacted record, what the compactor returned last with what was said since, and the
    originals that the agent can read again."""

    conversation: Conversation
    record: list[ChatMessage] = field(default_factory=list)
    raw: list[ChatMessage] = field(default_factory=list)
    archive: dict[str, str] = field(default_factory=dict)

    def take(self) -> None:
        """The messages said since the last time."""
        new = [
            messages.message(said, len(self.record) + i)
            for i, said in enumerate(self.conversation.said[len(self.record) :])
        ]
        self.record += new
        self.raw += new

    def grow(self) -> None:
        self.conversation.grow()
        self.take()


@dataclass(frozen=True)
class Crossing:
    """What happened at a boundary, and what the writer or the provider's endpoint was shown."""

    boundary: Boundary
    shown: list[messages.Rows]


async def cross(chain: Chain, compactor: Compactor, line: Line) -> Crossing:
    """The boundary, with `line` behind it. Where the compactor halted, the line is as it was before."""
    before, size = len(transcript().events), tokens(messages.text_of(line.raw))
    compacted = await compactor.compact(list(line.raw))
    written = [e for e in transcript().events[before:] if isinstance(e, ModelEvent) and e.error is None]
    if compacted.halted is None:
        line.raw = list(compacted.messages)
        line.archive = dict(compacted.archive)
    # what an adapter reports itself counts where no call of the writer shows it
    shown = [messages.dump(sent) for sent in ([event.input for event in written] or compacted.shown)]
    return Crossing(_boundary(chain, line, compacted, written, size, shown), shown)


def _boundary(
    chain: Chain,
    line: Line,
    compacted: Compacted,
    written: list[ModelEvent],
    size: int,
    shown: Sequence[messages.Rows],
) -> Boundary:
    view, notes = messages.normalise(line.raw)
    text = messages.text_of(view)
    sent = sum(tokens(messages.text_of(messages.load(rows))) for rows in shown)
    return Boundary(
        fired=compacted.fired and compacted.halted is None,
        pressure=summaries.pressure(text, [tracer.key for tracer in chain.scenario.history.tracers]),
        tokens_before=size,
        tokens_after=tokens(text),
        writer_tokens=sum(e.output.usage.total_tokens for e in written if e.output.usage) if written else None,
        writer_calls=len(written),
        normalised=tuple(notes),
        halted=compacted.halted is not None,
        halted_because=compacted.halted,
        notes=tuple(compacted.notes),
        shown_tokens=sent if shown else None,
        archived=len(line.archive),
        back_pointer=any(name in text for name in line.archive) if line.archive else None,
        orphans=sum(messages.is_orphan_note(note) for note in notes),
        **_summary(chain, line, compacted, written),
    )


def _summary(chain: Chain, line: Line, compacted: Compacted, written: list[ModelEvent]) -> dict[str, Any]:
    """What is said of the summary: it is one of this conversation, it is whole, and how long it is."""
    writes = chain.compactor.entry.writes and compacted.fired and compacted.halted is None
    summary = written[-1].output.completion if written else compacted.summary
    stop = written[-1].output.stop_reason if written and written[-1].output.choices else None
    readable = summary is not None or not chain.compactor.entry.opaque
    empty = (not (summary or "").strip()) if writes and readable else None
    unasked = UNASKED if writes and readable and summary is None else None
    return {
        "fallback": compacted.fallback or unasked,
        "empty": empty,
        "non_summary": None
        if empty is None
        else empty or not summaries.is_summary(summary or "", _identifiers(chain, line)),
        "writer_stop": stop,
        "cut_off": stop in CUT_OFF or (stop == "max_tokens" and not _is_bounded(chain)),
        "summary": summary,
        "summary_tokens": tokens(summary) if summary else (0 if empty else None),
    }


def _is_bounded(chain: Chain) -> bool:
    """Whether the runtime or the asked budget ends a summary: one that ends there is as it was meant."""
    return chain.compactor.entry.bounds_writer or chain.compactor.settings.get("budget") is not None


def _identifiers(chain: Chain, line: Line) -> frozenset[str]:
    known = [name for subtask in chain.scenario.subtasks for name in subtask.known_as]
    return summaries.identifiers(" ".join([*known, messages.text_of(line.record)]))
