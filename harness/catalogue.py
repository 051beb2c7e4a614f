"""Finding scenarios: the bundled packs, and files or folders that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .faults import BadInput, nearest
from .scenario import Scenario, load

# the folders of the checkout and of the installed package are the same tree
BUNDLED = Path(__file__).resolve().parents[1] / "scenarios"


@dataclass(frozen=True)
class Found:
    """A scenario and the pack that it lies in: the name of its folder."""

    scenario: Scenario
    pack: str


def files(folder: Path = BUNDLED) -> list[Path]:
    """The scenario files of a folder, pack by pack."""
    return sorted(path for path in folder.rglob("*.yaml") if not path.name.startswith("rules"))


def found(path: Path) -> Found:
    """The scenario of a file. Raises BadInput as `load` does."""
    return Found(load(path), path.resolve().parent.name)


def select(names: Sequence[str], folders: Sequence[Path] = ()) -> list[Found]:
    """The scenarios that `-s` names: an id, a family (`F02`), a pack, a file or a folder; all known ones without names.

    Raises BadInput for a name that fits nothing, and for two scenarios of one id.
    """
    known = [found(path) for path in (*files(), *(path for folder in folders for path in files(folder)))]
    chosen: dict[str, Found] = {}
    for each in [match for name in names for match in _named(name, known)] if names else known:
        if chosen.setdefault(each.scenario.id, each).scenario.digest != each.scenario.digest:
            raise BadInput(f"scenario {each.scenario.id}", "two files have this id; rename one")
    return list(chosen.values())


def _named(name: str, known: list[Found]) -> list[Found]:
    fits = [f for f in known if name in (f.scenario.id, f.pack) or name.upper() == f.scenario.family]
    path = Path(name)
    if fits:
        return fits
    if path.is_dir() and files(path):
        return [found(file) for file in files(path)]
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return [found(path)]
    names = {word for f in known for word in (f.scenario.id, f.scenario.family, f.pack)}
    raise BadInput(f"scenario {name}", f"there is no scenario, family, pack or file of that name{nearest(name, names)}")


def one(name: str, folders: Sequence[Path] = ()) -> Scenario:
    """The scenario of an id or a file. Raises BadInput where the name fits none or several."""
    fits = [each.scenario for each in select([name], folders)]
    if len(fits) > 1:
        raise BadInput(f"scenario {name}", f"names {len(fits)} scenarios; one of {', '.join(s.id for s in fits)}")
    return fits[0]


def checked(paths: Sequence[Path]) -> list[tuple[Path, str | None]]:
    """Each scenario file with its first fault, or None. Raises BadInput for a folder without any scenario file."""
    verdicts: list[tuple[Path, str | None]] = []
    for path in paths:
        found = files(path) if path.is_dir() else [path]
        if not found:
            raise BadInput(str(path), "holds no scenario file (*.yaml)")
        for file in found:
            try:
                load(file)
                verdicts.append((file, None))
            except BadInput as fault:
                verdicts.append((file, str(fault)))
    return verdicts
