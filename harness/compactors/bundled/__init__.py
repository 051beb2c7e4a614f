"""The bundled compactors by name, a file for each family. Nothing of a runtime is imported here."""

from __future__ import annotations

from ..entries import Entry
from . import adk, agent_framework, inspect, langchain, mechanical

BUNDLED: dict[str, Entry] = {
    **mechanical.ENTRIES,
    **inspect.ENTRIES,
    **langchain.ENTRIES,
    **adk.ENTRIES,
    **agent_framework.ENTRIES,
}
