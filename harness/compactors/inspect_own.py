"""Inspect's own strategies, each through its public handler `compaction()`.

Inspect's own code: what is kept, edited, trimmed and summarised, the prompt of `own`, the summary message, the event.
Nothing private is called. Inspect's defaults: 0.8 of the messages stay after a trim, three tool uses and the reasoning
of one turn after an edit, no instructions for the provider's compaction. Ours: a limit that is never reached unless
`trigger=threshold` sets one, so that `force=True` makes exactly one pass; `memory=False`, since no agent here has that
tool; and the wording of the requests `neutral`, `rules` and `code`. Inspect's own prompt asks the writer to keep
constraints word for word: it is a mitigation, and the neutral prompt is the plain case.

The handler counts tokens with the writer: for Anthropic and OpenAI that is a request more, for OpenAI-compatible
servers it takes a vocabulary that is downloaded once. Where nobody writes, characters / 4 are counted.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.event import CompactionEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    CompactionAuto,
    CompactionEdit,
    CompactionNative,
    CompactionStrategy,
    CompactionSummary,
    CompactionTrim,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    compaction,
    get_model,
    modelapi,
)

from .protocol import Compacted, Work

NEUTRAL = (
    "Summarise the conversation so far so that the task can be continued from your summary alone. "
    "Keep the key context that is needed to continue.\n\n{addendums}"
)
RULES = (
    "Keep every standing rule, prohibition, limit and permission that anybody stated, word for word and with its "
    "exceptions, and say of each piece of work whether it is done, open or waiting, and for what."
)
CODE = "Keep code, commands, file paths, names, numbers and error messages exactly as they stand."
PROMPTS = {"own": (None, ""), "neutral": (NEUTRAL, ""), "rules": (NEUTRAL, RULES), "code": (None, CODE)}
NEVER_BY_ITSELF = 10**9


class Counter(ModelAPI):
    """The model in whose tokens a strategy that asks no model is counted: characters / 4, no vocabulary."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **more: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(self, *args: Any, **more: Any) -> ModelOutput:
        raise RuntimeError("a mechanical strategy asks no model")


@modelapi(name="counting")
def counting() -> type[ModelAPI]:
    """The provider, for Inspect's registry: the handler takes registered models only."""
    return Counter


class Handled:
    """One handler for the whole chain; it wants the append-only record, which is kept here."""

    def __init__(self, work: Work, strategy: CompactionStrategy, native: bool = False) -> None:
        model = work.writer or get_model("counting/characters")
        # without a model the handler counts with the evaluated one, whose vocabulary may be a download
        self.handler = compaction(strategy, prefix=list(work.prefix), tools=list(work.tools), model=model)
        self.forced, self.native = work.window is None, native
        self.record: list[ChatMessage] = []
        self._known: set[str | None] = set()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        self._note([m for m in messages if m.id not in self._known])
        before = len(transcript().events)
        view, summary = await self.handler.compact_input(self.record, force=self.forced)
        if summary is not None:
            self._note([summary])
        self._known |= {m.id for m in view}
        events = [e for e in transcript().events[before:] if isinstance(e, CompactionEvent)]
        return self._compacted(messages, self._originals(view), [event.metadata or {} for event in events])

    def _originals(self, view: list[ChatMessage]) -> list[ChatMessage]:
        """The view, with a message that a provider sent back as it was as the object that it was."""
        known = {m.id: m for m in self.record}
        return [old if (old := known.get(m.id)) is not None and old == m else m for m in view]

    def _compacted(
        self, messages: list[ChatMessage], view: list[ChatMessage], facts: list[dict[str, Any]]
    ) -> Compacted:
        reason = next((str(f["fallback_reason"]) for f in facts if f.get("fallback_reason")), None)
        by_provider = self.native and bool(facts) and reason is None
        return Compacted(
            view,
            fired=bool(facts) and view != messages,
            fallback=reason,
            summary=_provider_text(view) if by_provider else None,
            shown=(tuple(messages),) if by_provider else (),
            notes=tuple(f"passes: {', '.join(f['passes'])}" for f in facts if f.get("passes")),
        )

    def _note(self, messages: list[ChatMessage]) -> None:
        self.record += messages
        self._known |= {m.id for m in messages}


def _provider_text(view: list[ChatMessage]) -> str | None:
    """What the newest block of a provider says, where it is readable (Claude's is, OpenAI's is not)."""
    for message in reversed(view):
        for part in reversed([] if isinstance(message.content, str) else message.content):
            facts = part.data.get("compaction_metadata") if part.type == "data" else None
            if isinstance(facts, dict) and isinstance(facts.get("content"), str):
                return str(facts["content"])
    return None


def _limit(work: Work) -> int:
    return NEVER_BY_ITSELF if work.window is None else work.window


class InspectSummary(Handled):
    """`CompactionSummary`: system and opening stay word for word, no tail stays, the rest is summarised."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        prompt, asks = PROMPTS[str(work.settings["prompt"])]
        instructions = "\n".join(filter(None, (asks, work.request))) or None
        strategy = CompactionSummary(
            threshold=_limit(work), memory=False, model=work.writer, prompt=prompt, instructions=instructions
        )
        super().__init__(work, strategy)


class InspectTrim(Handled):
    """`CompactionTrim`: system, opening and the newest part of the conversation stay."""

    def __init__(self, work: Work) -> None:
        preserve = float(work.settings["preserve"])
        super().__init__(work, CompactionTrim(threshold=_limit(work), memory=False, preserve=preserve))


class InspectEdit(Handled):
    """`CompactionEdit`: old tool results and old reasoning go, the rest stays."""

    def __init__(self, work: Work) -> None:
        strategy = CompactionEdit(
            threshold=_limit(work),
            memory=False,
            keep_thinking_turns=int(work.settings["keep_thinking_turns"]),
            keep_tool_uses=int(work.settings["keep_tool_uses"]),
            keep_tool_inputs=work.settings["inputs"] == "keep",
        )
        super().__init__(work, strategy)


class InspectNative(Handled):
    """`CompactionNative`: the provider of the writer compacts. Raises NotImplementedError where it cannot."""

    def __init__(self, work: Work) -> None:
        super().__init__(work, CompactionNative(threshold=_limit(work), memory=False), native=True)


class InspectAuto(Handled):
    """`CompactionAuto`: as native, and on any failure a summary instead, which is recorded as the fallback it is."""

    def __init__(self, work: Work) -> None:
        super().__init__(work, CompactionAuto(threshold=_limit(work), memory=False), native=True)
