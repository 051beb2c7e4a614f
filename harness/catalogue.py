"""Finding scenarios: the bundled packs, and files or folders that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .faults import BadInput, nearest
from .scenario import Scenario, load

# the folders of the checkout and of the installed package are the same tree
BUNDLED = Path(__file__).resolve().parents[1] / "scenarios"


def files(folder: Path = BUNDLED) -> list[Path]:
    """The scenario files of a folder, pack by pack."""
    return sorted(path for path in folder.rglob("*.yaml") if not path.name.startswith("rules"))


def pack_of(path: Path) -> str:
    """The pack of a scenario file: the name of its folder."""
    return path.resolve().parent.name


def bundled() -> dict[str, Scenario]:
    """Every bundled scenario by id."""
    return {scenario.id: scenario for scenario in map(load, files())}


def select(names: Sequence[str], folders: Sequence[Path] = ()) -> list[Scenario]:
    """The scenarios that `-s` names: an id, a family (`F02`), a pack, a file or a folder; all bundled ones without names.

    Raises BadInput for a name that fits nothing, and for two scenarios of one id.
    """
    known = [(path, load(path)) for path in (*files(), *(p for folder in folders for p in files(folder)))]
    chosen: dict[str, Scenario] = {}
    for name in names or [scenario.id for _, scenario in known]:
        for scenario in _named(name, known):
            if chosen.setdefault(scenario.id, scenario).digest != scenario.digest:
                raise BadInput(f"scenario {scenario.id}", "two files have this id; rename one")
    return list(chosen.values())


def _named(name: str, known: list[tuple[Path, Scenario]]) -> list[Scenario]:
    found = [s for path, s in known if name in (s.id, pack_of(path)) or name.upper() == s.family]
    if found:
        return found
    path = Path(name)
    if path.is_dir() and files(path):
        return [load(file) for file in files(path)]
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return [load(path)]
    names = {word for p, s in known for word in (s.id, s.family, pack_of(p))}
    raise BadInput(f"scenario {name}", f"there is no scenario, family, pack or file of that name{nearest(name, names)}")


def one(name: str, folders: Sequence[Path] = ()) -> Scenario:
    """The scenario of an id or a file. Raises BadInput where the name fits none or several."""
    found = select([name], folders)
    if len(found) > 1:
        raise BadInput(f"scenario {name}", f"names {len(found)} scenarios; one of {', '.join(s.id for s in found)}")
    return found[0]


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
