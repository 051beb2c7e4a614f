"""Microsoft Agent Framework's compaction strategies."""

from __future__ import annotations

from typing import Any

from ..entries import TRIGGER, TRIGGERS, Entry, Kind

_FRAMEWORK: dict[str, Any] = {
    "originals": "in the framework's list, marked; the agent cannot fetch them",
    "extra": "agent-framework",
    "package": "agent-framework-core",
}
_SHOWS = "the messages to fold, as far as they fit into `input_tokens`, without system text"
_TEXTS = ("user", "document", "memory")

ENTRIES: dict[str, Entry] = {
    "agent-framework-summary": Entry(
        "agent_framework:Summary",
        "Agent Framework's SummarizationStrategy: five sentences for the oldest groups",
        Kind.WRITTEN,
        keeps="system text, the newest `keep` messages in whole groups",
        shows=_SHOWS,
        settings={"keep": 4, "input_tokens": 8000, "trigger": "forced"},
        choices={"input_tokens": ("none",), **TRIGGERS},
        **_FRAMEWORK,
    ),
    "agent-framework-truncation": Entry(
        "agent_framework:Truncation",
        "Agent Framework's TruncationStrategy: the oldest groups go",
        Kind.MECHANICAL,
        keeps="system text and the newest groups, `keep` messages together",
        settings={"keep": 8, **TRIGGER},
        choices=TRIGGERS,
        **_FRAMEWORK,
    ),
    "agent-framework-window": Entry(
        "agent_framework:Window",
        "Agent Framework's SlidingWindowStrategy: the newest groups stay",
        Kind.MECHANICAL,
        keeps="system text, the newest `keep` groups",
        settings={"keep": 4},
        **_FRAMEWORK,
    ),
    "agent-framework-tool-calls": Entry(
        "agent_framework:ToolCalls",
        "Agent Framework's SelectiveToolCallCompactionStrategy: old calls go with their results",
        Kind.MECHANICAL,
        keeps="all but old tool calls and their results",
        spares=_TEXTS,
        settings={"keep": 1},
        **_FRAMEWORK,
    ),
    "agent-framework-tool-results": Entry(
        "agent_framework:ToolResults",
        "Agent Framework's ToolResultCompactionStrategy: old calls become 4,096 characters of their results",
        Kind.MECHANICAL,
        keeps="all but old tool calls; of their results the first 4,096 characters a group",
        spares=_TEXTS,
        settings={"keep": 1},
        **_FRAMEWORK,
    ),
    "agent-framework-token-budget": Entry(
        "agent_framework:TokenBudget",
        "Agent Framework's TokenBudgetComposedStrategy over a summary and the tool results",
        Kind.WRITTEN,
        keeps="the newest `keep` messages in whole groups, system text where the budget allows it",
        shows=_SHOWS,
        settings={"keep": 4, "input_tokens": 8000, **TRIGGER},
        choices={"input_tokens": ("none",), **TRIGGERS},
        **_FRAMEWORK,
    ),
    "agent-framework-context-window": Entry(
        "agent_framework:ContextWindow",
        "Agent Framework's ContextWindowCompactionStrategy: tool results collapse, then the oldest groups go",
        Kind.MECHANICAL,
        keeps="system text, the newest groups within half of the window",
        settings={"keep": 4, **TRIGGER},
        choices=TRIGGERS,
        **_FRAMEWORK,
    ),
}
