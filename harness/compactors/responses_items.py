"""Conversations as items of the Responses API, as the OpenAI Agents SDK keeps them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentData,
    messages_to_openai_responses,
)

Item = dict[str, Any]


class Sent:
    """Every item that a session was given, each with the message that it comes from."""

    def __init__(self) -> None:
        self.messages: list[ChatMessage] = []
        self._items: list[tuple[Item, int]] = []
        self._known: set[str | None] = set()

    async def take(self, messages: Sequence[ChatMessage]) -> list[Item]:
        """The items of the messages that were not seen before."""
        taken: list[Item] = []
        for message in messages:
            if message.id in self._known:
                continue
            self._known.add(message.id)
            items = [dict(item) for item in await messages_to_openai_responses([message])]
            self._items += [(item, len(self.messages)) for item in items]
            self.messages.append(message)
            taken += items
        return taken

    def back(self, items: Sequence[Item]) -> list[ChatMessage]:
        """The messages of items. What was left alone comes back as the same object, what a runtime left in part as a
        part of it; new items become new messages, which are known from now on."""
        groups = _grouped(items, self._origins(items))
        made = [self._message(source, group) for source, group in groups]
        self._known |= {message.id for message in made}
        return made

    def _origins(self, items: Sequence[Item]) -> list[int | None]:
        """The index of the message that each item comes from, None for a new one; read from the end, as runtimes keep
        the newest items and equal texts may stand there twice."""
        place, origins = len(self._items), list[int | None]()
        for item in reversed(items):
            found = next((i for i in range(place - 1, -1, -1) if _key(self._items[i][0]) == _key(item)), None)
            origins.append(None if found is None else self._items[found][1])
            place = place if found is None else found
        return origins[::-1]

    def _message(self, source: int | None, group: list[Item]) -> ChatMessage:
        if source is None:
            return _new(group[0])
        own = [item for item, origin in self._items if origin == source]
        message = self.messages[source]
        if [_said(item) for item in own] == [_said(item) for item in group]:
            return message
        if isinstance(message, ChatMessageTool):
            return message.model_copy(update={"content": _text(group[0]["output"]), "error": None})
        assert isinstance(message, ChatMessageAssistant), "only calls and results are left in part"
        calls = {item["call_id"] for item in group if item.get("type") == "function_call"}
        left = [call for call in message.tool_calls or [] if call.id in calls]
        content = message.content if any(item.get("type", "message") == "message" for item in group) else ""
        return message.model_copy(update={"content": content, "tool_calls": left or None})


def _grouped(items: Sequence[Item], origins: Sequence[int | None]) -> list[tuple[int | None, list[Item]]]:
    groups: list[tuple[int | None, list[Item]]] = []
    for item, origin in zip(items, origins, strict=True):
        if groups and origin is not None and groups[-1][0] == origin:
            groups[-1][1].append(item)
        else:
            groups.append((origin, [item]))
    return groups


def _key(item: Item) -> tuple[Any, ...]:
    """What an item is known by, though a runtime may have changed its text, added an id or left one out."""
    kind = item.get("type", "message")
    if kind in ("function_call", "function_call_output"):
        return kind, item["call_id"]
    if kind in ("compaction", "reasoning"):
        return kind, item.get("encrypted_content"), item.get("id")
    return "message", item.get("role"), _text(item.get("content"))


def _said(item: Item) -> tuple[Any, ...]:
    return *_key(item), _text(item.get("output")), item.get("arguments")


def _text(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(str(part.get("text", "")) for part in content)


def _new(item: Item) -> ChatMessage:
    """The message of an item that a runtime or a provider made. Raises TypeError for a kind that none makes."""
    kind, role = item.get("type", "message"), item.get("role")
    if kind == "compaction":
        block = {"type": "openai_compact", "id": item.get("id"), "encrypted_content": item["encrypted_content"]}
        return ChatMessageUser(content=[ContentData(data={"compaction_metadata": block})])
    if kind == "message" and role in ("user", "assistant"):
        made = ChatMessageUser if role == "user" else ChatMessageAssistant
        return made(content=_text(item["content"]))
    raise TypeError(f"no message is made of an item of the type {kind}, role {role}")
