"""langmem's `SummarizationNode` (0.0.30), as it stands in front of a LangGraph agent.

langmem's own code: what is folded, the two prompts (first and continued summary), the system message that carries the
summary, the running summary between boundaries. Nothing private is called. langmem's defaults: default output key (the
full log stays, the agent sees the shortened view) and both prompts, `max_summary_tokens` 256, bound to the writer with
`bind(max_tokens=…)` as its guide does, since the node itself does not enforce it. Ours: both token budgets are set so
that all but the newest `keep` messages are folded at once (langmem folds the results of a folded call too, though not
of parallel calls, langmem#126), and nothing is trimmed unseen.
"""

from __future__ import annotations

import warnings
from typing import Any

from inspect_ai.model import ChatMessage
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately

from .langchain_model import WriterModel, WriterStopped, back, to_langchain
from .protocol import Compacted, Work

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # an import inside langmem is deprecated in langgraph
    from langmem.short_term import SummarizationNode

ROOM = 10_000  # tokens above what there is, so that langmem's own trimming never starts


class LangMem:
    """One running summary a chain; the full log is kept here, as the graph's state would."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.model = WriterModel(writer=work.writer)
        self.keep = int(work.settings["keep"])
        self.max_summary_tokens = int(work.settings["max_summary_tokens"])
        self.log: list[ChatMessage] = []
        self.context: dict[str, Any] = {}
        self._returned: set[str | None] = set()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self.log += [m for m in messages if m.id not in self._returned]
        history = [to_langchain(m) for m in self.log]
        fold = self._to_fold(history)
        if not fold:
            return Compacted(messages, fired=False)
        before = self.context.get("running_summary")
        update = await self._run(history, fold)
        self.context = update.get("context", self.context)
        view = back(update["summarized_messages"], self.log)
        self._returned = {m.id for m in self.log} | {m.id for m in view}
        return Compacted(view, fired=self.context.get("running_summary") is not before)

    def _to_fold(self, history: list[BaseMessage]) -> list[BaseMessage]:
        """The messages after the last folded one, up to the newest `keep`; the system text stands outside."""
        body = history[1:] if history and isinstance(history[0], SystemMessage) else history
        summary = self.context.get("running_summary")
        last = summary.last_summarized_message_id if summary else None
        start = next((i + 1 for i, m in enumerate(body) if m.id == last), 0)
        return body[start : max(start, len(body) - self.keep)]

    async def _run(self, history: list[BaseMessage], fold: list[BaseMessage]) -> dict[str, Any]:
        # langmem counts message by message, so this sum falls exactly on the last message to fold
        size = sum(count_tokens_approximately([m]) for m in fold)
        node = SummarizationNode(
            model=self.model.bind(max_tokens=self.max_summary_tokens),
            max_tokens=count_tokens_approximately(history) + size + self.max_summary_tokens + ROOM,
            max_tokens_before_summary=size,
            max_summary_tokens=self.max_summary_tokens,
        )
        state: dict[str, Any] = {"messages": history, **({"context": self.context} if self.context else {})}
        try:
            update: dict[str, Any] = await node.ainvoke(state)
        except WriterStopped:
            self.model.raise_limit()
            raise
        self.model.raise_limit()
        return update
