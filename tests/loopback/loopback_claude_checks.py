"""What the Claude API refuses: betas that are missing, blocks that were altered, calls and results that do not pair."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from typing import Any

from loopback_server import ApiError, Body, Record

THRESHOLD, DEMAND, EDITING = "compact-2026-01-12", "compact-2026-09-04", "context-management-2025-06-27"
COMPACT, CLEAR_TOOLS, CLEAR_THINKING = "compact_20260112", "clear_tool_uses_20250919", "clear_thinking_20251015"
LEAST_TRIGGER = 50_000
_SECRET = b"loopback"
_TYPES = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}

Turns = list[Body]


def refusal(said: str, code: str | None = None, status: int = 400) -> ApiError:
    error: Body = {"type": _TYPES.get(status, "api_error"), "message": said}
    if code is not None:
        error["details"] = {"error_code": code}
    return ApiError(status, {"type": "error", "error": error, "request_id": "req_loopback"})


def sign(content: str | None, tool_changes: Any) -> str:
    """The signature of an on-demand block."""
    signed = json.dumps([content, tool_changes], sort_keys=True).encode()
    return base64.b64encode(hmac.new(_SECRET, signed, hashlib.sha256).digest()).decode()


def turns_of(body: Body) -> Turns:
    """The messages with their content as lists of blocks."""
    turns = [{"role": m["role"], "content": _blocks(m["content"])} for m in body.get("messages", [])]
    if not turns:
        raise refusal("messages: at least one message is required")
    return turns


def _blocks(content: Any) -> list[Body]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else [dict(block) for block in content or []]


def edits_of(body: Body) -> list[Body]:
    return list((body.get("context_management") or {}).get("edits", []))


def check_parameters(body: Body, record: Record) -> None:
    """Raises ApiError for parameters whose beta is not asked for, that exclude each other, or are out of range."""
    edits, on_demand = edits_of(body), body.get("compaction")
    for i, edit in enumerate(edits):
        kind, value = edit.get("type"), (edit.get("trigger") or {}).get("value", LEAST_TRIGGER)
        if kind == COMPACT and THRESHOLD not in record.betas:
            raise refusal(f"context_management.edits.{i}: {COMPACT} requires the beta {THRESHOLD}")
        if kind in (CLEAR_TOOLS, CLEAR_THINKING) and EDITING not in record.betas:
            raise refusal("context_management: Extra inputs are not permitted")
        if kind == COMPACT and value < LEAST_TRIGGER:
            place = f"context_management.edits.{i}.trigger.value"
            raise refusal(f"{place}: Input should be greater than or equal to {LEAST_TRIGGER}")
    if on_demand is not None and DEMAND not in record.betas:
        raise refusal("compaction: Extra inputs are not permitted")
    if on_demand is not None and edits:
        raise refusal("compaction: cannot be combined with context_management")
    if "thread" in body:
        raise refusal("thread: this server keeps no threads")
    if not isinstance(body.get("max_tokens"), int):
        raise refusal("max_tokens: Field required")


def expanded(turns: Turns, body: Body, record: Record, rejects_encrypted: bool) -> Turns:
    """The turns as the model sees them: what stands before the last compaction block is dropped.

    Raises ApiError for a block that is misplaced, altered, or not signed where its kind must be.
    """
    found = list(_compactions(turns))
    if found and not {THRESHOLD, DEMAND} & set(record.betas):
        raise refusal("messages: compaction blocks require a compaction beta")
    for i, j in found:
        _check_block(turns[i]["content"][j], f"messages.{i}.content.{j}", record, rejects_encrypted)
    places = [(i, j) for i, j in found if turns[i]["content"][j].get("content") is not None]
    if places and DEMAND in record.betas:
        _check_signed(turns, places, body)
    if not places:
        return turns
    i, j = places[-1]
    return [{"role": turns[i]["role"], "content": turns[i]["content"][j:]}, *turns[i + 1 :]]


def _compactions(turns: Turns) -> Iterator[tuple[int, int]]:
    for i, turn in enumerate(turns):
        for j, block in enumerate(turn["content"]):
            if block.get("type") == "compaction":
                yield i, j


def _check_block(block: Body, place: str, record: Record, rejects_encrypted: bool) -> None:
    if block.get("content") == "":
        raise refusal(f"{place}.compaction.content: must not be empty")
    if rejects_encrypted and DEMAND not in record.betas and "encrypted_content" in block:
        raise refusal(f"{place}.compaction.encrypted_content: Extra inputs are not permitted")


def _check_signed(turns: Turns, places: Sequence[tuple[int, int]], body: Body) -> None:
    if edits_of(body):
        raise refusal("a signed compaction block cannot be sent with context_management")
    if len(places) > 1:
        raise refusal("more than one compaction block", "compaction_block_ambiguous")
    if places[0] != (0, 0):
        raise refusal("the compaction block is not the first block", "compaction_block_misplaced")
    block = turns[0]["content"][0]
    if not block.get("signature"):
        raise refusal("the compaction block has no signature", "compaction_signature_invalid")
    if block["signature"] != sign(block["content"], block.get("tool_changes") or []):
        raise refusal("the compaction block differs from what was signed", "compaction_content_mismatch")


def check_turns(turns: Turns, on_demand: bool) -> None:
    """Raises ApiError for a conversation that begins with the assistant, ends with it, or whose calls and results do
    not pair."""
    first, last = turns[0], turns[-1]
    if first["role"] != "user" and not any(b["type"] == "compaction" for b in first["content"]):
        raise refusal('messages: first message must use the "user" role')
    waiting: set[str] = set()
    for i, turn in enumerate(turns):
        results = {b["tool_use_id"] for b in turn["content"] if b.get("type") == "tool_result"}
        if results - waiting:
            raise refusal(f"messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {results - waiting}")
        if waiting - results:
            raise refusal(f"messages.{i}: `tool_use` ids were found without `tool_result` blocks: {waiting - results}")
        calls = [b["id"] for b in turn["content"] if b.get("type") == "tool_use"]
        waiting = set(calls) if turn["role"] == "assistant" else set()
    if waiting and on_demand:
        raise refusal("the conversation ends on an unfinished turn", "compaction_incomplete_turn")
    if last["role"] == "assistant" and not on_demand:
        raise refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
