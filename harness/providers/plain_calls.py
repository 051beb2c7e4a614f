"""Tool calls for a model that only chats: written into the prompt, held to a JSON schema, read back.

Templates of small models drop tools silently, so the tools are described in the system message and the answer is
constrained to one call. The schema bounds every string: a tiny model fills an unbounded one until it is cut off.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolFunction, ToolInfo

MAX_TOKENS = 128  # enough for one bounded call, and for a plain text to be long enough to look at
TEXT_LIMIT = 40  # characters of a string argument
REPLY_LIMIT = 200  # characters of a reply where a call was possible
ITEM_LIMIT = 4  # elements of a list argument
UNPARSED = "unparsed"  # the tool's name in a call that could not be read
SEEDS = 2**32 - 1  # the runtime takes 2**32 - 1 itself to mean "draw one"


# ── what is asked ──────────────────────────────────────────────────────────────────────────────────────────────────


def chat_request(
    messages: Sequence[ChatMessage], tools: Sequence[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
) -> dict[str, Any]:
    """The request: plain messages, sampling settings and, where tools may be called, the schema of the answer."""
    plain = [as_plain(message) for message in messages]
    request: dict[str, Any] = {
        "messages": plain,
        "seed": secrets.randbelow(SEEDS) if config.seed is None else config.seed % SEEDS,
        "max_tokens": config.max_tokens or MAX_TOKENS,
        "temperature": 0.7 if config.temperature is None else config.temperature,
        "cache_prompt": False,  # with a warm cache the same seed gives another text
    }
    optional = {"top_p": config.top_p, "top_k": config.top_k, "stop": config.stop_seqs}
    request |= {name: value for name, value in optional.items() if value is not None}
    if offered := callable_tools(tools, tool_choice):
        request["messages"] = with_tools(plain, offered)
        schema = answer_schema(offered, may_reply=tool_choice == "auto")
        request["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    return request


def callable_tools(tools: Sequence[ToolInfo], tool_choice: ToolChoice) -> list[ToolInfo]:
    """The tools that this answer may call: none, the one that is named, or all."""
    if tool_choice == "none":
        return []
    if isinstance(tool_choice, ToolFunction):
        return [tool for tool in tools if tool.name == tool_choice.name]
    return list(tools)


def as_plain(message: ChatMessage) -> dict[str, str]:
    """The message as role and text; every call of a message is a line of JSON, as the model is asked to write them."""
    if isinstance(message, ChatMessageTool):
        said = f"Error: {message.error.message}" if message.error else message.text
        return {"role": "user", "content": f"Result of {message.function or 'the tool'}: {said}"}
    if isinstance(message, ChatMessageAssistant):
        calls = [json.dumps({"name": call.function, "arguments": call.arguments}) for call in message.tool_calls or []]
        return {"role": "assistant", "content": "\n".join([message.text, *calls] if message.text else calls)}
    return {"role": message.role, "content": message.text}


def with_tools(plain: Sequence[dict[str, str]], tools: Sequence[ToolInfo]) -> list[dict[str, str]]:
    """The messages with the tools described at the end of the system message."""
    lines = [signature(tool) for tool in tools]
    block = "\n".join(['Tools (answer with one JSON object {"name": ..., "arguments": {...}}):', *lines])
    if plain and plain[0]["role"] == "system":
        return [{"role": "system", "content": f"{plain[0]['content']}\n\n{block}"}, *plain[1:]]
    return [{"role": "system", "content": block}, *plain]


def signature(tool: ToolInfo) -> str:
    """The tool in a line. The schema holds the answer to its form; written out here, it would be most of the prompt."""
    required = tool.parameters.required
    names = [name if name in required else f"{name}?" for name in tool.parameters.properties]
    return f"{tool.name}({', '.join(names)}): {tool.description}"


def answer_schema(tools: Sequence[ToolInfo], may_reply: bool) -> dict[str, Any]:
    """The schema of one call of one of the tools or, where the model may, of a reply in words."""
    answers = [
        closed({"name": {"const": tool.name}, "arguments": bounded(tool.parameters.model_dump(exclude_none=True))})
        for tool in tools
    ]
    if may_reply:
        answers.append(closed({"reply": {"type": "string", "maxLength": REPLY_LIMIT}}))
    return {"anyOf": answers}


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """An object schema with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with an upper length on every string and list, and no pattern: the runtime reads few of those."""
    out = {key: value for key, value in schema.items() if key not in ("pattern", "default", "examples")}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = bounded(out[key])
    if "properties" in out:
        out["properties"] = {name: bounded(inner) for name, inner in out["properties"].items()}
    if "anyOf" in out:
        out["anyOf"] = [bounded(inner) for inner in out["anyOf"]]
    types = out.get("type", ())
    if "string" in types and "enum" not in out:
        out["maxLength"] = max(min(out.get("maxLength", TEXT_LIMIT), TEXT_LIMIT), out.get("minLength", 0))
    if "array" in types:
        out["maxItems"] = ITEM_LIMIT
    return out


# ── what comes back ────────────────────────────────────────────────────────────────────────────────────────────────


def read_answer(answer: Mapping[str, Any], request: Mapping[str, Any], n_ctx: int) -> ModelOutput:
    """The answer as Inspect's output. In this order:

    1. The prompt did not fit: `model_length`, no text. The request was sound, the context was full.
    2. The runtime failed otherwise: RuntimeError, since that is no answer of the model.
    3. Cut off: `model_length` where the context is full, else `max_tokens`; the half text is kept, never parsed.
    4. No schema: the text, `stop`.
    5. A schema: the reply it holds, `stop`, or the call it holds, `tool_calls`.
    """
    if "choices" not in answer:
        return overflow(answer)
    choice = answer["choices"][0]
    text, usage = choice["message"].get("content") or "", tokens(answer.get("usage", {}))
    if choice.get("finish_reason") == "length":
        return output(text, usage, "model_length" if usage.total_tokens >= n_ctx else "max_tokens")
    if "response_format" not in request:
        return output(text, usage, "stop")
    read = reply_or_call(text, call_id(request))
    if isinstance(read, ToolCall):
        return output("", usage, "tool_calls", read)
    return output(read, usage, "stop")


def overflow(answer: Mapping[str, Any]) -> ModelOutput:
    """An empty output that says that the prompt was longer than the context; any other error is raised."""
    error = answer.get("error", {})
    if error.get("type") != "exceed_context_size_error":
        raise RuntimeError(f"xllamacpp: {str(error or answer)[:500]}")
    return output("", tokens({"prompt_tokens": error.get("n_prompt_tokens", 0)}), "model_length")


def reply_or_call(text: str, id: str) -> str | ToolCall:
    """The reply, or the call; a text that is neither is a call with `parse_error`, which no grader takes for held."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    match read:
        case {"reply": str(reply)}:
            return reply
        case {"name": str(name), "arguments": dict(arguments)}:
            return ToolCall(id=id, function=name, arguments=arguments)
    return ToolCall(id=id, function=UNPARSED, arguments={}, parse_error=f"not a call: {text}")


def call_id(request: Mapping[str, Any]) -> str:
    """An id that is the same for the same request, and another one as soon as the conversation has grown."""
    asked = json.dumps([request["messages"], request["seed"]]).encode()
    return f"call_{hashlib.sha256(asked).hexdigest()[:12]}"


def output(text: str, usage: ModelUsage, stop: StopReason, call: ToolCall | None = None) -> ModelOutput:
    """One choice with this text or call, and the usage, without which Inspect would count by itself."""
    message = ChatMessageAssistant(content=text, tool_calls=[call] if call else None, source="generate")
    return ModelOutput(choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)


def tokens(counted: Mapping[str, int]) -> ModelUsage:
    """The runtime's counts as Inspect's usage."""
    read, written = counted.get("prompt_tokens", 0), counted.get("completion_tokens", 0)
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
