"""Inspect models bound to the loopback servers, for tests of the providers' own compaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model
from loopback_billing import Ledger
from loopback_claude import ClaudeApi
from loopback_openai import OpenAIApi
from loopback_server import Loopback


@dataclass(frozen=True)
class Native:
    """The two providers whose own compaction is tested, each a server on the loopback address. `claude` and `openai`
    are the state machines (`writer`, `actor`, `ledger` … may be set), `servers` what they were asked, by provider."""

    servers: dict[str, Loopback]
    claude: ClaudeApi
    openai: OpenAIApi

    def name(self, provider: str) -> str:
        """The model that stands for a provider, as `-m` names it."""
        return {"anthropic": "anthropic/claude-opus-4-6", "openai": "openai/gpt-5.4"}[provider]

    def args(self, provider: str) -> dict[str, Any]:
        """What binds a model to the server: address and a key that is none."""
        path = "/v1" if provider == "openai" else ""
        return {"base_url": self.servers[provider].url + path, "api_key": "none"}

    def model(self, provider: str, **config: Any) -> Model:
        """An Inspect model of the provider, bound to its server. Neither Inspect nor the client tries again. It is not
        shared: its client lives in one event loop."""
        once = GenerateConfig(max_retries=0, **config)
        return get_model(self.name(provider), config=once, memoize=False, max_retries=0, **self.args(provider))


@contextmanager
def native() -> Iterator[Native]:
    """Both servers, running. Claude's counts 30 tokens a character, so that small histories reach its least
    threshold; OpenAI's counts a quarter."""
    claude, openai = ClaudeApi(ledger=Ledger(30.0), window=10**9), OpenAIApi()
    with Loopback(claude) as one, Loopback(openai) as other:
        yield Native({"anthropic": one, "openai": other}, claude, openai)
