"""A server that speaks Claude's Messages API: threshold compaction, compaction on demand with signed blocks, clearing
of tool results, token counting, prompt caching, streaming. It decides by its own count whether it compacts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from loopback_billing import HOUR, MINUTES_5, Bill, Ledger, Segment
from loopback_claude_checks import (
    CLEAR_TOOLS,
    COMPACT,
    Turns,
    check_parameters,
    check_turns,
    edits_of,
    expanded,
    refusal,
    sign,
    turns_of,
)
from loopback_server import ApiError, Body, Record, Reply
from loopback_views import Actor, Called, Part, View, Writer, WriterFailed, brief, verbatim

OWN_PROMPT = "(the server's own prompt)"
OWN_TRIGGER = 150_000
CLEARED = "[cleared]"


@dataclass
class ClaudeApi:
    """The state machine. `deltas` splits a streamed summary into so many pieces; `rejects_encrypted` refuses threshold
    blocks that carry `encrypted_content`, even null (anthropic-sdk-python#1828); `encrypts` puts it into them."""

    writer: Writer = verbatim
    actor: Actor = brief
    ledger: Ledger = field(default_factory=Ledger)
    window: int = 1_000_000
    deltas: int = 1
    rejects_encrypted: bool = False
    encrypts: bool = False
    _number: int = 0

    def answer(self, record: Record) -> Reply:
        if record.path == "/v1/messages":
            return self._message(record)
        if record.path == "/v1/messages/count_tokens":
            turns = self._turns({"max_tokens": 1, **record.body}, record)
            record.saw = view_of(record.body, turns)
            return Reply({"input_tokens": self.ledger.size(segments(record.body, turns))})
        raise refusal(f"no route {record.path}", status=404)

    def fault(self, status: int, said: str) -> Body:
        return refusal(said, status=status).body

    def filtered(self, record: Record) -> Reply:
        return self._reply(record, [], "refusal", {"input_tokens": 1, "output_tokens": 0}, [])

    def _turns(self, body: Body, record: Record) -> Turns:
        check_parameters(body, record)
        turns = expanded(turns_of(body), body, record, self.rejects_encrypted)
        check_turns(turns, on_demand=body.get("compaction") is not None or record.path.endswith("count_tokens"))
        return turns

    def _message(self, record: Record) -> Reply:
        body = record.body
        turns = self._turns(body, record)
        if self.ledger.size(segments(body, turns)) > self.window:
            raise refusal(f"prompt is too long: more than {self.window} tokens")
        if body.get("compaction") is not None:
            return self._on_demand(record, turns)
        applied = [each for edit in edits_of(body) if (each := self._clear(edit, turns, record)) is not None]
        edit = next((edit for edit in edits_of(body) if edit["type"] == COMPACT), None)
        if edit is None or self.ledger.size(segments(body, turns)) < _trigger(edit, OWN_TRIGGER):
            content, stop, usage = self._sample(record, turns)
            return self._reply(record, content, stop, usage, applied)
        return self._threshold(record, turns, edit, applied)

    # ---- compaction

    def _on_demand(self, record: Record, turns: Turns) -> Reply:
        prompt = (record.body["compaction"].get("instructions") or "").strip() or OWN_PROMPT
        iteration = self._write(record, turns, prompt, "on demand")
        block: Body = {"type": "compaction", "content": record.summary, "encrypted_content": None, "tool_changes": []}
        if record.summary is not None:
            block["signature"] = sign(record.summary, [])
        return self._reply(record, [block], "compaction", self._usage([iteration]), [])

    def _threshold(self, record: Record, turns: Turns, edit: Body, applied: list[Body]) -> Reply:
        iteration = self._write(record, turns, edit.get("instructions") or OWN_PROMPT, "threshold")
        self._number += 1
        sealed = f"sealed-{self._number}" if self.encrypts else None
        block = {"type": "compaction", "content": record.summary, "encrypted_content": sealed}
        if edit.get("pause_after_compaction"):
            return self._reply(record, [block], "compaction", self._usage([iteration]), applied)
        left = turns if record.summary is None else [{"role": "assistant", "content": [block]}]
        content, stop, usage = self._sample(record, left)
        usage = {**usage, "iterations": [iteration, {"type": "message", **usage}]}
        record.usage = usage
        return self._reply(record, [block, *content], stop, usage, applied)

    def _write(self, record: Record, turns: Turns, prompt: str, how: str) -> Body:
        """The usage of a summary that is now in the record."""
        record.shown, record.prompt, record.compacted = view_of(record.body, turns), prompt, how
        try:
            record.summary = self.writer(record.shown, prompt)
        except WriterFailed as failed:
            raise refusal(str(failed), status=500) from None
        bill = self.ledger.claude(segments(record.body, turns))
        return {"type": "compaction", **_billed(bill, self.ledger.count(record.summary or ""))}

    def _clear(self, edit: Body, turns: Turns, record: Record) -> Body | None:
        """The oldest tool results give way to a placeholder; what was done, or None where the trigger is not met."""
        if edit["type"] != CLEAR_TOOLS:
            return None
        before = self.ledger.size(segments(record.body, turns))
        results = [b for turn in turns for b in turn["content"] if b.get("type") == "tool_result"]
        by_uses = (edit.get("trigger") or {}).get("type") == "tool_uses"
        old = results[: max(0, len(results) - (edit.get("keep") or {}).get("value", 3))]
        if (len(results) if by_uses else before) < _trigger(edit, 100_000) or not old:
            return None
        for block in old:
            block["content"] = CLEARED
        record.cleared = len(old)
        saved = before - self.ledger.size(segments(record.body, turns))
        return {"type": CLEAR_TOOLS, "cleared_tool_uses": len(old), "cleared_input_tokens": saved}

    # ---- the model's turn

    def _sample(self, record: Record, turns: Turns) -> tuple[list[Body], str, Body]:
        record.saw = view_of(record.body, turns)
        answer = self.actor(record.saw)
        bill = self.ledger.claude(segments(record.body, turns))
        if isinstance(answer, str):
            room = round(record.body["max_tokens"] / self.ledger.tokens_per_char)
            stop = "end_turn" if len(answer) <= room else "max_tokens"
            content: list[Body] = [{"type": "text", "text": answer[:room]}]
        else:
            content, stop = [self._call(called) for called in answer], "tool_use"
        record.usage = _billed(bill, self.ledger.count(json.dumps(content)))
        return content, stop, record.usage

    def _call(self, called: Called) -> Body:
        self._number += 1
        return {"type": "tool_use", "id": f"toolu_{self._number:04}", "name": called.tool, "input": called.arguments}

    def _usage(self, iterations: list[Body]) -> Body:
        """Of a message that is a block alone: the top level counts no compaction."""
        return {**_billed(Bill(0), 0), "iterations": iterations}

    def _reply(self, record: Record, content: list[Body], stop: str, usage: Body, applied: list[Body]) -> Reply:
        record.usage = usage
        self._number += 1
        message: Body = {
            "id": f"msg_{self._number:04}", "type": "message", "role": "assistant", "model": record.body.get("model"),
            "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if edits_of(record.body):
            message["context_management"] = {"applied_edits": applied}
        return Reply(message, tuple(_stream(message, self.deltas)) if record.body.get("stream") else None)


def _trigger(edit: Body, default: int) -> int:
    return int((edit.get("trigger") or {}).get("value", default))


def _billed(bill: Bill, output: int) -> Body:
    return {
        "input_tokens": bill.fresh, "output_tokens": output, "cache_read_input_tokens": bill.read,
        "cache_creation_input_tokens": bill.written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": bill.written - bill.written_hour,
            "ephemeral_1h_input_tokens": bill.written_hour,
        },
    }  # fmt: skip


# ---- what the model sees


def view_of(body: Body, turns: Turns) -> View:
    """The view of expanded turns."""
    parts = [part for turn in turns for block in turn["content"] for part in _parts(turn["role"], block)]
    return View(
        _text(body.get("system")), tuple(tool.get("name", "") for tool in body.get("tools") or []), tuple(parts)
    )


def _parts(role: str, block: Body) -> Iterator[Part]:
    if block["type"] == "text":
        yield Part(role, "text", block["text"])
    elif block["type"] == "tool_use":
        yield Part(role, "call", "", block["name"], block["input"], block["id"])
    elif block["type"] == "tool_result":
        yield Part(role, "result", _text(block.get("content")), id=block["tool_use_id"])
    elif block["type"] == "compaction" and block.get("content") is not None:
        yield Part(role, "summary", block["content"])


def _text(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(str(block.get("text", "")) for block in content)


def segments(body: Body, turns: Turns) -> list[Segment]:
    """The prompt block by block, as it is counted and cached: tools, system, messages."""
    blocks = [*(body.get("tools") or []), *_system(body.get("system")), *(b for t in turns for b in t["content"])]
    made = [Segment(_bare(block), _keeps(block.get("cache_control"))) for block in blocks]
    if body.get("cache_control") and made:
        made[-1] = Segment(made[-1].text, _keeps(body["cache_control"]))
    return made


def _system(system: Any) -> list[Body]:
    return [{"type": "text", "text": system}] if isinstance(system, str) else list(system or [])


def _bare(block: Body) -> str:
    return json.dumps({k: v for k, v in block.items() if k != "cache_control"}, sort_keys=True, ensure_ascii=False)


def _keeps(control: Body | None) -> float | None:
    return None if control is None else HOUR if control.get("ttl") == "1h" else MINUTES_5


# ---- streaming


def _stream(message: Body, deltas: int) -> Iterator[Body]:
    """The message as events. A compaction block starts with an empty text, as the SDK's own tests have it."""
    usage = message["usage"]
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None,
                                                "usage": {**usage, "output_tokens": 0}}}  # fmt: skip
    for i, block in enumerate(message["content"]):
        start, pieces = _pieces(block, deltas)
        yield {"type": "content_block_start", "index": i, "content_block": start}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": i, "delta": piece}
        yield {"type": "content_block_stop", "index": i}
    managed = {"context_management": message["context_management"]} if "context_management" in message else {}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
           "usage": usage, **managed}  # fmt: skip
    yield {"type": "message_stop"}


def _pieces(block: Body, deltas: int) -> tuple[Body, list[Body]]:
    if block["type"] == "tool_use":
        whole = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        return {**block, "input": {}}, [whole]
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    signed = {key: block[key] for key in ("signature", "tool_changes") if key in block}
    content = block["content"]
    size = -(-len(content) // deltas) if content else 1
    cut = [content[i : i + size] for i in range(0, len(content), size)] if content else [content]
    made = [{"type": "compaction_delta", "content": c, "encrypted_content": block["encrypted_content"]} for c in cut]
    return {"type": "compaction", "content": "", **signed}, made


__all__ = ["CLEARED", "OWN_PROMPT", "ApiError", "ClaudeApi"]
