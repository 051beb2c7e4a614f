"""Items of the Responses API behind the loopback server: what is refused, what is sealed, what the model sees."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from loopback_server import ApiError, Body
from loopback_views import Part, View

Items = list[Body]
_SECRET = b"loopback"


def refusal(said: str, code: str | None = None, status: int = 400) -> ApiError:
    kind = {429: "rate_limit_error", 500: "server_error"}.get(status, "invalid_request_error")
    return ApiError(status, {"error": {"type": kind, "message": said, "code": code, "param": None}})


def items_of(given: Any) -> Items:
    """The items of an input. Raises ApiError for a sealed item that was altered."""
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    items = [dict(item) for item in given]
    for item in items:
        if item.get("type") == "compaction":
            open_seal(item)
    return items


def check_pairs(items: Items) -> None:
    """Raises ApiError for a result without its call, or a call without its result."""
    calls = {item["call_id"] for item in items if item.get("type") == "function_call"}
    results = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    for call in sorted(results - calls):
        raise refusal(f"No tool call found for function call output with call_id {call}.")
    for call in sorted(calls - results):
        raise refusal(f"No tool output found for function call {call}.")


# ---- seals


def _stream(nonce: bytes, size: int) -> bytes:
    made = b""
    for number in count():
        if len(made) >= size:
            return made[:size]
        made += hashlib.sha256(_SECRET + nonce + number.to_bytes(4, "big")).digest()
    raise AssertionError


def _mix(nonce: bytes, data: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(data, _stream(nonce, len(data)), strict=True))


def seal(text: str) -> str:
    """The text, encrypted and signed: nobody but this server can read or alter it."""
    data = text.encode()
    nonce = hashlib.sha256(data).digest()[:8]
    mixed = nonce + _mix(nonce, data)
    return "gAAAA" + base64.b64encode(hmac.new(_SECRET, mixed, hashlib.sha256).digest() + mixed).decode()


def open_seal(item: Body) -> str:
    """The text of a compaction item. Raises ApiError where it was altered."""
    altered = refusal("The encrypted content could not be verified.", "invalid_encrypted_content")
    try:
        raw = base64.b64decode(item["encrypted_content"].removeprefix("gAAAA"), validate=True)
    except ValueError:
        raise altered from None
    tag, mixed = raw[:32], raw[32:]
    if not hmac.compare_digest(tag, hmac.new(_SECRET, mixed, hashlib.sha256).digest()):
        raise altered
    return _mix(mixed[:8], mixed[8:]).decode()


# ---- what the model sees


def view_of(body: Body, items: Items) -> View:
    """The view of items, sealed ones opened."""
    system = [body["instructions"]] if body.get("instructions") else []
    system += [text_of(item["content"]) for item in items if item.get("role") in ("system", "developer")]
    tools = [tool.get("name") or tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
    return View("\n".join(system), tuple(tools), tuple(part for item in items for part in _parts(item)))


def _parts(item: Body) -> Iterator[Part]:
    kind = item.get("type", "message")
    if kind == "function_call":
        yield Part("assistant", "call", "", item["name"], json.loads(item["arguments"] or "{}"), item["call_id"])
    elif kind == "function_call_output":
        yield Part("tool", "result", text_of(item["output"]), id=item["call_id"])
    elif kind == "compaction":
        yield Part("user", "summary", open_seal(item))
    elif item.get("role") in ("user", "assistant"):
        yield Part(item["role"], "text", text_of(item["content"]))


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)
