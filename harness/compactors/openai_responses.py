"""OpenAI's compaction of the Responses API (`responses.compact`) through Inspect's `Model.compact`.

The provider's own: the encrypted item that stands for the history, and that every user message stays word for word, at
every boundary, so that they pile up and a rule that a user stated survives by construction. Inspect's own: request,
retries, usage, items in messages. Ours: the system text stands in front again (the endpoint leaves it out); user
messages that came back as they were are the same messages; two other prompts (`instructions`, which the endpoint takes
as a developer message). The item cannot be read: there is no summary to grade, only what an actor does.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, Model, ModelUsage

from ..blocks import is_opaque
from ..faults import BadInput
from .native_prompts import INSTRUCTIONS
from .protocol import Compacted, Work


class OpenAIResponses:
    """Nothing is kept between boundaries: the last item is part of the input of the next one."""

    def __init__(self, work: Work) -> None:
        self.writer = openai_responses(work.writer, "openai-responses")
        self.tools = list(work.tools)
        self.instructions = INSTRUCTIONS[str(work.settings["instructions"])]

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        left, usage = await self.writer.compact(messages, self.tools, self.instructions)
        system = [m for m in messages if isinstance(m, ChatMessageSystem)]
        view = [*system, *same_users(left, messages)]
        return Compacted(view, fired=True, shown=(tuple(messages),), notes=spent(usage))


def openai_responses(writer: Model | None, compactor: str) -> Model:
    """The writer, where it is an OpenAI model that uses the Responses API. Raises BadInput."""
    from inspect_ai.model._providers.openai import OpenAIAPI

    if writer is None or not isinstance(writer.api, OpenAIAPI):
        raise BadInput(f"compactor {compactor}", f"OpenAI compacts here: the writer is openai/…, not {writer}")
    if not writer.api.responses_api:
        raise BadInput(f"compactor {compactor}", f"{writer} does not use the Responses API; say -M responses_api=true")
    return writer


def same_users(left: Sequence[ChatMessage], before: Sequence[ChatMessage]) -> list[ChatMessage]:
    """What was left, with the messages of before where a user message came back as it was, in their order."""
    waiting = [m for m in before if isinstance(m, ChatMessageUser) and not is_opaque(m)]
    found: list[ChatMessage] = []
    for message in left:
        same = next((m for m in waiting if message.role == "user" and m.text == message.text), None)
        if same is None or is_opaque(message):
            found.append(message)
            continue
        waiting = waiting[waiting.index(same) + 1 :]
        found.append(same)
    return found


def spent(usage: ModelUsage | None) -> tuple[str, ...]:
    """What the call cost, in words: no model event tells it."""
    if usage is None:
        return ()
    return (f"the compaction read {usage.total_tokens - usage.output_tokens} tokens and wrote {usage.output_tokens}",)
