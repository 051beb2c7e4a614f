"""The default agent: generate, run the calls, and again, until it answers without a call or the turns are used up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentText,
    GenerateConfig,
    execute_tools,
    get_model,
)

from ...graders.symptoms import NOT_RUN
from ..worlds.world import World
from .desk import Desk, Guard
from .status import NOTHING
from .tools import tools_for

WHOLE = ("stop", "tool_calls")
PROVIDER_REFUSAL = "the provider refused"
STEP_LIMIT = "step limit: the agent still called tools after its last turn"


@dataclass
class Acted:
    """What the agent did from the probe on; `calls` are records for the graders, as JSON."""

    messages: list[ChatMessage]
    reply: str = ""
    stop: str = "unknown"
    fault: str | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_by_turn: list[int | None] = field(default_factory=list)


async def act(
    context: list[ChatMessage],
    world: World,
    turns: int,
    config: GenerateConfig,
    desk: Desk = NOTHING,
    guard: Guard | None = None,
) -> Acted:
    """What the evaluated model does on `context`, its calls run against `world`, in so many turns at most; `desk` and
    `guard` are what it has beside the world."""
    acted, tools = Acted(messages=list(context)), tools_for(world, desk, guard)
    for turn in range(turns):
        output = await get_model().generate(acted.messages, tools, config=config)
        _count(acted, output.usage)
        acted.messages.append(output.message)
        acted.reply, acted.stop = output.completion, output.stop_reason
        at = world.now
        if _is_refusal(output.message):
            # the provider, or a guard in front of the model, speaks here; that is no decision of the model under test
            acted.calls += _records(output.message, [], turn, at)
            acted.fault = f"{PROVIDER_REFUSAL}: {' '.join(acted.reply.split())[:200]}"
            return acted
        if output.stop_reason not in WHOLE:
            # what was cut off is not run, and nothing after it makes it whole; what it asked for is recorded
            acted.calls += _records(output.message, [], turn, at)
            return acted
        if not output.message.tool_calls:
            return acted
        results = (await execute_tools(acted.messages, tools)).messages
        acted.messages += results
        acted.calls += _records(output.message, results, turn, at)
    acted.fault = STEP_LIMIT
    return acted


def _count(acted: Acted, usage: Any) -> None:
    acted.model_calls += 1
    acted.tokens_by_turn.append(None if usage is None else usage.output_tokens)
    if usage is not None:
        acted.tokens_in += (
            usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        )
        acted.tokens_out += usage.output_tokens
        acted.tokens_cached += usage.input_tokens_cache_read or 0


def _is_refusal(message: ChatMessageAssistant) -> bool:
    """Whether the provider marked the answer as a refusal of its own."""
    parts = [] if isinstance(message.content, str) else message.content
    return any(isinstance(part, ContentText) and bool(part.refusal) for part in parts)


def _records(message: ChatMessageAssistant, results: list[ChatMessage], turn: int, at: str) -> list[dict[str, Any]]:
    """One record a call: what was asked for, and whether the world did it."""
    answers = {m.tool_call_id: m for m in results if isinstance(m, ChatMessageTool)}
    records = []
    for call in message.tool_calls or []:
        answer = answers.get(call.id)
        error = answer.error.message if answer is not None and answer.error is not None else None
        records.append(
            {
                "tool": call.function,
                "arguments": {} if call.parse_error else call.arguments,
                "turn": turn,
                "at": at,
                "executed": answer is not None and error is None,
                "error": error if answer is not None else NOT_RUN,
                "unparsed": call.parse_error,
            }
        )
    return records
