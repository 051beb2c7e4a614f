"""Finding scenarios: the bundled packs, and files or folders that a user names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .faults import BadInput, nearest
from .scenario import Scenario, load
from .varied import AS_WRITTEN
from .yaml_text import MAX_BYTES

# the folders of the checkout and of the installed package are the same tree
BUNDLED = Path(__file__).resolve().parents[1] / "scenarios"


@dataclass(frozen=True)
class Found:
    """A scenario and the pack that it lies in: the name of its folder."""

    scenario: Scenario
    pack: str


@dataclass(frozen=True)
class Card:
    """A scenario file that is not loaded yet: so one bad file spoils no run that does not use it."""

    path: Path
    id: str
    family: str

    @property
    def pack(self) -> str:
        return self.path.resolve().parent.name

    def load(self, seed: int = AS_WRITTEN) -> Found:
        """The scenario. Raises BadInput as `scenario.load` does."""
        return Found(load(self.path, seed), self.pack)


def files(folder: Path = BUNDLED) -> list[Path]:
    """The scenario files of a folder, pack by pack."""
    return sorted(path for path in folder.rglob("*.yaml") if not path.name.startswith("rules"))


def card(path: Path) -> Card:
    """The card of a file, from the lines that begin with `id:` and `family:`."""
    try:
        text = path.read_bytes()[:MAX_BYTES].decode("utf-8-sig", errors="replace")
    except OSError:
        text = ""
    return Card(path, _value("id", text), _value("family", text))


def _value(key: str, text: str) -> str:
    line = re.search(rf"^{key}:[ ]*(.*)$", text, re.MULTILINE)
    return line[1].strip().strip("'\"") if line else ""


def select(names: Sequence[str], folders: Sequence[Path] = (), seed: int = AS_WRITTEN) -> list[Found]:
    """The scenarios that `-s` names: an id, a family (`F02`), a pack, a file or a folder; all known ones without names.
    Another seed than 1 changes names, numbers and dates.

    Raises BadInput for a name that fits nothing, and for two scenarios of one id.
    """
    known = [card(path) for path in (*files(), *(path for folder in folders for path in _filled(folder)))]
    wanted = [each for name in names for each in _named(name, known)] if names else known
    chosen: dict[str, Found] = {}
    for each in dict.fromkeys(wanted):
        found = each.load(seed)
        if chosen.setdefault(found.scenario.id, found).scenario.digest != found.scenario.digest:
            raise BadInput(f"scenario {found.scenario.id}", "two files have this id; rename one")
    return list(chosen.values())


def _filled(folder: Path) -> list[Path]:
    found = files(folder) if folder.is_dir() else []
    if not found:
        raise BadInput(str(folder), "is no folder that holds a scenario file (*.yaml)")
    return found


def _named(name: str, known: list[Card]) -> list[Card]:
    if not name.strip():
        raise BadInput("scenario", "the name is empty, and there is no scenario without one")
    fits = [each for each in known if name in (each.id, each.pack) or name.upper() == each.family]
    path = Path(name)
    if fits:
        return fits
    if path.is_dir() and files(path):
        return [card(file) for file in files(path)]
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return [card(path)]
    names = {word for each in known for word in (each.id, each.family, each.pack) if word}
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
        found = _filled(path) if path.is_dir() else [path]
        for file in found:
            try:
                load(file)
                verdicts.append((file, None))
            except BadInput as fault:
                verdicts.append((file, str(fault)))
    return verdicts
