"""Google ADK's event compaction (2.13.0): by tokens, and by a sliding window of invocations.

ADK's own code: which events are folded, the split that keeps calls with their results, the summariser with its prompt,
the compaction event, the view of the session that goes to the model. The functions called are private, since the
public runner compacts twice a turn at a low threshold: `apps.compaction._run_compaction_for_token_threshold_config` and
`_run_compaction_for_sliding_window`, and `flows.llm_flows.context._compaction._process_compaction_events` and
`_recover_compacted_function_calls` for the view. One session a chain; ADK keeps all events in it.

ADK has no defaults for its numbers. Ours: by tokens, `keep` newest events stay (`event_retention_size`), and forced,
the threshold is one token; by the window, every `interval` invocations, with `overlap` earlier ones. Forced, ADK's
guard against small ranges (`_is_range_worth_compacting`) is answered with yes, and the interval is one; with
`trigger=threshold` the guard and the interval, or `window` tokens as ADK counts them, decide. A user message starts an
invocation; a window is compacted after an invocation, so an unanswered user message waits. Leading system text is the
agent's instruction: outside, never shown to the summariser. Events get rising times, since ADK hides by time.

The summariser is shown the first 2,000 characters of each tool argument and result. Its summary is an assistant
message. By tokens the last summary is folded again; by the window summaries stand side by side. ADK swallows a
summariser's error and goes on uncompacted: here it is raised. An empty summary it accepts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import compaction as engine
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.events.event import Event
from google.adk.flows.llm_flows.context._compaction import (
    _process_compaction_events,
    _recover_compacted_function_calls,
)
from google.adk.sessions import InMemorySessionService, Session
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from .adk_model import AGENT, WriterLlm, event_of, turns
from .protocol import Compacted, Work

APP = "standfast"
_worth = engine._is_range_worth_compacting
# chains run side by side, so what is forced is told by context and not by exchanging the function for a while
_forced: ContextVar[list[bool] | None] = ContextVar("forced", default=None)


def _is_worth(*, events: list[Event], events_to_compact: list[Event]) -> bool:
    """ADK's own answer, or yes at a forced boundary, which learns that there was something to fold."""
    asked = _forced.get()
    if asked is None:
        return bool(_worth(events=events, events_to_compact=events_to_compact))
    asked.append(True)
    return True


engine._is_range_worth_compacting = _is_worth


@contextmanager
def _forcing(forced: bool) -> Iterator[list[bool]]:
    asked: list[bool] = []
    token = _forced.set(asked if forced else None)
    try:
        yield asked
    finally:
        _forced.reset(token)


class Adk:
    """One ADK session a chain."""

    def __init__(self, work: Work) -> None:
        assert work.writer is not None, "a summary needs a writer"
        self.work, self.forced = work, work.settings["trigger"] == "forced"
        self.llm = WriterLlm.over(work.writer)
        self.config = self.configured(LlmEventSummarizer(llm=self.llm, prompt_template=_prompt(work.request)))
        self.service = InMemorySessionService()
        self._session: Session | None = None
        self._known: set[str | None] = set()
        self._sources: dict[str, list[ChatMessage]] = {}
        self._summaries: dict[str, ChatMessage] = {}
        self._invocation = 0

    def configured(self, summarizer: LlmEventSummarizer) -> EventsCompactionConfig:
        raise NotImplementedError

    async def run(self, agent: LlmAgent, session: Session) -> None:
        raise NotImplementedError

    def held(self, history: Sequence[ChatMessage]) -> int:
        """How many messages at the end are not yet in the session when ADK compacts."""
        return 0

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        start = next((i for i, m in enumerate(messages) if not isinstance(m, ChatMessageSystem)), len(messages))
        system, history = messages[:start], messages[start:]
        session = await self._open()
        now = len(history) - self.held(history)
        await self._take(session, history[:now])
        fired = await self._fire(session, system)
        await self._take(session, history[now:])
        return Compacted([*system, *self._view(session)] if fired else messages, fired=fired)

    async def _open(self) -> Session:
        if self._session is None:
            self._session = await self.service.create_session(app_name=APP, user_id="user")
        return self._session

    async def _take(self, session: Session, history: Sequence[ChatMessage]) -> None:
        """The messages that ADK has not yet seen, as events of its session; results of one turn are one event."""
        for turn in turns([m for m in history if m.id not in self._known]):
            self._invocation += isinstance(turn[0], ChatMessageUser | ChatMessageSystem)
            time = float(len(session.events) + 1)
            event = event_of(turn, f"invocation-{self._invocation}", time)
            await self.service.append_event(session=session, event=event)
            self._sources[event.id] = turn
            self._known |= {m.id for m in turn}

    async def _fire(self, session: Session, system: Sequence[ChatMessage]) -> bool:
        """Whether ADK compacted. Raises what it swallows."""
        before = sum(1 for e in session.events if e.actions.compaction)
        self.llm.begin()
        agent = LlmAgent(name=AGENT, model=self.llm, instruction="\n\n".join(m.text for m in system))
        with _forcing(self.forced) as asked:
            await self.run(agent, session)
        self.llm.raise_fault()
        fired = sum(1 for e in session.events if e.actions.compaction) > before
        if asked and not fired:
            raise RuntimeError("ADK had events to fold and made no summary of them; it only logs the reason")
        return fired

    def _view(self, session: Session) -> list[ChatMessage]:
        """The history that ADK would send next."""
        live = _recover_compacted_function_calls(_process_compaction_events(session.events, AGENT), session.events)
        return [m for event in live for m in (self._summary(event) or self._sources[event.id])]

    def _summary(self, event: Event) -> list[ChatMessage]:
        """The message of a compaction event, the same one every time; empty for any other event."""
        compaction = event.actions.compaction
        if not compaction:
            return []
        key = f"summary-{compaction.start_timestamp:g}-{compaction.end_timestamp:g}"
        if key not in self._summaries:
            parts = (compaction.compacted_content.parts if compaction.compacted_content else None) or []
            text = "".join(part.text or "" for part in parts if not part.thought)
            self._summaries[key] = ChatMessageAssistant(id=key, content=text)
            self._known.add(key)
        return [self._summaries[key]]


class AdkToken(Adk):
    """Folds all but the newest events once there are enough tokens."""

    def configured(self, summarizer: LlmEventSummarizer) -> EventsCompactionConfig:
        return _quietly(
            summarizer=summarizer,
            token_threshold=self.work.window or 1,
            event_retention_size=int(self.work.settings["keep"]),
        )

    async def run(self, agent: LlmAgent, session: Session) -> None:
        await engine._run_compaction_for_token_threshold_config(
            config=self.config, session=session, session_service=self.service, agent=agent, agent_name=AGENT
        )


class AdkWindow(Adk):
    """Folds all new invocations, with some earlier ones; no event stays as it was."""

    def configured(self, summarizer: LlmEventSummarizer) -> EventsCompactionConfig:
        interval = 1 if self.forced else int(self.work.settings["interval"])
        overlap = int(self.work.settings["overlap"])
        return _quietly(summarizer=summarizer, compaction_interval=interval, overlap_size=overlap)

    async def run(self, agent: LlmAgent, session: Session) -> None:
        app = App(name=APP, root_agent=agent, events_compaction_config=self.config)
        async for event in engine._run_compaction_for_sliding_window(app, session, self.service):
            await self.service.append_event(session=session, event=event)

    def held(self, history: Sequence[ChatMessage]) -> int:
        return next((i for i, m in enumerate(reversed(history)) if not isinstance(m, ChatMessageUser)), len(history))


def _quietly(**settings: Any) -> EventsCompactionConfig:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # compaction is marked experimental
        return EventsCompactionConfig(**settings)


def _prompt(request: str) -> str | None:
    """ADK's prompt with one sentence more before the history; None, which is ADK's own, without one."""
    own = LlmEventSummarizer._DEFAULT_PROMPT_TEMPLATE
    return own.replace("\n\n{conversation_history}", f" {request}\n\n{{conversation_history}}") if request else None
