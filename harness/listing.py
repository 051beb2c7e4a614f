"""What there is, a line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import catalogue, compactors
from .catalogue import Card
from .compactors import Entry
from .faults import BadInput, nearest
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
    return [_entry(each) for each in catalogue.cards([], folders)]


def _entry(card: Card) -> dict[str, Any]:
    """The line of a scenario. Files are not loaded for it: the proofs of a whole suite take a while."""
    keys = ("id", "family", "world", "rules", "title")
    found = {key: getattr(card, key) for key in keys}
    if not all(found.values()):
        s = card.load().scenario
        found = {"id": s.id, "family": s.family, "world": s.world.name, "rules": len(s.rules), "title": s.title}
    return {**found, "pack": card.pack}


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
