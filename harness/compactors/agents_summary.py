"""The session summary that OpenAI's cookbook describes for the Agents SDK, on the SDK's public `SessionABC`.

The pattern is the cookbook's: the newest user turns stay word for word, what stands before them becomes a pair (the
user asks for a summary, the assistant gives it), results of tools are cut to 600 characters on their way to the writer,
the summary has 400 tokens, and its prompt asks for a snapshot of a support case. The code and the prompt's words are
ours: the published sample is no part of the SDK and breaks on tool calls. The old pair is part of what the next summary
is written from. Ours too: a boundary forces the summary; with `context_limit` it comes when more user turns than that
are in the session, as the cookbook has it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agents.memory import SessionABC
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig

from .agents_sdk import SESSION, Fed
from .protocol import Compacted, Work
from .responses_items import Item

ASKED = "Summarize the conversation we had so far."
PROMPT = (
    "You keep the notes of a support desk. Turn the conversation below into a snapshot for whoever continues it, "
    "{size}, under these headings: environment; issue; steps tried and their results; identifiers; timeline; what "
    "tools showed; status and blockers (resolved, pending, and what blocks it); recommended next step. Leave out what "
    "newer facts replaced, check for contradictions with the instructions, mark what is uncertain, invent nothing."
)


class SummarySession(SessionABC):
    """A session that replaces its older turns by a pair of a question and its answer."""

    def __init__(self, keep_turns: int, summarise: Callable[[Sequence[Item]], Awaitable[str]]) -> None:
        self.session_id, self.session_settings = SESSION, None
        self.keep_turns, self.summarise = keep_turns, summarise
        self.items: list[Item] = []

    async def add_items(self, items: list[Any]) -> None:
        self.items += [dict(item) for item in items]

    async def get_items(self, limit: int | None = None) -> list[Any]:
        return list(self.items) if limit is None else list(self.items)[-limit:] if limit else []

    async def pop_item(self) -> Any:
        return self.items.pop() if self.items else None

    async def clear_session(self) -> None:
        self.items.clear()

    def turns(self) -> list[int]:
        """Where the user's turns begin; the pair's own question is none."""
        return [i for i, item in enumerate(self.items) if item.get("role") == "user" and _text(item) != ASKED]

    async def fold(self) -> bool:
        """Whether anything stood before the newest turns; a summary now stands for it."""
        turns = self.turns()
        cut = (
            turns[-self.keep_turns] if 0 < self.keep_turns <= len(turns) else 0 if self.keep_turns else len(self.items)
        )
        if cut == 0:
            return False
        summary = await self.summarise(self.items[:cut])
        pair = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": summary}]
        self.items = [*pair, *self.items[cut:]]
        return True


class AgentsSummary:
    """One session for the chain; the writer is asked by an ordinary call."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.writer, self.tool_chars = work.writer, int(work.settings["tool_chars"])
        self.max_tokens = work.budget or int(work.settings["max_tokens"])
        self.size = "in at most 200 words" if work.budget is None else f"in at most {work.budget} tokens"
        self.context_limit = work.settings["context_limit"]
        self.session = SummarySession(int(work.settings["keep_turns"]), self._summarise)
        self.fed = Fed()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        await self.session.add_items(await self.fed.take(messages))
        due = self.context_limit is None or len(self.session.turns()) > int(self.context_limit)
        if not due or not await self.session.fold():
            return Compacted(messages, fired=False)
        return Compacted(self.fed.back(await self.session.get_items()), fired=True)

    async def _summarise(self, items: Sequence[Item]) -> str:
        text = "\n".join(line for item in items if (line := self._line(item)))
        asked: list[ChatMessage] = [
            ChatMessageSystem(content=PROMPT.format(size=self.size)),
            ChatMessageUser(content=text),
        ]
        output = await self.writer.generate(asked, config=GenerateConfig(max_tokens=self.max_tokens))
        return output.completion

    def _line(self, item: Item) -> str:
        """The item as the writer reads it."""
        if item.get("type") == "function_call":
            return f"ASSISTANT CALLS {item['name']}: {item['arguments']}"
        if item.get("type") == "function_call_output":
            output = _text(item)
            return f"TOOL: {output[: self.tool_chars]}{' …' if len(output) > self.tool_chars else ''}"
        return f"{str(item['role']).upper()}: {_text(item)}" if "role" in item else ""


def _text(item: Item) -> str:
    content = item.get("output") if item.get("type") == "function_call_output" else item.get("content")
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(str(part.get("text", "")) for part in content)
