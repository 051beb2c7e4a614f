"""The bundled compactors by name, a file for each family. Nothing of a runtime is imported here."""

from __future__ import annotations

from ..entries import Entry
from . import claude, inspect, langchain, mechanical, openai

BUNDLED: dict[str, Entry] = {
    **mechanical.ENTRIES,
    **inspect.ENTRIES,
    **langchain.ENTRIES,
    **openai.ENTRIES,
    **claude.ENTRIES,
}
