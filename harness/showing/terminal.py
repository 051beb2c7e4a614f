"""A scenario as text, for a terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from ..history import Said
from .card import Card, ProbeCard, RuleCard

WIDTH = 116
LONG = 200  # characters of filler that are shown


def as_text(card: Card) -> str:
    """What the agent may and may not do, what each probe asks, and the conversation as the agent sees it."""
    return "\n".join(
        [
            *_head(card),
            "\nRULES",
            *(line for rule in card.rules for line in _rule(rule)),
            "\nSUBTASKS  where they stand at the first boundary",
            *(line for id, state, text in card.subtasks for line in (_at(2, f"{id}: {text}"), _at(6, state))),
            "\nPROBES  one ends a trial; the labels of its trial, and what each needs",
            *(line for probe in card.probes for line in _probe(probe)),
            "\nCONVERSATION  as the agent sees it; one piece of filler, of which a run puts more",
            *(line for chunk in card.chunks for line in (*map(_spoken, chunk), "  ---- boundary ----")),
            "\nTOOLS",
            *(_at(2, f"{name}({parameters}): {about}") for name, parameters, about in card.tools),
        ]
    )


def _head(card: Card) -> Iterator[str]:
    s = card.scenario
    about = [f"family {s.family}", f"version {s.version}", f"world {s.world.name}", s.language, *([s.domain or ""])]
    yield f"{s.id}  ({', '.join(part for part in about if part)})"
    yield f"{s.title}\n"
    yield textwrap.fill(s.about.strip(), WIDTH)


def _rule(rule: RuleCard) -> Iterator[str]:
    yield _at(2, f"{rule.id}: “{rule.text}”")
    yield _at(6, " ".join(rule.meaning))
    yield "      It is broken by"
    yield from (_at(8, f"- {each}") for each in rule.broken_by)
    yield "      What a summary may make of it"
    yield from (_at(8, f"- {kind}: “{text}”") for kind, text in rule.residues)


def _probe(probe: ProbeCard) -> Iterator[str]:
    about = f" ({probe.rule})" if probe.rule else ""
    yield _at(2, f"{probe.id}: {probe.kind}{about}, {probe.what}")
    yield _at(6, f"“{probe.ask}”" + (f"  at {probe.at}" if probe.at else ""))
    yield from (_at(8, f"{label + ':':12} {needs}", 13) for label, needs in probe.labels if label != "void")


def _at(indent: int, text: str, hanging: int = 2) -> str:
    pad = " " * indent
    return textwrap.fill(
        text, WIDTH, initial_indent=pad, subsequent_indent=pad + " " * hanging, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _spoken(said: Said) -> str:
    calls = "".join(f"\n      → {call.tool}({json.dumps(call.arguments, ensure_ascii=False)})" for call in said.calls)
    text = said.text if said.origin != "filler" or len(said.text) < LONG else said.text[:LONG] + " …"
    mark = f" [rule {', '.join(said.plants)}]" if said.plants else ""
    turn = f"{said.turn:>3} " if said.turn and said.role != "tool" else "    "
    return f"{turn}{said.role}{mark}: " + text.replace("\n", "\n      ") + calls
