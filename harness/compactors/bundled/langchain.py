"""The LangChain family: langmem, LangChain's middleware, deepagents."""

from __future__ import annotations

from ..entries import Entry, Kind

ENTRIES: dict[str, Entry] = {
    "langmem": Entry(
        "langmem:LangMem",
        "langmem's SummarizationNode, the newest messages stay",
        Kind.WRITTEN,
        keeps="system text, the newest `keep` messages",
        originals="in the graph's state; the agent cannot fetch them",
        shows="the last summary and the messages to fold, without the system text",
        bounds_writer=True,
        extra="langgraph",
        package="langmem",
        settings={"keep": 2, "max_summary_tokens": 256},
    ),
}
