"""langmem's `SummarizationNode` (0.0.30), as it stands in front of a LangGraph agent.

langmem's own code: what is folded, the two prompts (first and continued summary), the system message that carries the
summary, the running summary between boundaries. Nothing private is called. langmem's defaults: default output key (the
full log stays, the agent sees the shortened view) and both prompts, `max_summary_tokens` 256, bound to the writer with
`bind(max_tokens=…)` as its guide does, since the node itself does not enforce it. Ours: both token budgets are set so
that all but the newest `keep` messages are folded at once (langmem folds the results of a folded call too, though not
of parallel calls, langmem#126), and nothing is trimmed unseen. A budget takes the place of `max_summary_tokens`, and is
one sentence at the end of both prompts.

`langmem-guide` sets both token budgets alike, as langmem's docstring does and as is its default: what trips the trigger
is then at least as long as what the writer may be shown, and its oldest messages are cut away before the writer sees
them. Where they cannot be cut at a user message, langmem shows all. The rest of the history has to fit as well, else
langmem compacts nothing: such a boundary did not fire.

With `trigger=threshold` the node runs with `window` as its budget before a summary, and folds what langmem folds;
`keep` then says nothing.
"""

from __future__ import annotations

import warnings
from typing import Any

from inspect_ai.model import ChatMessage
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.prompts import ChatPromptTemplate

from .langchain_model import WriterModel, back, to_langchain
from .protocol import Compacted, Work

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # an import inside langmem is deprecated in langgraph
    from langmem.short_term import SummarizationNode
    from langmem.short_term.summarization import DEFAULT_EXISTING_SUMMARY_PROMPT, DEFAULT_INITIAL_SUMMARY_PROMPT

LEFT = "langmem folded nothing: below its budget, or the rest would not fit beside a summary"
ROOM = 10_000  # tokens above what there is, so that langmem's own trimming never starts


class LangMem:
    """One running summary a chain; the full log is kept here, as the graph's state would."""

    trims = False

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.model, self.request, self.window = WriterModel(writer=work.writer), work.request, work.window
        self.keep = int(work.settings["keep"])
        self.max_summary_tokens = work.budget or int(work.settings["max_summary_tokens"])
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
        fired = self.context.get("running_summary") is not before
        return Compacted(view, fired=fired, notes=() if fired else (LEFT,))

    def _to_fold(self, history: list[BaseMessage]) -> list[BaseMessage]:
        """The messages after the last folded one, up to the newest `keep`; the system text stands outside."""
        body = history[1:] if history and isinstance(history[0], SystemMessage) else history
        summary = self.context.get("running_summary")
        last = summary.last_summarized_message_id if summary else None
        start = next((i + 1 for i, m in enumerate(body) if m.id == last), 0)
        return body[start : max(start, len(body) - self.keep)]

    async def _run(self, history: list[BaseMessage], fold: list[BaseMessage]) -> dict[str, Any]:
        # langmem counts message by message, so both sums fall on the last message to fold: at its end, or, where it
        # is to run over the budget as in a conversation that grows, at its first token
        *rest, last = [count_tokens_approximately([m]) for m in fold]
        before = self.window or sum(rest) + (1 if self.trims else last)
        room = count_tokens_approximately(history) + self.max_summary_tokens + ROOM
        node = SummarizationNode(
            model=self.model.bind(max_tokens=self.max_summary_tokens),
            # langmem refuses a summary that may be longer than all that there is
            max_tokens=max(before, self.max_summary_tokens + 1) if self.trims else before + room,
            max_tokens_before_summary=before,
            max_summary_tokens=self.max_summary_tokens,
            initial_summary_prompt=asking(DEFAULT_INITIAL_SUMMARY_PROMPT, self.request),
            existing_summary_prompt=asking(DEFAULT_EXISTING_SUMMARY_PROMPT, self.request),
        )
        state: dict[str, Any] = {"messages": history, **({"context": self.context} if self.context else {})}
        with self.model.boundary():
            update: dict[str, Any] = await node.ainvoke(state)
        return update


class LangMemGuide(LangMem):
    """The same with both token budgets alike."""

    trims = True


def asking(prompt: ChatPromptTemplate, request: str) -> ChatPromptTemplate:
    """langmem's prompt, with a sentence more at the end of its last message."""
    if not request:
        return prompt
    *before, last = prompt.messages
    return ChatPromptTemplate.from_messages([*before, ("user", f"{last.prompt.template} {request}")])  # type: ignore[union-attr]
