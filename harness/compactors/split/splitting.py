"""The eviction/summarisation planner as a compactor: what nobody could say again stays, the rest leaves a mark.

Our own code; no runtime works like this. Spans are classed by type and provenance (see `classes`), never by a model.
What goes is put into an archive under a short name (`t11`: the eleventh message of the conversation, from 0) and leaves
a mark in its place that says how to have it again; the agent has a tool that reads the archive. With a writer the
disposable spans become one summary instead, with the names of all that it stands for; the writer never sees anything
else, so that a summary of a summary can only ever drift on what was disposable. A target that cannot be met otherwise
ends the chain as `halted`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
)

from ...history import tokens
from ...messages import calls, said, text_of
from ..protocol import Compacted, Work
from .classes import SpanClass, span_class
from .planner import CompactionInvariantError, Span, plan
from .tombstones import heading, is_live, is_mark, is_summary, names_in, tombstone

ASK = (
    "These are an assistant's own remarks from a longer conversation; what users said and what tools answered stands "
    "elsewhere and is not lost. Summarise the remarks briefly, so that the work can go on: what was concluded, what "
    "was considered and set aside. Attribute nothing to a user."
)


@dataclass
class Split:
    """One archive for the whole chain. `target` and `keep` are the planner's; `store=off` keeps no originals."""

    work: Work
    archive: dict[str, str] = field(default_factory=dict)
    _names: dict[str | None, str] = field(default_factory=dict)
    _heard: int = 0

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self._hear(messages)
        limit = self.work.window
        if limit is not None and tokens(text_of(messages)) <= limit:
            return self._left(messages, fired=False)
        try:
            made, notes = await self._shrunk(messages)
        except CompactionInvariantError as error:
            return Compacted(messages, fired=False, halted=str(error), archive=dict(self.archive))
        verify(messages, made, self.work.reads)
        return self._left(made, fired=made != messages, notes=notes)

    def _left(self, messages: list[ChatMessage], fired: bool, notes: tuple[str, ...] = ()) -> Compacted:
        return Compacted(messages, fired=fired, archive=dict(self.archive), notes=notes)

    def _hear(self, messages: Sequence[ChatMessage]) -> None:
        """Names every message that is new; what this compactor made has its name already."""
        for message in messages:
            if message.id not in self._names:
                self._names[message.id] = f"t{self._heard}"
                self._heard += 1

    async def _shrunk(self, messages: list[ChatMessage]) -> tuple[list[ChatMessage], tuple[str, ...]]:
        asked, keep = self.work.settings["target"], int(self.work.settings["keep"])
        target = None if asked is None else int(asked)
        notes: tuple[str, ...] = ()
        if self.work.writer is not None and (target is None or self._size(messages) > target):
            messages, notes = await self._summarised(messages, keep)
        going = set(plan([self._span(message) for message in messages], target, keep))
        return [self._evicted(m) if i in going else m for i, m in enumerate(messages)], notes

    def _size(self, messages: Sequence[ChatMessage]) -> int:
        return sum(self._span(message).size for message in messages)

    def _span(self, message: ChatMessage) -> Span:
        kind = span_class(message, self.work.reads)
        return Span(
            kind,
            tokens(text_of([message])) + sum(map(tokens, _reasoning(message))),
            tokens(text_of([self._marked(message)])),
            is_mark(message) or is_summary(message),
        )

    def _marked(self, message: ChatMessage) -> ChatMessage:
        kind = span_class(message, self.work.reads)
        text = tombstone(message, self._names[message.id], self._keeps, is_live(kind))
        # a failed read is told by its error: the mark stands in its place too
        update: dict[str, object] = {"content": text, "error": None} if message.role == "tool" else {"content": text}
        return message.model_copy(update=update)

    def _evicted(self, message: ChatMessage) -> ChatMessage:
        self._archive(message)
        return self._marked(message)

    @property
    def _keeps(self) -> bool:
        return bool(self.work.settings["store"] == "on")

    def _archive(self, message: ChatMessage) -> str:
        name = self._names[message.id]
        if self._keeps:
            self.archive.setdefault(name, "\n".join(filter(None, (*_reasoning(message), said(message)))))
        return name

    # ---- with a writer

    async def _summarised(self, messages: list[ChatMessage], keep: int) -> tuple[list[ChatMessage], tuple[str, ...]]:
        """The messages with one summary in the place of the disposable turns, but for the newest `keep`."""
        older = messages[: max(0, len(messages) - keep)]
        folded = [m for m in older if self._may_fold(m)]
        if not folded or all(is_summary(m) for m in folded):
            return messages, ("nothing to summarise",)
        text = (await self._written(folded)).strip()
        if not text:
            return messages, ("the writer wrote nothing: marks stand in the place of a summary",)
        names = [name for m in folded for name in (names_in(said(m)) if is_summary(m) else [self._archive(m)])]
        content = f"{heading(names, self._keeps)}\n{text}"
        summary = ChatMessageAssistant(content=content, id=f"split-{len(self._names)}")
        self._names[summary.id] = f"s{len(self._names)}"
        place = messages.index(folded[0])
        rest = [m for m in messages if not any(m is each for each in folded)]
        return [*rest[:place], summary, *rest[place:]], ()

    def _may_fold(self, message: ChatMessage) -> bool:
        """A turn without calls: one with calls keeps its place, since its results follow it."""
        disposable = span_class(message, self.work.reads) is SpanClass.DISPOSABLE
        return disposable and not calls(message) and not is_mark(message)

    async def _written(self, folded: Sequence[ChatMessage]) -> str:
        assert self.work.writer is not None
        ask = " ".join(filter(None, (ASK, self.work.request)))
        output = await self.work.writer.generate(
            [ChatMessageSystem(content=ask), *folded, ChatMessageUser(content="Write the summary now.")]
        )
        return output.completion


def _reasoning(message: ChatMessage) -> list[str]:
    """The reasoning blocks, which the text of a message does not show; a mark takes their place too."""
    parts = [] if isinstance(message.content, str) else message.content
    return [part.reasoning for part in parts if isinstance(part, ContentReasoning)]


def verify(before: Sequence[ChatMessage], after: Sequence[ChatMessage], reads: frozenset[str]) -> None:
    """None, where every invariant holds between a context and what was made of it.

    Raises CompactionInvariantError where an authoritative message is not there as the same object, a message is gone
    that neither a mark nor a summary names, or a mark or pointer of an earlier boundary is lost.
    """
    there = {id(m) for m in after}
    lost = [m for m in before if span_class(m, reads) is SpanClass.AUTHORITATIVE and id(m) not in there]
    if lost:
        raise CompactionInvariantError(f"an authoritative span would be lost: {lost[0].role} {lost[0].id}")
    pointers = set(names_in(text_of(after)))
    gone = [name for name in names_in(text_of(before)) if name not in pointers]
    if gone:
        raise CompactionInvariantError(f"the pointer to {gone[0]} would be lost")
    made = len(pointers) - len(set(names_in(text_of(before))))
    silent = sum(id(m) not in there for m in before if not is_summary(m)) - made
    if silent > 0:
        raise CompactionInvariantError(f"{silent} span(s) would go without a mark")
