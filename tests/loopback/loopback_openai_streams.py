"""Answers of the OpenAI-like server as events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from loopback_server import Body


def response_events(response: Body) -> Iterator[Body]:
    """A response as the Responses API streams it."""
    number = count()
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    for event in ("response.created", "response.in_progress"):
        yield {"type": event, "response": begun, "sequence_number": next(number)}
    for i, item in enumerate(response["output"]):
        for event in _item_events(i, item):
            yield {**event, "sequence_number": next(number)}
    last = "response.completed" if response["status"] == "completed" else "response.incomplete"
    yield {"type": last, "response": response, "sequence_number": next(number)}


def _item_events(i: int, item: Body) -> Iterator[Body]:
    place = {"output_index": i, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": i, "item": _begun(item)}
    if item["type"] == "message":
        part = item["content"][0]
        here = {**place, "content_index": 0}
        yield {"type": "response.content_part.added", **here, "part": {**part, "text": ""}}
        yield {"type": "response.output_text.delta", **here, "delta": part["text"], "logprobs": []}
        yield {"type": "response.output_text.done", **here, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **here, "part": part}
    if item["type"] == "function_call":
        yield {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]}
        said = {"arguments": item["arguments"], "name": item["name"]}
        yield {"type": "response.function_call_arguments.done", **place, **said}
    yield {"type": "response.output_item.done", "output_index": i, "item": item}


def _begun(item: Body) -> Body:
    empty = {"message": {"content": []}, "function_call": {"arguments": ""}}.get(item["type"], {})
    return {**item, **empty, **({"status": "in_progress"} if "status" in item else {})}


def chat_chunks(body: Body, asked: Body) -> Iterator[Body]:
    """A chat completion as chunks; usage stands in the last one where it was asked for."""
    choice = body["choices"][0]
    message = choice["message"]
    calls = [{"index": i, **call} for i, call in enumerate(message.get("tool_calls") or [])]
    delta = {"role": "assistant", "content": message["content"], **({"tool_calls": calls} if calls else {})}
    begun = {"id": body["id"], "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    yield {**begun, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**begun, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if (asked.get("stream_options") or {}).get("include_usage"):
        yield {**begun, "choices": [], "usage": body["usage"]}
