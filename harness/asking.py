"""From flags to what a run is asked to do, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from . import catalogue, compactors
from .catalogue import Found
from .faults import BadInput, nearest
from .plan import SELF, Arm, Asked
from .scenario import ProbeKind

DEMO_ACTORS = ("obedient", "violating", "reader", "refusing", "idle")
DEMO_WRITERS = ("verbatim", "softening", "dropping", "empty", "inventing")


def asked(
    scenarios: Sequence[str],
    folders: Sequence[Path],
    models: Sequence[str],
    compactors: Sequence[str],
    writers: Sequence[str],
    arms: str,
    probes: str,
    config: Mapping[str, Any],
    model_args: Sequence[str],
    **numbers: Any,
) -> tuple[Asked, list[Found]]:
    """What a run is asked to do, and its scenarios. Raises BadInput naming the flag and the nearest right thing."""
    chosen = catalogue.select(scenarios, folders)
    return Asked(
        scenarios=tuple(each.scenario.id for each in chosen),
        models=_models(models, "-m"),
        compactors=tuple(dict.fromkeys(_compactors(compactors))),
        writers=_models(writers, "--writer") or (SELF,),
        arms=_choices(arms, [str(arm) for arm in Arm], "--arms") or tuple(str(arm) for arm in Arm),
        probes=_choices(probes, [str(kind) for kind in ProbeKind], "--probes"),
        config={key: value for key, value in config.items() if value is not None},
        model_args=dict(_pair(text) for text in model_args),
        **numbers,
    ), chosen


def _compactors(names: Sequence[str]) -> list[str]:
    return [compactors.parse(name).label for name in names]


def _models(names: Sequence[str], flag: str) -> tuple[str, ...]:
    for name in names:
        if "/" not in name and not (flag == "--writer" and name == SELF):
            raise BadInput(
                flag, f"`{name}` is no model; a model is provider/name, such as anthropic/claude-… or scripted/reader"
            )
        if name.startswith("scripted/"):
            _subject(name, flag)
    if SELF in names and len(names) > 1:
        raise BadInput(flag, "`self` stands alone: either each model writes for itself, or writers are named")
    return tuple(dict.fromkeys(names))


def _subject(name: str, flag: str) -> None:
    from .providers.subjects import ACTORS, WRITERS

    subject = name.partition("/")[2]
    fits = ACTORS if flag == "-m" else {**WRITERS, **ACTORS}
    if subject not in fits:
        raise BadInput(
            flag, f"there is no scripted {'actor' if flag == '-m' else 'writer'} `{subject}`{nearest(subject, fits)}"
        )


def _choices(text: str, known: list[str], flag: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for each in chosen:
        if each not in known:
            raise BadInput(flag, f"`{each}` is none of {', '.join(known)}{_hint(each, known)}")
    return chosen


def _hint(word: str, known: list[str]) -> str:
    hint = nearest(word, known)
    return hint if hint.startswith("; did") else ""


def _pair(text: str) -> tuple[str, Any]:
    import yaml

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput("-M", f"`{text}` is not name=value")
    return name, yaml.safe_load(value)


def new_folder() -> Path:
    """A run folder that does not exist yet, named by the time."""
    return Path("results") / datetime.now().strftime("%Y-%m-%dT%H-%M-%S")


def demo() -> tuple[Asked, list[Found]]:
    """The demo: every bundled compactor that is installed, scripted writers and actors."""
    installed = [
        name
        for name in compactors.BUNDLED
        if compactors.BUNDLED[name].extra is None or compactors.package_version(compactors.parse(name)) is not None
    ]
    return asked(
        scenarios=[],
        folders=[],
        models=[f"scripted/{name}" for name in DEMO_ACTORS],
        compactors=installed,
        writers=[f"scripted/{name}" for name in DEMO_WRITERS],
        arms="",
        probes="",
        config={},
        model_args=[],
        cycles=1,
        draws=1,
        epochs=1,
        limit=None,
        window=1500,
        seed=1,
        turns=6,
    )
