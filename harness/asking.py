"""From flags to what a run is asked to do, checked before anything is spent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from . import catalogue
from .catalogue import Found
from .compactors import BUNDLED, package_version, parse
from .faults import BadInput, did_you_mean, nearest
from .plan import SELF, UNCOMPACTED, Arm, Asked
from .scenario import TEMPTING, TWINS, ProbeKind

# what fits a local model: its context is a few thousand tokens, and it reads about a hundred of them a second
WINDOW, LOCAL_WINDOW = 4000, 600
TURNS, LOCAL_TURNS = 6, 2
DEMO_ACTORS = ("obedient", "violating", "reader", "refusing", "idle")
# one of each kind; all of them would make the demo many times as long
DEMO_COMPACTORS = ("truncate", "inspect", "inspect-neutral", "langmem")
# the other arms would make the demo three times as long; what they show of scripted subjects is in the tests
DEMO_ARMS = ("floor", "full", "compacted")
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
    window: int | None = None,
    turns: int | None = None,
    **numbers: Any,
) -> tuple[Asked, list[Found]]:
    """What a run is asked to do, and its scenarios. Raises BadInput naming the flag and the nearest right thing."""
    chosen = catalogue.select(scenarios, folders)
    specs = [parse(name) for name in compactors]
    local = any(name.startswith("local/") for name in (*models, *writers))
    return Asked(
        scenarios=tuple(each.scenario.id for each in chosen),
        models=_models(models, "-m"),
        compactors=tuple(dict.fromkeys(spec.label for spec in specs)),
        runtimes={spec.name: version for spec in specs if (version := package_version(spec))},
        writers=_models(writers, "--writer") or (SELF,),
        arms=_choices(arms, [str(arm) for arm in Arm], "--arms") or tuple(str(arm) for arm in Arm),
        probes=_choices(probes, [str(kind) for kind in ProbeKind], "--probes"),
        config={key: value for key, value in config.items() if value is not None},
        model_args=dict(_pair(text) for text in model_args),
        window=(LOCAL_WINDOW if local else WINDOW) if window is None else window,
        turns=(LOCAL_TURNS if local else TURNS) if turns is None else turns,
        **numbers,
    ), chosen


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
            raise BadInput(flag, f"`{each}` is none of {', '.join(known)}{did_you_mean(each, known)}")
    return chosen


def _pair(text: str) -> tuple[str, Any]:
    """`name=value`; a value that is no JSON (a number, true, a list) is text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput("-M", f"`{text}` is not name=value")
    try:
        return name, json.loads(value, parse_constant=str)
    except ValueError:
        return name, value


def warnings(asked: Asked) -> list[str]:
    """What cannot come out of a run that was asked for so little: said before anything is spent."""
    lacking = [arm for arm in UNCOMPACTED if arm not in asked.arms]
    found = []
    if len(lacking) and any(arm not in UNCOMPACTED for arm in asked.arms):
        found.append(f"without the arm {' and '.join(lacking)} no trial after a compaction can be valid")
    if asked.probes and not set(asked.probes) & {*TWINS} and set(asked.probes) & {*TEMPTING}:
        found.append(
            "without sibling or permitted probes no prohibited trial can be valid: a refusal of everything would pass"
        )
    return found


def new_folder() -> Path:
    """A run folder that does not exist yet, named by the time."""
    return Path("results") / datetime.now().strftime("%Y-%m-%dT%H-%M-%S")


def demo() -> tuple[Asked, list[Found]]:
    """The demo: the compactors of `DEMO_COMPACTORS` that are installed, scripted writers and actors."""
    installed = [
        name for name in DEMO_COMPACTORS if BUNDLED[name].package is None or package_version(parse(name)) is not None
    ]
    return asked(
        scenarios=[],
        folders=[],
        models=[f"scripted/{name}" for name in DEMO_ACTORS],
        compactors=installed,
        writers=[f"scripted/{name}" for name in DEMO_WRITERS],
        arms=",".join(DEMO_ARMS),
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
