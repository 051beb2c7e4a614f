"""A server that speaks OpenAI's Responses API (with compaction: on its own, in line, by a trigger item) and Chat
Completions: encrypted items, stored responses, token counting, cached reads, streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from loopback_billing import Bill, Ledger, Segment
from loopback_openai_items import Items, check_pairs, items_of, open_seal, refusal, seal, text_of, view_of
from loopback_openai_streams import chat_chunks, response_events
from loopback_server import Body, Record, Reply
from loopback_views import Actor, Called, View, Writer, WriterFailed, brief, verbatim

OWN_PROMPT = "(the server's own prompt)"


@dataclass
class OpenAIApi:
    """The state machine. Responses are kept for `previous_response_id` unless a request says `store: false`."""

    writer: Writer = verbatim
    actor: Actor = brief
    ledger: Ledger = field(default_factory=Ledger)
    window: int = 1_000_000
    _stored: dict[str, Items] = field(default_factory=dict)
    _number: int = 0

    def answer(self, record: Record) -> Reply:
        path = record.path.removeprefix("/v1")
        if path == "/responses":
            return self._response(record)
        if path == "/responses/compact":
            return self._compact(record)
        if path == "/responses/input_tokens":
            items = self._input(record.body)
            return Reply({"object": "response.input_tokens", "input_tokens": self._size(record.body, items)})
        if path == "/chat/completions":
            return self._chat(record)
        raise refusal(f"Invalid URL (POST {record.path})", status=404)

    def fault(self, status: int, said: str) -> Body:
        return refusal(said, status=status).body

    def filtered(self, record: Record) -> Reply:
        if record.path.endswith("/chat/completions"):
            return self._chat_reply(record, {"role": "assistant", "content": ""}, "content_filter", _usage(Bill(1), 0))
        why = {"reason": "content_filter"}
        return self._response_reply(record, [], _usage(Bill(1), 0), status="incomplete", incomplete_details=why)

    # ---- Responses

    def _input(self, body: Body) -> Items:
        """The whole input: what was stored before it, and the items of this request."""
        before: Items = []
        previous = body.get("previous_response_id")
        if previous is not None:
            if previous not in self._stored:
                raise refusal(f"Previous response with id '{previous}' not found.", "previous_response_not_found")
            before = self._stored[previous]
        return [*before, *items_of(body.get("input") or [])]

    def _response(self, record: Record) -> Reply:
        items = self._input(record.body)
        triggered = [i for i, item in enumerate(items) if item.get("type") == "compaction_trigger"]
        if triggered and triggered != [len(items) - 1]:
            raise refusal("compaction_trigger must be the final input item")
        if triggered:
            items = items[:-1]
        check_pairs(items)
        size = self._size(record.body, items)
        if size > self.window:
            raise refusal("Your input exceeds the context window of this model.", "context_length_exceeded")
        made: Items = []
        bill = self.ledger.openai(_segments(record.body, items))
        threshold = next((c.get("compact_threshold") for c in record.body.get("context_management") or []), None)
        if triggered or (threshold is not None and size >= threshold):
            made = [self._summarise(record, items, OWN_PROMPT, "trigger" if triggered else "in line")]
            items = [*_users(items), *made]
        answered = made if triggered else [*made, *self._act(record, items)]
        usage = _usage(bill, self.ledger.count(json.dumps(answered)))
        reply = self._response_reply(record, answered, usage)
        if record.body.get("store", True):
            self._stored[reply.body["id"]] = [*items, *(item for item in answered if item not in items)]
        return reply

    def _compact(self, record: Record) -> Reply:
        items = self._input(record.body)
        check_pairs(items)
        if not items:
            raise refusal("input: at least one item is required")
        bill = self.ledger.openai(_segments(record.body, items))
        made = self._summarise(record, items, record.body.get("instructions") or OWN_PROMPT, "compact")
        record.usage = _usage(bill, self.ledger.count(record.summary or ""))
        kept = [self._as_output(item) for item in _users(items)]
        return Reply({
            "id": self._id("resp"), "object": "response.compaction", "created_at": 1, "output": [*kept, made],
            "usage": record.usage,
        })  # fmt: skip

    def _summarise(self, record: Record, items: Items, prompt: str, how: str) -> Body:
        """A compaction item; what it says is in the record, and in no readable form in the item."""
        record.shown, record.prompt, record.compacted = view_of(record.body, items), prompt, how
        try:
            record.summary = self.writer(record.shown, prompt) or ""
        except WriterFailed as failed:
            raise refusal(str(failed), status=500) from None
        return {"type": "compaction", "id": self._id("cmp"), "encrypted_content": seal(record.summary)}

    def _as_output(self, item: Body) -> Body:
        return {
            "type": "message", "id": self._id("msg"), "role": "user", "status": "completed",
            "content": [{"type": "input_text", "text": text_of(item["content"])}],
        }  # fmt: skip

    def _act(self, record: Record, items: Items) -> Items:
        record.saw = view_of(record.body, items)
        answer = self.actor(record.saw)
        if isinstance(answer, str):
            part = {"type": "output_text", "text": answer, "annotations": [], "logprobs": []}
            return [{"type": "message", "id": self._id("msg"), "role": "assistant", "status": "completed",
                     "content": [part]}]  # fmt: skip
        return [
            {"type": "function_call", "id": self._id("fc"), "call_id": self._id("call"), "name": called.tool,
             "arguments": json.dumps(called.arguments), "status": "completed"}
            for called in answer
        ]  # fmt: skip

    def _response_reply(self, record: Record, output: Items, usage: Body, **besides: Any) -> Reply:
        record.usage = usage
        body: Body = {
            "id": self._id("resp"), "object": "response", "created_at": 1, "status": "completed", "output": output,
            "model": record.body.get("model"), "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto",
            "tools": record.body.get("tools") or [], "error": None, "incomplete_details": None, "metadata": {},
            "instructions": record.body.get("instructions"), "temperature": 1.0, "top_p": 1.0, **besides,
        }  # fmt: skip
        return Reply(body, tuple(response_events(body)) if record.body.get("stream") else None)

    def _size(self, body: Body, items: Items) -> int:
        return self.ledger.size(_segments(body, items))

    def _id(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_{self._number:04}"

    # ---- Chat Completions

    def _chat(self, record: Record) -> Reply:
        items = list(_items_of_chat(record.body.get("messages") or []))
        check_pairs(items)
        record.saw = view_of(record.body, items)
        bill = self.ledger.openai(_segments(record.body, items))
        if bill.prompt > self.window:
            raise refusal("This model's maximum context length was exceeded.", "context_length_exceeded")
        answer = self._chat_answer(record.saw)
        room = record.body.get("max_completion_tokens") or record.body.get("max_tokens")
        if isinstance(answer, str):
            cut = answer if room is None else answer[: round(room / self.ledger.tokens_per_char)]
            message: Body = {"role": "assistant", "content": cut}
            finish = "stop" if cut == answer else "length"
        else:
            message, finish = (
                {"role": "assistant", "content": None, "tool_calls": self._chat_calls(answer)},
                "tool_calls",
            )
        usage = _usage(bill, self.ledger.count(json.dumps(message)))
        return self._chat_reply(record, message, finish, usage)

    def _chat_answer(self, view: View) -> str | list[Called]:
        """A request without tools is one for a summary: here the writer is asked by an ordinary call."""
        if view.tools:
            return self.actor(view)
        try:
            return self.writer(view, view.parts[-1].text if view.parts else "") or ""
        except WriterFailed as failed:
            raise refusal(str(failed), status=500) from None

    def _chat_calls(self, called: list[Called]) -> list[Body]:
        return [
            {"id": self._id("call"), "type": "function",
             "function": {"name": each.tool, "arguments": json.dumps(each.arguments)}}
            for each in called
        ]  # fmt: skip

    def _chat_reply(self, record: Record, message: Body, finish: str, usage: Body) -> Reply:
        record.usage = {
            "prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"],
            "total_tokens": usage["total_tokens"], "prompt_tokens_details": usage["input_tokens_details"],
        }  # fmt: skip
        body: Body = {
            "id": self._id("chatcmpl"), "object": "chat.completion", "created": 1, "model": record.body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": record.usage,
        }  # fmt: skip
        if not record.body.get("stream"):
            return Reply(body)
        return Reply(body, tuple(chat_chunks(body, record.body)), "data: [DONE]\n\n")


def _users(items: Items) -> Items:
    return [item for item in items if item.get("role") == "user"]


def _segments(body: Body, items: Items) -> list[Segment]:
    """The prompt piece by piece, as it is counted and cached; a sealed item counts as what is in it."""
    first = [json.dumps(tool, sort_keys=True) for tool in body.get("tools") or []]
    said = [body["instructions"]] if body.get("instructions") else []
    rest = [open_seal(i) if i.get("type") == "compaction" else json.dumps(i, sort_keys=True) for i in items]
    return [Segment(text) for text in (*first, *said, *rest)]


def _usage(bill: Bill, output: int) -> Body:
    return {
        "input_tokens": bill.prompt, "output_tokens": output, "total_tokens": bill.prompt + output,
        "input_tokens_details": {"cached_tokens": bill.read, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip


def _items_of_chat(messages: list[Body]) -> Iterator[Body]:
    """Chat messages as items, so that both APIs share one view and one check of pairs."""
    for message in messages:
        if message["role"] == "tool":
            yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            continue
        if message.get("content"):
            yield {"type": "message", "role": message["role"], "content": message["content"]}
        for call in message.get("tool_calls") or []:
            yield {"type": "function_call", "call_id": call["id"], **call["function"]}
