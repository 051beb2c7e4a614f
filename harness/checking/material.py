"""The bulk around a scenario's rules: it states none of them, and there is enough of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...graders.retention import Retention, classify
from ..history import Said, replayed
from ..scenario import Scenario
from ..worlds.world import Refused, World
from ..yaml_text import Where

Faults = Iterator[tuple[Where, str]]
PIECES = 40  # as many as a run of five boundaries and a window of 4000 tokens uses, and more
BOUNDARIES, WINDOW = 5, 4000
PARAGRAPH = 80  # characters; what is shorter may come twice


def states_a_rule(scenario: Scenario, world: World, seed: int) -> Faults:
    """Each rule that the world's filler states, in whole or in part; `world` stands at the first boundary."""
    pieces = list(_filler(world))
    whole = "\n\n".join(pieces)
    for rule in scenario.rules:
        if classify(whole, rule.atoms, rule.text).retention is Retention.DROPPED:
            continue
        for number, text in enumerate(pieces):
            found = classify(text, rule.atoms, rule.text)
            if found.retention is not Retention.DROPPED:
                where = ("rules", scenario.rules.index(rule), "atoms")
                said = f"piece {number} of the world's filler (seed {seed}) says something of rule `{rule.id}`"
                yield where, f"{said}: {found.evidence}; make the atoms narrower, or reword the filler"
                break


def _filler(world: World) -> Iterator[str]:
    copy = type(world).load(world.dump())
    for number in range(PIECES):
        bulk = copy.filler(number)
        try:
            yield "\n\n".join((bulk.ask, copy.call(bulk.tool, bulk.arguments), bulk.remark))
        except Refused as refusal:
            yield f"{bulk.ask}\n\n{refusal}"


def repeats_itself(scenario: Scenario) -> Faults:
    """The first long paragraph that comes twice on the way through five boundaries.

    What an authored call reads again is no repetition: lists are looked at twice in real work too.
    """
    seen: dict[str, Said] = {}
    for said in replayed(scenario, BOUNDARIES, window=WINDOW).said:
        for paragraph in re.split(r"\n\s*\n", said.text):
            text = " ".join(paragraph.split())
            if len(text) <= PARAGRAPH:
                continue
            first = seen.setdefault(text, said)
            if first is not said and not (_is_read(first) and _is_read(said)):
                where = f"{_from(first)}, then {_from(said)}"
                yield ("history", "chunks"), f"a paragraph comes twice in {BOUNDARIES} chunks ({where}): {text[:80]}…"
                return


def _is_read(said: Said) -> bool:
    return said.role == "tool" and said.origin == "authored"


def _from(said: Said) -> str:
    return f"{said.origin} {said.answers.tool if said.answers else said.role}"
