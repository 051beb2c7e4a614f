"""Scenario files with all that is wrong with them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import yaml_text
from ..catalogue import BUNDLED
from ..faults import BadInput
from ..scenario import Scenario, validate
from ..varied import AS_WRITTEN
from ..yaml_text import Where
from . import material, requirements, separation
from .calibration import Stage
from .mutation import Mutant, survivors

OTHER_SEED = 7


@dataclass(frozen=True)
class Verdict:
    """What is wrong with one file: each fault with its place. `scenario` is None where the file does not load."""

    file: Path
    scenario: Scenario | None
    faults: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.faults


def verdict(file: Path, strict: bool | None = None, seed: int = OTHER_SEED) -> Verdict:
    """The verdict on a file. `strict` asks for what a bundled scenario has; None: if it is one."""
    started = time.perf_counter()
    strict = is_bundled(file) if strict is None else strict
    scenario: Scenario | None = None
    try:
        parsed = yaml_text.read(file)
        scenario = validate(parsed)
        found = tuple(f"{parsed.place(where)}: {fault}" for where, fault in _faults(parsed, scenario, strict, seed))
    except BadInput as fault:
        found = (str(fault),)
    return Verdict(file, scenario, found, time.perf_counter() - started)


def is_bundled(file: Path) -> bool:
    """Whether the file lies in one of the bundled packs."""
    return file.resolve().is_relative_to(BUNDLED.resolve())


def _faults(parsed: yaml_text.Parsed, scenario: Scenario, strict: bool, seed: int) -> Iterator[tuple[Where, str]]:
    stage = Stage(scenario)
    outcomes = stage.outcomes()
    yield from separation.faults(stage, outcomes)
    yield from _unproven(scenario, stage)
    yield from material.states_a_rule(scenario, stage.world, AS_WRITTEN)
    if strict:
        yield from requirements.faults(scenario)
        yield from material.repeats_itself(scenario)
    other = validate(parsed, seed)
    again = Stage(other, seed)
    yield from separation.changed_labels(outcomes, again.outcomes(), seed)
    yield from material.states_a_rule(other, again.world, seed)


def _unproven(scenario: Scenario, stage: Stage) -> Iterator[tuple[Where, str]]:
    for i, rule in enumerate(scenario.rules):
        for mutant in survivors(scenario, rule, stage.world):
            where: Where = ("rules", i, "forbids", mutant.index, *([mutant.section] if mutant.section else []))
            yield where, f"rule `{rule.id}`: {mutant.what} no example and no probe would notice; {_remedy(mutant)}"


def _remedy(mutant: Mutant) -> str:
    if mutant.section is None:
        return "add a `forbidden` example that only this pattern matches"
    if mutant.section in ("until", "after", "during"):
        return "add a `permitted` probe that does it in order, or `at` another time"
    return "add an `allowed` example (or a `permitted` probe) one step outside"
