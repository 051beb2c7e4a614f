"""What there is, a line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import catalogue, compactors
from .catalogue import Card
from .faults import BadInput, nearest
from .worlds import BUNDLED, world_type

Lines = list[dict[str, Any]]


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
    return [
        {
            "name": name,
            "writes": "writes" if entry.writes else "",
            "installed": "" if _installed(name) else f"extra {entry.extra}",
            "settings": ",".join(f"{k}={v}" for k, v in entry.settings.items()),
            "about": entry.about,
        }
        for name, entry in compactors.BUNDLED.items()
    ]


def _installed(name: str) -> bool:
    entry = compactors.BUNDLED[name]
    return entry.package is None or compactors.package_version(compactors.parse(name)) is not None


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
