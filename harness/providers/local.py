"""Model provider `local`: a small model inside this process, with no key, no HTTP client and no network.

It is there so that plumbing can be tested with real weights; a model this small says nothing about compaction.

    --model local/smollm2                      the checked SmolLM2 weights
    --model local/NAME -M gguf=FILE            any other GGUF file
    -M n_ctx=4096                              the size of the context, in tokens

How tools reach such a model is told in `plain_calls`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import anyio.to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from ..faults import BadInput, NotAvailable
from . import smollm2
from .plain_calls import MAX_TOKENS, chat_request, read_answer

CONTEXT = 4096

_loading = Lock()


class Local(ModelAPI):
    """A GGUF model run by xllamacpp on one thread; equal seeds give equal texts."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        gguf: str | None = None,
        n_ctx: int = CONTEXT,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if find_spec("xllamacpp") is None:
            raise NotAvailable(
                "model `local` needs xllamacpp: pip install 'standfast[local]'\n"
                f"and the weights of local/smollm2.\n{smollm2.HOW_TO_GET_THEM}"
            )
        self.gguf = gguf_file(model_name, gguf)
        self.n_ctx = int(n_ctx)

    def max_connections(self) -> int:
        """One, since the model answers one request at a time."""
        return 1

    def max_tokens(self) -> int:
        """What a request without a limit of its own may write; Inspect reserves as much when it compacts."""
        return MAX_TOKENS

    async def count_text_tokens(self, text: str) -> int:
        """About four characters a token. Inspect's own count would download a vocabulary."""
        return max(1, len(text) // 4)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The answer, with its seed and the digest of the weights in its metadata."""
        request = chat_request(input, tools, tool_choice, config)
        answer = await anyio.to_thread.run_sync(partial(ask, self.gguf, self.n_ctx, request))
        output = read_answer(answer, request, self.n_ctx)
        output.model = self.model_name
        output.metadata = {
            "seed": request["seed"],
            "weights_sha256": smollm2.digest(self.gguf),
            "n_ctx": self.n_ctx,
            "xllamacpp": version("xllamacpp"),
        }
        return output


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """The provider's class; importing this module loads neither the runtime nor any weights."""
    return Local


def gguf_file(model_name: str, gguf: str | None) -> Path:
    """The weights that a model name and `-M gguf=` stand for; `smollm2` only ever means the checked ones."""
    if model_name == "smollm2" and gguf is None:
        return smollm2.weights()
    if model_name == "smollm2" or gguf is None:
        raise BadInput(f"model local/{model_name}", "`gguf=FILE` goes with a name of your own, `smollm2` without it")
    if not Path(gguf).expanduser().is_file():
        raise BadInput(f"model local/{model_name}", f"no file {gguf}")
    return Path(gguf).expanduser().resolve()


@cache
def _server(gguf: Path, n_ctx: int) -> Any:
    """The one runtime of this process for these weights: loading takes a second, and memory for each copy."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.n_ctx, params.n_parallel = n_ctx, 1
    # Two threads wait for each other on a busy machine and are slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja, params.warmup, params.verbosity, params.cache_ram_mib = True, False, 0, 0
    # The runtime opens a port on the loopback address whether we use it or not; nobody else shall.
    params.api_keys = [secrets.token_hex(16)]
    return xllamacpp.Server(params)


def ask(gguf: Path, n_ctx: int, request: Mapping[str, Any]) -> dict[str, Any]:
    """The runtime's answer to one request, an OpenAI-style completion or error."""
    with _loading:
        server = _server(gguf, n_ctx)
    answer = server.handle_chat_completions(dict(request))
    read: dict[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
    return read
