"""The LangChain family: langmem, LangChain's middleware, deepagents."""

from __future__ import annotations

from typing import Any

from ..entries import TRIGGER, TRIGGERS, Entry, Kind

_LANGMEM: dict[str, Any] = {
    "kind": Kind.WRITTEN,
    "keeps": "system text, the newest `keep` messages",
    "originals": "in the graph's state; the agent cannot fetch them",
    "bounds_writer": True,
    "extra": "langgraph",
    "package": "langmem",
    "settings": {"keep": 2, "max_summary_tokens": 256, **TRIGGER},
    "choices": TRIGGERS,
}
_DEEPAGENTS: dict[str, Any] = {
    "kind": Kind.WRITTEN,
    "keeps": "system text, the newest `keep` messages",
    "originals": "in a file that the agent can read again (`archive=yes`)",
    "extra": "deepagents",
    "package": "deepagents",
    "choices": {"trim_tokens": ("none",), "archive": ("yes", "no"), **TRIGGERS},
}
_FOLDED = "the last summary and the messages to fold, without the system text"
_TRIMMED = "of the last summary and the messages to fold the newest `trim_tokens`, from a user message on"

ENTRIES: dict[str, Entry] = {
    "langmem": Entry(
        "langmem:LangMem",
        "langmem's SummarizationNode, the newest messages stay",
        shows=_FOLDED,
        **_LANGMEM,
    ),
    "langmem-guide": Entry(
        "langmem:LangMemGuide",
        "langmem's SummarizationNode with both token budgets alike, as its docstring has them",
        shows="the last summary and the newest of the messages to fold, without the system text",
        **_LANGMEM,
    ),
    "langchain": Entry(
        "langchain:LangChain",
        "LangChain's SummarizationMiddleware with its defaults, which trim before the writer",
        Kind.WRITTEN,
        keeps="system text, the newest `keep` messages",
        originals="gone",
        shows=_TRIMMED,
        extra="langgraph",
        package="langchain",
        settings={"keep": 20, "trim_tokens": 4000, **TRIGGER},
        choices={"trim_tokens": ("none",), **TRIGGERS},
    ),
    "deepagents": Entry(
        "deepagents:DeepAgents",
        "deepagents' summarisation as create_deep_agent installs it, originals archived",
        shows=_FOLDED,
        settings={"keep": 6, "trim_tokens": None, "archive": "yes", **TRIGGER},
        **_DEEPAGENTS,
    ),
    "deepagents-class": Entry(
        "deepagents:DeepAgentsClass",
        "deepagents' SummarizationMiddleware with its class's defaults, which trim before the writer",
        shows=_TRIMMED,
        settings={"keep": 20, "trim_tokens": 4000, "archive": "yes", **TRIGGER},
        **_DEEPAGENTS,
    ),
    "deepagents-tool": Entry(
        "deepagents_tool:DeepAgentsTool",
        "deepagents' compact_conversation: the agent compacts by calling a tool",
        shows=_FOLDED,
        settings={"keep": 6, "trim_tokens": None, "archive": "yes", **TRIGGER},
        **_DEEPAGENTS,
    ),
}
