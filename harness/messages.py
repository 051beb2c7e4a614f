"""Conversations as Inspect messages: from authored turns, to JSON and back, and made valid after a compactor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentText,
)
from inspect_ai.tool import ToolCall, ToolCallError
from pydantic import TypeAdapter

from .blocks import block_text
from .blocks import is_opaque as is_opaque
from .blocks import is_sealed as is_sealed
from .history import Said
from .texts import changed, strings

MESSAGES: TypeAdapter[list[ChatMessage]] = TypeAdapter(list[ChatMessage])
Rows = list[dict[str, Any]]

CONTINUES = "(The conversation continues.)"


def message(said: Said, number: int) -> ChatMessage:
    """The Inspect message of an authored one; ids are positional, so that equal conversations are equal."""
    id = f"m{number:04}"
    if said.role == "system":
        return ChatMessageSystem(id=id, content=said.text)
    if said.role == "user":
        return ChatMessageUser(id=id, content=said.text, source="input" if said.origin == "opening" else None)
    if said.role == "assistant":
        calls = [ToolCall(id=call.id, function=call.tool, arguments=call.arguments) for call in said.calls]
        return ChatMessageAssistant(id=id, content=said.text, tool_calls=calls or None)
    assert said.answers is not None
    error = ToolCallError("unknown", said.text) if said.failed else None
    return ChatMessageTool(
        id=id, content=said.text, tool_call_id=said.answers.id, function=said.answers.tool, error=error
    )


def dump(messages: Sequence[ChatMessage]) -> Rows:
    """The messages as JSON. Ids that a runtime made up become positional: the same chain has the same digest."""
    rows: Rows = MESSAGES.dump_python(list(messages), mode="json", exclude_none=True)
    return [{**row, "id": row["id"] if _ours(row.get("id")) else f"x{i:04}"} for i, row in enumerate(rows)]


def load(rows: Rows) -> list[ChatMessage]:
    """The messages of their JSON."""
    return MESSAGES.validate_python(rows)


def _ours(id: str | None) -> bool:
    return bool(id) and id is not None and id[0] == "m" and id[1:].isdigit()


def text_of(messages: Sequence[ChatMessage]) -> str:
    """All that the messages say, one after the other, and the arguments of calls: what retention is graded on."""
    return "\n\n".join(text for message in messages for text in (said(message), *arguments(message)) if text)


def said(message: ChatMessage) -> str:
    """What one message says; of a tool's error what the agent reads, of a provider's block what can be read."""
    if isinstance(message, ChatMessageTool) and message.error is not None:
        return message.error.message
    block = block_text(message)
    return message.text if block is None else "\n\n".join(filter(None, (block, message.text)))


def arguments(message: ChatMessage) -> list[str]:
    """The texts in the arguments of the message's calls."""
    return [text for call in calls(message) for text in strings(call.arguments)]


def calls(message: ChatMessage) -> list[ToolCall]:
    """The tool calls of the message."""
    return message.tool_calls or [] if isinstance(message, ChatMessageAssistant) else []


# ---- what compactors leave behind is not always a conversation


def normalise(messages: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[str]]:
    """A conversation that every provider accepts, and what had to be changed for it, in words.

    Orphan tool results and unanswered calls go (a provider refuses both), a result that stands apart from its call is
    an orphan, a repeated message is kept once, and a neutral user line stands in front of a conversation that would
    begin with the assistant, unless it begins with a provider's block, which must stand first. Nothing else is touched.
    """
    notes: list[str] = []
    kept = _answered(_paired(_once(messages, notes), notes), notes)
    first = next((i for i, m in enumerate(kept) if m.role != "system"), None)
    if first is not None and kept[first].role != "user" and not is_opaque(kept[first]):
        notes.append(f"begins with {kept[first].role}: a neutral user line was put in front")
        kept.insert(first, ChatMessageUser(id="m9999", content=CONTINUES))
    return kept, notes


def _once(messages: Sequence[ChatMessage], notes: list[str]) -> list[ChatMessage]:
    """Without messages that stand there a second time."""
    seen: set[str | None] = set()
    kept = [m for m in messages if m.id is None or not (m.id in seen or seen.add(m.id))]  # type: ignore[func-returns-value]
    if len(kept) < len(messages):
        notes.append(f"{len(messages) - len(kept)} repeated message(s): removed")
    return kept


def _paired(messages: Sequence[ChatMessage], notes: list[str]) -> list[ChatMessage]:
    """Without tool results that do not follow their call."""
    kept: list[ChatMessage] = []
    waiting: set[str] = set()
    for each in messages:
        if isinstance(each, ChatMessageTool):
            if each.tool_call_id not in waiting:
                notes.append(f"tool result of {each.function} without its call: removed")
                continue
            waiting.discard(each.tool_call_id)
        else:
            waiting = {call.id for call in each.tool_calls or []} if isinstance(each, ChatMessageAssistant) else set()
        kept.append(each)
    return kept


def _answered(messages: Sequence[ChatMessage], notes: list[str]) -> list[ChatMessage]:
    """Without calls that no tool result answers."""
    kept: list[ChatMessage] = []
    for i, each in enumerate(messages):
        if isinstance(each, ChatMessageAssistant) and each.tool_calls:
            answers = _results_after(messages, i)
            calls = [call for call in each.tool_calls if call.id in answers]
            if len(calls) < len(each.tool_calls):
                notes.append(f"{len(each.tool_calls) - len(calls)} call(s) without result: removed")
                each = each.model_copy(update={"tool_calls": calls or None})
                if not calls and not each.text.strip():
                    continue
        kept.append(each)
    return kept


def _results_after(messages: Sequence[ChatMessage], start: int) -> set[str]:
    found: set[str] = set()
    for each in messages[start + 1 :]:
        if not isinstance(each, ChatMessageTool):
            break
        found.add(each.tool_call_id or "")
    return found


# ---- where each message of a compacted context comes from


@dataclass(frozen=True)
class Provenance:
    """Where a message comes from: `kept` word for word, `edited` by the compactor, `made` by it, or `normalised`."""

    fate: str
    origin: str | None = None
    turn: int | None = None
    plants: tuple[str, ...] = ()


def provenance(
    view: Sequence[ChatMessage], record: Sequence[ChatMessage], story: Sequence[Said]
) -> list[dict[str, Any]]:
    """The provenance of each message of `view`, as JSON; `record` is the uncompacted conversation of `story`."""
    known = {m.id: (m, s) for m, s in zip(record, story, strict=True)}
    return [asdict(_provenance(each, known)) for each in view]


def _provenance(each: ChatMessage, known: dict[str | None, tuple[ChatMessage, Said]]) -> Provenance:
    if each.text == CONTINUES:
        return Provenance("normalised")
    if each.id not in known:
        return Provenance("made")
    original, said_ = known[each.id]
    same = _content(original) == _content(each)
    kept_plants = said_.plants if same else ()
    return Provenance("kept" if same else "edited", said_.origin, said_.turn, kept_plants)


def _content(message: ChatMessage) -> tuple[Any, ...]:
    return message.role, said(message), [(call.id, call.function, call.arguments) for call in calls(message)]


def rewrite(message: ChatMessage, change: Callable[[str], str]) -> ChatMessage:
    """The message with every text of it changed: what it says, a tool's error, the arguments of its calls. Blocks that
    are no text stay."""
    if isinstance(message, ChatMessageTool) and message.error is not None:
        error = replace(message.error, message=change(message.error.message))
        message = message.model_copy(update={"error": error})
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        calls = [replace(call, arguments=changed(call.arguments, change)) for call in message.tool_calls]
        message = message.model_copy(update={"tool_calls": calls})
    if isinstance(message.content, str):
        return message.model_copy(update={"content": change(message.content)})
    parts = [
        p.model_copy(update={"text": change(p.text)}) if isinstance(p, ContentText) else p for p in message.content
    ]
    return message.model_copy(update={"content": parts})
