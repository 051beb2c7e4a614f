"""Conversations as Inspect messages: from authored turns, to JSON and back, and made valid after a compactor."""

from __future__ import annotations

import re
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
NO_CALL, NO_RESULT = "without its call: removed", "without result: removed"


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


def is_orphan_note(note: str) -> bool:
    """Whether a note of `normalise` tells of a result without a call, or a call without a result."""
    return note.endswith((NO_CALL, NO_RESULT))


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
                notes.append(f"tool result of {each.function} {NO_CALL}")
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
                notes.append(f"{len(each.tool_calls) - len(calls)} call(s) {NO_RESULT}")
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
    """Where a message comes from: `kept` word for word, `edited` or `tombstoned` (emptied, with a mark) by a compactor,
    `made` by it, `added` by a mitigation, or `normalised`. `of` is the message of the uncompacted conversation that it
    stands for: a runtime that edits a tool result may give it another id."""

    fate: str
    origin: str | None = None
    turn: int | None = None
    plants: tuple[str, ...] = ()
    of: str | None = None


def provenance(
    view: Sequence[ChatMessage], record: Sequence[ChatMessage], story: Sequence[Said]
) -> list[dict[str, Any]]:
    """The provenance of each message of `view`, as JSON; `record` is the uncompacted conversation of `story`."""
    pairs = list(zip(record, story, strict=True))
    known: Known = {m.id: (m, s) for m, s in pairs}
    # a call has one result: what answers it is that result, whatever id it has now
    known |= {_answering(m): (m, s) for m, s in pairs if m.role == "tool"}
    return [asdict(_provenance(each, known)) for each in view]


Known = dict[object, tuple[ChatMessage, Said]]


def _answering(message: ChatMessage) -> object:
    return ("answers", message.tool_call_id) if isinstance(message, ChatMessageTool) else None


def _provenance(each: ChatMessage, known: Known) -> Provenance:
    if each.text == CONTINUES:
        return Provenance("normalised")
    found = known.get(each.id) or known.get(_answering(each))
    if found is None:
        return Provenance("added" if is_added(each) else "made")
    original, said_ = found
    if _content(original) == _content(each):
        return Provenance("kept", said_.origin, said_.turn, said_.plants, original.id)
    fate = "tombstoned" if is_tombstone(said(each)) else "edited"
    return Provenance(fate, said_.origin, said_.turn, (), original.id)


ADDED = range(90_000, 91_000)  # ids of messages that a mitigation adds


def added_id(number: int) -> str:
    """The id of the number-th message that a mitigation adds to a chain."""
    return f"m{ADDED.start + number}"


def is_added(message: ChatMessage) -> bool:
    """Whether a mitigation put the message there."""
    return _ours(message.id) and int(str(message.id)[1:]) in ADDED


# what runtimes, and our planner, put in the place of a tool result: short, and nothing of the result is left
TOMBSTONE = re.compile(r"\s*(?:\[EVICTED:|\(tool result removed\)|\[(?:cleared|old tool result)\b)", re.IGNORECASE)


def is_tombstone(text: str) -> bool:
    """Whether a text says that something stood in its place and holds none of it.

    >>> is_tombstone("[EVICTED:tool_result@t11:recover=read_mail]"), is_tombstone("[cleared]")
    (True, True)
    >>> is_tombstone("The form was cleared.")
    False
    """
    return bool(TOMBSTONE.match(text))


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
