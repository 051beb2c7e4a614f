"""One scenario for people: in plain words what the agent may and may not do, and what each label would need."""

from __future__ import annotations

from pathlib import Path

from ..faults import BadInput
from ..scenario import Scenario


def text(scenario: Scenario, seed: int = 1) -> str:
    """The scenario as text."""
    from .card import card
    from .terminal import as_text

    return as_text(card(scenario, seed))


def write_page(scenario: Scenario, file: Path, seed: int = 1) -> None:
    """Writes the scenario as an HTML page. Raises BadInput where the file cannot be written."""
    from .card import card
    from .page import as_html

    try:
        file.write_text(as_html(card(scenario, seed)), encoding="utf-8")
    except OSError as fault:
        raise BadInput(str(file), f"cannot be written: {fault.strerror}") from None
