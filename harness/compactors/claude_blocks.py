"""Claude's signed blocks through Inspect's Anthropic provider, which keeps the text of a block and drops its signature.

`carry` makes a model's requests send signed blocks back as they were returned, and lets a compactor ask for one. It
takes hold of two methods of the model's provider object: `generate`, and `_perform_request_and_continuations`, which is
private (pinned by a test). Retries, limits, conversion and logging stay Inspect's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from inspect_ai.model import ChatMessage, ContentData, GenerateConfig, Model, ModelOutput
from inspect_ai.model._providers.anthropic import AnthropicAPI

from ..blocks import block_of, block_text
from ..faults import BadInput

Block = dict[str, Any]
THRESHOLD, DEMAND, EDITING = "compact-2026-01-12", "compact-2026-09-04", "context-management-2025-06-27"
COMPACT = "compact_20260112"
SIGNED = ("signature", "encrypted_content", "tool_changes")
_BETAS = "anthropic-beta"
_CARRIES = "_standfast_carries"
_WANTED = "compaction"

_sent: ContextVar[Mapping[str, Block]] = ContextVar("signed blocks of this request")


def claude(writer: Model | None, compactor: str) -> Model:
    """The writer, where it is a Claude model of Inspect's Anthropic provider. Raises BadInput."""
    if writer is None or not isinstance(writer.api, AnthropicAPI):
        raise BadInput(f"compactor {compactor}", f"Claude compacts here: the writer is anthropic/…, not {writer}")
    return writer


def carry(model: Model) -> None:
    """Makes the requests of a Claude model carry signed blocks, and a block a whole answer with its text as completion;
    nothing happens to other models, or twice."""
    api = model.api
    if not isinstance(api, AnthropicAPI) or hasattr(api, _CARRIES):
        return
    generate, send = api.generate, api._perform_request_and_continuations

    async def generating(*args: Any, **kwargs: Any) -> Any:
        token = _sent.set(signed(kwargs["input"] if "input" in kwargs else args[0]))
        try:
            return await generate(*args, **kwargs)
        finally:
            _sent.reset(token)

    async def sending(
        request: dict[str, Any], streaming: bool, tools: Any, config: GenerateConfig, *args: Any, **kwargs: Any
    ) -> Any:
        wanted = (config.extra_body or {}).get(_WANTED)
        prepare(request, _sent.get({}), wanted)
        # a stream of the SDK loses the fields of a block
        response, output = await send(request, streaming and wanted is None, tools, config, *args, **kwargs)
        if wanted is not None:
            _keep(response, output)
        if response.get("stop_reason") == "compaction":
            output.choices[0].stop_reason = "stop"  # Inspect has no word for it, and `unknown` is what was cut off
        if output.choices and (text := block_text(output.message)) is not None:
            output.completion = text  # what was written is the block's text; by itself it counts as no text
            _count(response, output)
        return response, output

    for name, made in (("generate", generating), ("_perform_request_and_continuations", sending), (_CARRIES, True)):
        setattr(api, name, made)


def wanting(compaction: Block, max_tokens: int) -> GenerateConfig:
    """The settings of a request for compaction on demand. Inspect sends nothing of an extra body that it does not know,
    and tells cached answers apart by it."""
    return GenerateConfig(max_tokens=max_tokens, extra_body={_WANTED: compaction})


def signed(messages: Sequence[ChatMessage]) -> dict[str, Block]:
    """The signed blocks of a conversation, as the API takes them, by their text."""
    found = [block for message in messages if (block := block_of(message)) is not None and block.get("signature")]
    return {
        block["content"]: {
            "type": "compaction",
            "content": block["content"],
            **{key: block[key] for key in SIGNED if block.get(key) is not None},
        }
        for block in found
    }


def prepare(request: dict[str, Any], blocks: Mapping[str, Block], wanted: Block | None) -> None:
    """Puts signed blocks into a request whole, and what goes with them: the beta, and no edit that compacts."""
    if not _restore(request, blocks) and wanted is None:
        return
    headers = dict(request.get("extra_headers") or {})
    betas = [b for b in str(headers.get(_BETAS) or "").split(",") if b and b != THRESHOLD]
    request["extra_headers"] = {**headers, _BETAS: ",".join(dict.fromkeys([*betas, DEMAND]))}
    body = dict(request.get("extra_body") or {})
    edits = [e for e in body.pop("context_management", {}).get("edits", []) if e.get("type") != COMPACT]
    if edits:
        body["context_management"] = {"edits": edits}
    if wanted is not None:
        body["compaction"] = wanted
    request["extra_body"] = body


def _restore(request: dict[str, Any], blocks: Mapping[str, Block]) -> bool:
    """Whether a block of the request was one of these; it now is whole."""
    restored = False
    for message in request["messages"]:
        content = message.get("content")
        for i, part in enumerate(content if isinstance(content, list) else []):
            if isinstance(part, dict) and part.get("type") == "compaction" and part.get("content") in blocks:
                content[i] = dict(blocks[part["content"]])
                restored = True
    return restored


def _keep(response: dict[str, Any], output: ModelOutput) -> None:
    """Leaves the block alone in the output's message, with all that must be sent back unchanged."""
    block = next((b for b in response.get("content", []) if b.get("type") == "compaction"), None)
    if block is not None:
        kept = {key: block[key] for key in ("content", *SIGNED) if block.get(key) is not None}
        output.message.content = [ContentData(data={"compaction_metadata": {"type": "anthropic_compact", **kept}})]


def _count(response: dict[str, Any], output: ModelOutput) -> None:
    """Puts what a compaction read from a cache and wrote to it into the usage; Inspect adds up the rest of it."""
    parts = [part for part in (response.get("usage") or {}).get("iterations") or [] if isinstance(part, dict)]
    if output.usage is None or not parts:
        return
    read, written = (
        sum(part.get(f"cache_{what}_input_tokens") or 0 for part in parts) for what in ("read", "creation")
    )
    output.usage.input_tokens_cache_read, output.usage.input_tokens_cache_write = read, written
    output.usage.total_tokens = output.usage.input_tokens + read + written + output.usage.output_tokens
