"""LangChain's `SummarizationMiddleware` (langchain 1.5.2), as `create_agent` runs it in front of a model call.

LangChain's own code: the trigger, the cut that keeps calls and results together, the trim before the writer, prompt,
retries, the user message that carries the summary. It is entered by the public hook `abefore_model`, whose second
argument it does not use; nothing private is called. LangChain's defaults: `keep` (20 messages) and
`trim_tokens_to_summarize` 4,000, which cuts the OLDEST messages away before the writer sees them and starts at a user
message. So a first rule may never be shown; where the last 4,000 tokens hold no user message the writer is not asked
at all and a fixed text stands as the summary (langchain#39261); and at the next boundary the last summary is one more
old message, which the trim can cut unseen. The record shows each: what the writer was shown, and the fallback.

Ours: forced, the trigger is one message; with `trigger=threshold` it is 0.8 of `window`, as in LangChain's own example,
counted by LangChain. `trim_tokens=none` switches the trim off. System messages in front stay outside, as `create_agent`
holds them. A budget is one sentence at the end of LangChain's prompt, and the writer's `max_tokens`.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage
from langchain.agents.middleware import SummarizationMiddleware
from langchain.agents.middleware.summarization import DEFAULT_SUMMARY_PROMPT
from langchain_core.messages import BaseMessage

from .langchain_model import WriterModel, back, split_system, to_langchain, with_request
from .protocol import Compacted, Work

SHARE = 0.8


class LangChain:
    """One middleware a chain. It keeps nothing between boundaries: the history is all that there is."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.model = writer_model(work)
        self.boundaries = 0
        self.middleware = SummarizationMiddleware(
            self.model,
            trigger=("messages", 1) if work.window is None else ("fraction", SHARE),
            keep=("messages", int(work.settings["keep"])),
            summary_prompt=with_request(DEFAULT_SUMMARY_PROMPT, work.request),
            trim_tokens_to_summarize=trim_tokens(work),
        )

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        system, history = split_system(messages)
        state: Any = {"messages": [to_langchain(m) for m in history]}
        with self.model.boundary():
            update = await self.middleware.abefore_model(state, None)  # type: ignore[arg-type]
        if update is None:
            return Compacted(messages, fired=False)
        self.boundaries += 1
        left = named([m for m in update["messages"] if m.type != "remove"], self.boundaries)
        return Compacted([*system, *back(left, history)], fired=True, fallback=self.model.fallback)


def writer_model(work: Work) -> WriterModel:
    """The writer as this family sees it; only a window gives it a profile, by which the runtimes count."""
    model = WriterModel(writer=work.writer)
    if work.window is not None:
        model.profile = {"max_input_tokens": work.window}
    return model


def trim_tokens(work: Work) -> int | None:
    """How many tokens of what is to be folded the writer is shown; None for all."""
    value = work.settings["trim_tokens"]
    return None if value is None else int(value)


def named(messages: list[BaseMessage], boundary: int) -> list[BaseMessage]:
    """The messages, the runtime's own ones with an id that is the same in every run."""
    for message in messages:
        message.id = message.id or f"summary-{boundary}"
    return messages
