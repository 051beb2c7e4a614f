"""The bundled compactors by name, a file for each family. Nothing of a runtime is imported here."""

from __future__ import annotations

from ..entries import Entry
from . import adk, agent_framework, claude, inspect, langchain, mechanical, openai, planned

BUNDLED: dict[str, Entry] = {
    **mechanical.ENTRIES,
    **planned.ENTRIES,
    **inspect.ENTRIES,
    **langchain.ENTRIES,
    **openai.ENTRIES,
    **adk.ENTRIES,
    **agent_framework.ENTRIES,
    **claude.ENTRIES,
}
