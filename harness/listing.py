"""What there is, a line each, and one scenario as the agent will see it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from . import catalogue, compactors
from .compactors import Entry
from .faults import BadInput, nearest
from .history import Conversation, Said
from .scenario import Scenario
from .worlds import BUNDLED, world_type

Lines = list[dict[str, Any]]
BRIEF = ("name", "kind", "installed", "keeps", "originals", "shows")
OWN = "built in"


def lines(what: str, folders: Sequence[Path]) -> Lines:
    """The things of a kind. Raises BadInput for a kind that there is not."""
    kinds: dict[str, Callable[[], Lines]] = {
        "scenarios": lambda: _scenarios(folders),
        "compactors": _compactors,
        "worlds": _worlds,
        "models": _models,
    }
    if what not in kinds:
        raise BadInput("list", f"there is no list of `{what}`{nearest(what, kinds)}")
    return kinds[what]()


def _scenarios(folders: Sequence[Path]) -> Lines:
    return [
        {"id": s.id, "family": s.family, "world": s.world.name, "rules": len(s.rules), "title": s.title}
        for s in (each.scenario for each in catalogue.select([], folders))
    ]


def _compactors() -> Lines:
    return [_compactor(name, entry) for name, entry in compactors.BUNDLED.items()]


def _compactor(name: str, entry: Entry) -> dict[str, Any]:
    """All that is said of a compactor; BRIEF is what a terminal has room for."""
    version = compactors.package_version(compactors.parse(name))
    return {
        "name": name,
        "kind": str(entry.kind),
        "keeps": entry.keeps,
        "originals": entry.originals,
        "shows": entry.shows,
        "installed": version or (OWN if entry.package is None else f"extra {entry.extra}"),
        "available": version is not None or entry.package is None,
        "extra": entry.extra,
        "package": entry.package,
        "provider": entry.provider,
        "settings": entry.defaults,
        "choices": {key: list(values) for key, values in entry.choices.items()},
        "spares": list(entry.spares),
        "about": entry.about,
    }


def brief(what: str, found: Lines) -> Lines:
    """The lines as a terminal shows them."""
    return [{key: line[key] for key in BRIEF} for line in found] if what == "compactors" else found


def markdown(what: str) -> str:
    """The compactors as a table for the README: the same wherever it is made, whatever is installed there.

    Raises BadInput for another list.
    """
    if what != "compactors":
        raise BadInput("list --markdown", f"makes a table of compactors, not of {what}")
    head = ("compactor", "kind", "stays word for word", "where originals go", "what the writer is shown", "extra")
    lines = [
        (f"`{each['name']}`", *(each[key] for key in ("kind", "keeps", "originals", "shows")), _extra(each))
        for each in _compactors()
    ]
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |" for row in rows)


def _extra(line: dict[str, Any]) -> str:
    return f"`{line['extra']}`" if line["extra"] else ""


def _worlds() -> Lines:
    return [{"name": name, "about": world_type(name).about} for name in BUNDLED]


def _models() -> Lines:
    from .providers.subjects import ACTORS, WRITERS

    def about(function: Callable[..., Any]) -> str:
        return (function.__doc__ or "").split("\n")[0]

    return [
        *({"name": f"scripted/{name}", "role": "actor", "about": about(f)} for name, f in ACTORS.items()),
        *({"name": f"scripted/{name}", "role": "writer", "about": about(f)} for name, f in WRITERS.items()),
        {
            "name": "local/smollm2",
            "role": "both",
            "about": "SmolLM2-135M in process: for plumbing, too small for any finding.",
        },
        {
            "name": "PROVIDER/NAME",
            "role": "both",
            "about": "Any model that Inspect runs, such as anthropic/… or openai/…",
        },
    ]


# ---- one scenario


def shown(scenario: Scenario) -> str:
    """The scenario as text: the conversation as the agent sees it, then rules, subtasks and probes."""
    return "\n".join(_shown(scenario))


def _shown(scenario: Scenario) -> Iterator[str]:
    story = Conversation(scenario)
    yield f"{scenario.id}  ({scenario.family}, version {scenario.version})\n{scenario.title}\n"
    yield f"{scenario.about.strip()}\n"
    yield f"TOOLS  world {scenario.world.name}"
    yield from (
        f"  {spec.name}({', '.join(spec.parameters.get('properties', {}))})" for spec in story.world.tools().values()
    )
    yield "\nCONVERSATION  as the agent sees it; one piece of filler, where a run puts as many as its window asks for"
    start = 0
    for _ in scenario.history.chunks:
        story.grow()
        yield from (_spoken(said) for said in story.said[start:])
        start = len(story.said)
        yield "  ---- boundary ----"
    yield "\nRULES  what a violation is"
    for rule in scenario.rules:
        yield f"  {rule.id} ({rule.modality}, {rule.norm}; planted by {rule.plant.channel}, turn {rule.plant.turn})"
        yield f"    {rule.text}"
        yield from (f"    violated by {pattern.model_dump_json(exclude_defaults=True)}" for pattern in rule.forbids)
    yield "\nSUBTASKS"
    for subtask in scenario.subtasks:
        yield (
            f"  {subtask.id}: {subtask.state}"
            + (f", waits for {subtask.waits_for}" if subtask.waits_for else "")
            + f". {subtask.text}"
        )
    yield "\nPROBES  one a trial"
    yield from (f"  {probe.kind}{f' ({probe.rule})' if probe.rule else ''}: {probe.ask}" for probe in scenario.probes)


def _spoken(said: Said) -> str:
    calls = "".join(f"\n      → {call.tool}({json.dumps(call.arguments, ensure_ascii=False)})" for call in said.calls)
    text = said.text if said.origin != "filler" or len(said.text) < 200 else said.text[:200] + " …"
    mark = f" [rule {', '.join(said.plants)}]" if said.plants else ""
    return f"  {said.role}{mark}: " + text.replace("\n", "\n      ") + calls
