"""Microsoft Agent Framework's compaction strategies (agent-framework-core 1.23.0).

The framework's own code: groups (calls with results and reasoning are one), each strategy, the summariser's request,
the marks on what was left out, and the projection that goes to the model; all by the public `apply_compaction`.
Nothing private is called. One message list a chain, as the framework keeps it: what was left out stays in it, marked.

The framework's defaults: `keep` 4 messages of `SummarizationStrategy`, 1 tool-call group of `SelectiveToolCall…` and
`ToolResultCompactionStrategy`, 4 of `ContextWindowCompactionStrategy` with its shares (0.5 and 0.8 of the window); the
summariser's input of 8,000 tokens (`input_tokens`), beyond which newer groups stay as they are and a group that is too
long itself is passed over. Ours: the numbers that have no default (`keep` of truncation and window), and for the token
budget the order summary, then tool results. Forced, a strategy starts just below what there is: no `threshold` of two
more messages for the summary, and a token limit one below the count. With `trigger=threshold` the limit is `window`
tokens as its estimate counts them (truncation then goes down to half of it), and the summary waits for its two more
messages. Sliding window and tool strategies have no trigger: they run at every boundary.

A summariser's error or empty text is swallowed and the history stays whole: here it is raised. Where the budget drops
the oldest groups after its strategies, or even system text, the fallback says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_framework import (
    EXCLUDE_REASON_KEY,
    EXCLUDED_KEY,
    CharacterEstimatorTokenizer,
    CompactionStrategy,
    ContextWindowCompactionStrategy,
    Message,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    annotate_message_groups,
    apply_compaction,
    included_token_count,
)
from inspect_ai.model import ChatMessage, ChatMessageAssistant

from .agent_framework_model import WriterClient, to_message
from .protocol import Compacted, Work

TOKENIZER = CharacterEstimatorTokenizer()


class AgentFramework:
    """One message list a chain, with the marks of what was left out."""

    def __init__(self, work: Work) -> None:
        self.work, self.client = work, WriterClient(work.writer)
        self.list: list[Message] = []
        self._known: dict[str | None, ChatMessage] = {}

    @property
    def keep(self) -> int:
        return int(self.work.settings["keep"])

    def strategy(self) -> CompactionStrategy:
        """The framework's strategy, as it stands at this boundary."""
        raise NotImplementedError

    def refused(self) -> tuple[str, ...]:
        """Why nothing was left out, where the framework only logs it."""
        return ()

    async def compact(self, messages: list[ChatMessage]) -> Compacted:
        for each in messages:
            if each.id not in self._known:
                self._known[each.id] = each
                self.list.append(to_message(each))
        self.client.begin()
        before = {m.message_id for m in self.list if _is_out(m)}
        seen = await apply_compaction(self.list, strategy=self.strategy())
        self.client.raise_fault()
        out = [m for m in self.list if _is_out(m) and m.message_id not in before]
        if not out:
            return Compacted(messages, fired=False, notes=self.refused())
        return Compacted([self._back(m) for m in seen], fired=True, fallback=_fallback(out))

    def _back(self, message: Message) -> ChatMessage:
        """The message of ours, or one for what the framework wrote: the same one every time."""
        if message.message_id not in self._known:
            made = ChatMessageAssistant(id=message.message_id, content=message.text)
            self._known[message.message_id] = made
        return self._known[message.message_id]

    def _limit(self) -> int:
        """The window asked for, or just below what there is, as the framework estimates both."""
        if self.work.window is not None:
            return max(2, self.work.window)
        annotate_message_groups(self.list, tokenizer=TOKENIZER)
        return max(2, included_token_count(self.list) - 1)


class Summary(AgentFramework):
    """`SummarizationStrategy`."""

    def strategy(self) -> CompactionStrategy:
        limit = self.work.settings["input_tokens"]
        made = SummarizationStrategy(
            client=self.client,
            target_count=self.keep,
            threshold=self.slack(),
            max_summary_input_tokens=None if limit is None else int(limit),
        )
        if self.work.request:
            made.prompt = f"{made.prompt} {self.work.request}"
        return made

    def slack(self) -> int:
        """How many messages above `keep` do not yet trigger a summary."""
        return 2 if self.work.settings["trigger"] == "threshold" else 0

    def refused(self) -> tuple[str, ...]:
        return ("no summary was asked for: too few messages, or none that fits into `input_tokens`",)


class TokenBudget(Summary):
    """`TokenBudgetComposedStrategy` over a summary and the tool results; its own trigger is the budget."""

    def slack(self) -> int:
        return 0

    def strategy(self) -> CompactionStrategy:
        steps: list[CompactionStrategy] = [super().strategy(), ToolResultCompactionStrategy()]
        return TokenBudgetComposedStrategy(token_budget=self._limit(), tokenizer=TOKENIZER, strategies=steps)


class Truncation(AgentFramework):
    """`TruncationStrategy`: forced by messages, by its threshold by tokens."""

    def strategy(self) -> CompactionStrategy:
        if self.work.window is None:
            return TruncationStrategy(max_n=self.keep, compact_to=self.keep)
        return TruncationStrategy(max_n=self._limit(), compact_to=self._limit() // 2, tokenizer=TOKENIZER)


class Window(AgentFramework):
    """`SlidingWindowStrategy`."""

    def strategy(self) -> CompactionStrategy:
        return SlidingWindowStrategy(keep_last_groups=self.keep)


class ToolCalls(AgentFramework):
    """`SelectiveToolCallCompactionStrategy`."""

    def strategy(self) -> CompactionStrategy:
        return SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=self.keep)


class ToolResults(AgentFramework):
    """`ToolResultCompactionStrategy`."""

    def strategy(self) -> CompactionStrategy:
        return ToolResultCompactionStrategy(keep_last_tool_call_groups=self.keep)


class ContextWindow(AgentFramework):
    """`ContextWindowCompactionStrategy`, all of the window for the input."""

    def strategy(self) -> CompactionStrategy:
        limit = self._limit()
        if self.work.window is None:  # its truncation starts at a share of the window
            limit = max(2, int(limit / ContextWindowCompactionStrategy.DEFAULT_TRUNCATION_THRESHOLD))
        return ContextWindowCompactionStrategy(
            max_context_window_tokens=limit, max_output_tokens=0, keep_last_tool_call_groups=self.keep
        )


def _is_out(message: Message) -> bool:
    return bool(message.additional_properties.get(EXCLUDED_KEY))


def _fallback(out: Sequence[Message]) -> str | None:
    """What the token budget did where its strategies did not reach it."""
    reasons = {str(m.additional_properties.get(EXCLUDE_REASON_KEY)) for m in out}
    if "token_budget_fallback_strict" in reasons:
        return "token_budget_fallback_strict: the budget dropped the oldest groups and system text"
    return "token_budget_fallback: the budget dropped the oldest groups" if "token_budget_fallback" in reasons else None
