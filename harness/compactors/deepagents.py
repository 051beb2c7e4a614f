"""deepagents' `SummarizationMiddleware` (0.7.32), as `create_deep_agent` puts it around a model call.

deepagents' own code: event replay, arguments of old file writes cut short, trigger, cut, archive, prompt, summary
message with the archive's name, what is rebuilt at the next boundary. It is entered by the public hook
`awrap_model_call`; a handler takes the messages that would go to the model. The full log stays in the state, as in
deepagents, and every boundary is computed from it.

The factory's defaults, `create_summarization_middleware`: nothing trimmed before the writer, the newest 6 messages
stay (where the model tells no window). The class by itself trims to 4,000 tokens and keeps 20: `deepagents-class`.
With `trigger=threshold` the writer's profile has `window` tokens and the factory's middleware runs unchanged: it fires
at 0.85 of the window and keeps 0.10 of it (`keep` then says nothing; with `deepagents-class` it does). Ours: forced,
the trigger is one message; the name of the archive is fixed, since deepagents draws one at random; and in what the
agent may read the time of a boundary is replaced by its number. The archive lies in a LangGraph store in memory. With
`archive=no` that store takes nothing: deepagents then says nothing of an archive, as it does where a disk fails.

Not carried: reasoning blocks of kept messages, which deepagents drops for Claude, stay in the messages as they were.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import count
from typing import Any

from deepagents.backends import StoreBackend
from deepagents.backends.protocol import WriteResult
from deepagents.middleware.summarization import (
    DEEPAGENTS_DEFAULT_SUMMARY_PROMPT,
    SUMMARIZATION_EVENT_KEY,
    SUMMARIZATION_SESSION_ID_KEY,
    SummarizationMiddleware,
    compute_summarization_defaults,
    create_summarization_middleware,
)
from inspect_ai.model import ChatMessage
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langgraph.store.memory import InMemoryStore

from .langchain import named, trim_tokens, writer_model
from .langchain_model import WriterModel, back, split_system, to_langchain, with_request
from .protocol import Compacted, Work

# an archive that failed is in the record; a filter for one call would leak between chains that run side by side
warnings.filterwarnings("ignore", message="Offloading conversation history to backend failed")

SESSION = "history"
STAMP = re.compile(r"^## Summarized at \S+$", re.M)


class NoArchive(StoreBackend):
    """A store that takes nothing: deepagents goes on without an archive."""

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        return WriteResult(error="this chain has no archive")


def by_factory(work: Work, model: WriterModel, backend: StoreBackend) -> Any:
    """The middleware that `create_deep_agent` installs; forced, with another trigger and `keep`."""
    prompt = with_request(DEEPAGENTS_DEFAULT_SUMMARY_PROMPT, work.request)
    if work.window is not None:
        return create_summarization_middleware(
            model, backend, summary_prompt=prompt, trim_tokens_to_summarize=trim_tokens(work)
        )
    return SummarizationMiddleware(
        model,
        backend=backend,
        trigger=("messages", 1),
        keep=("messages", int(work.settings["keep"])),
        summary_prompt=prompt,
        trim_tokens_to_summarize=trim_tokens(work),
        truncate_args_settings=compute_summarization_defaults(model)["truncate_args_settings"],
    )


def by_class(work: Work, model: WriterModel, backend: StoreBackend) -> Any:
    """The middleware constructed by itself, as its class's docstring shows it."""
    return SummarizationMiddleware(
        model,
        backend=backend,
        trigger=("messages", 1) if work.window is None else ("fraction", 0.85),
        keep=("messages", int(work.settings["keep"])),
        summary_prompt=with_request(DEEPAGENTS_DEFAULT_SUMMARY_PROMPT, work.request),
        trim_tokens_to_summarize=trim_tokens(work),
    )


class Log:
    """What deepagents' graph would hold of one chain: every message, the summarisation event, the archive."""

    def __init__(self, archives: bool) -> None:
        self.archives = archives
        store = StoreBackend if archives else NoArchive
        self.backend = store(namespace=lambda runtime: ("chain",), store=InMemoryStore())
        self.messages: list[ChatMessage] = []
        self.kept: dict[str, Any] = {SUMMARIZATION_SESSION_ID_KEY: SESSION}
        self.boundaries = 0
        self._returned: set[str | None] = set()

    def take(self, messages: Sequence[ChatMessage]) -> None:
        """The messages that were said since the last boundary, at the end of the log."""
        known = {m.id for m in self.messages} | self._returned
        self.messages += [m for m in messages if m.id not in known]

    @property
    def state(self) -> Any:
        return {"messages": [to_langchain(m) for m in self.messages], **self.kept}

    def update(self, changes: dict[str, Any]) -> bool:
        """Whether the runtime's update of its state is a boundary; it is then the state."""
        event = changes.get(SUMMARIZATION_EVENT_KEY)
        if event is None:
            return False
        self.boundaries += 1
        named([event["summary_message"]], self.boundaries)
        self.kept |= {key: changes[key] for key in (SUMMARIZATION_EVENT_KEY, SUMMARIZATION_SESSION_ID_KEY)}
        return True

    def view(self, seen: Sequence[BaseMessage]) -> list[ChatMessage]:
        view = back(seen, self.messages)
        self._returned |= {m.id for m in view}
        return view

    async def archive(self) -> dict[str, str]:
        """The originals as the agent may read them, by name; the time of each boundary is its number."""
        event = self.kept.get(SUMMARIZATION_EVENT_KEY)
        path = event["file_path"] if event else None
        if path is None:
            return {}
        content = (await self.backend.adownload_files([path]))[0].content or b""
        number = count(1)
        return {path.lstrip("/"): STAMP.sub(lambda _: f"## Summarized at boundary {next(number)}", content.decode())}

    def lost(self) -> str | None:
        """The fallback of a boundary whose originals should have been archived, and were not."""
        lost = self.archives and self.kept[SUMMARIZATION_EVENT_KEY]["file_path"] is None
        return "the originals could not be archived" if lost else None


class DeepAgents:
    """One log a chain; the middleware is asked before a model call that never happens."""

    build = staticmethod(by_factory)

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.model, self.log = writer_model(work), Log(work.settings["archive"] == "yes")
        self.middleware = self.build(work, self.model, self.log.backend)

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        system, history = split_system(messages)
        self.log.take(history)
        with self.model.boundary():
            seen, changes = await called(self.middleware, self.model, self.log.state, system)
        if not self.log.update(changes):
            return Compacted([*system, *self.log.view(seen)], fired=False)
        view = [*system, *self.log.view(seen)]
        fallback = self.model.fallback or self.log.lost()
        return Compacted(view, fired=True, fallback=fallback, archive=await self.log.archive())


class DeepAgentsClass(DeepAgents):
    """The same with the middleware's own defaults."""

    build = staticmethod(by_class)


async def called(
    middleware: Any, model: WriterModel, state: Any, system: Sequence[ChatMessage]
) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The messages that the middleware would send to the model, and its changes of the state."""
    sent: list[BaseMessage] = []

    async def handler(request: ModelRequest[Any]) -> ModelResponse[Any]:
        sent[:] = request.messages
        return ModelResponse(result=[AIMessage(content="")])

    request: ModelRequest[Any] = ModelRequest(
        model=model,
        messages=state["messages"],
        system_message=SystemMessage(content="\n\n".join(m.text for m in system)) if system else None,
        state=state,
        runtime=None,
    )
    response = await middleware.awrap_model_call(request, handler)
    command = getattr(response, "command", None)
    return sent, dict(command.update or {}) if command else {}
