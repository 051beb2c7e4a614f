"""What a scenario file must prove before it is used, in stages: what a fault would break waits until it is mended."""

from __future__ import annotations

from collections.abc import Iterator

from . import naming, proving
from .scenario import Scenario
from .yaml_text import Where


def faults(scenario: Scenario) -> Iterator[tuple[Where, str]]:
    """The path and the sentence of each fault of the first stage that has any."""
    for stage in (*naming.STAGES, *proving.STAGES):
        found = list(stage(scenario))
        yield from found
        if found:
            return
