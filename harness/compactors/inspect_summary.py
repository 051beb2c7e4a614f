"""Inspect's `CompactionSummary`, through its public handler.

Inspect's own code: partition (system and input messages stay word for word, no tail stays), prompt, summary message,
event. Ours: a threshold that never fires by itself, so that `force=True` makes exactly one pass; `memory=False`; and
for `prompt=neutral` the wording of the request. Inspect's own prompt asks the writer to keep constraints word for
word: it is a mitigation, and the neutral prompt is the plain case. Inspect counts the writer's tokens: for Anthropic
and OpenAI that is a request more, for OpenAI-compatible servers it takes a vocabulary that is downloaded once.
"""

from __future__ import annotations

from inspect_ai.event import CompactionEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, CompactionSummary, compaction

from .protocol import Compacted, Work

NEUTRAL = (
    "Summarise the conversation so far so that the task can be continued from your summary alone. "
    "Keep the key context that is needed to continue.\n\n{addendums}"
)
NEVER_BY_ITSELF = 10**9


class InspectSummary:
    """One handler for the whole chain; it wants the append-only record, which is kept here."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        prompt = NEUTRAL if work.settings["prompt"] == "neutral" else None
        strategy = CompactionSummary(threshold=NEVER_BY_ITSELF, memory=False, model=work.writer, prompt=prompt)
        # the handler counts tokens with `model`; without it, with the evaluated model, whose vocabulary is a download
        self.handler = compaction(strategy, prefix=list(work.prefix), tools=list(work.tools), model=work.writer)
        self.record: list[ChatMessage] = []
        self._known: set[str | None] = set()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self._note([m for m in messages if m.id not in self._known])
        before = len(transcript().events)
        view, summary = await self.handler.compact_input(self.record, force=True)
        if summary is not None:
            self._note([summary])
        self._known |= {m.id for m in view}
        events = [e for e in transcript().events[before:] if isinstance(e, CompactionEvent)]
        reasons = [str((event.metadata or {}).get("fallback_reason") or "") for event in events]
        return Compacted(list(view), fired=bool(events), fallback=next(filter(None, reasons), None))

    def _note(self, messages: list[ChatMessage]) -> None:
        self.record += messages
        self._known |= {m.id for m in messages}
