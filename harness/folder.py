"""A run folder: what was asked, the scenarios as they were, logs, snapshots, rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .catalogue import Found
from .faults import BadInput
from .plan import Asked
from .scenario import Scenario

FORMAT = "standfast/1"


class RunFolder:
    """An existing run folder. Raises BadInput for a folder that is none of ours."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.resolve().name
        self.logs, self.snapshots, self.rows = path / "logs", path / "snapshots", path / "rows"
        self.trials = path / "trials.json"
        run = _read_run(path)
        try:
            self.version = str(run["versions"]["standfast"])
            self._asked = _asked(run["asked"])
            self._scenarios = {id: (str(each["digest"]), str(each["pack"])) for id, each in run["scenarios"].items()}
        except (LookupError, TypeError, AttributeError) as fault:
            raise BadInput(str(path / "run.json"), f"is damaged: {type(fault).__name__} {fault}") from None

    def asked(self) -> Asked:
        """What the run was asked to do."""
        return self._asked

    def pack(self, scenario: str) -> str:
        """The pack of a scenario of this run."""
        return self._scenarios[scenario][1]

    def scenarios(self) -> list[Scenario]:
        """The scenarios as they were when the run began or was last resumed. Raises BadInput for a damaged file."""
        return [_scenario(self.path / "scenarios" / f"{digest}.json", digest) for digest, _ in self._scenarios.values()]

    def with_rows(self) -> RunFolder:
        """This folder. Raises BadInput where a run has left no rows yet, or those of another version."""
        from pyarrow.parquet import read_schema

        from .schemas import SCHEMAS

        for name, schema in SCHEMAS.items():
            file = self.rows / f"{name}.parquet"
            if not file.exists():
                raise BadInput(str(self.path), "has no rows yet; `standfast regrade` makes them from the logs")
            if not set(schema.names) <= set(read_schema(file).names):
                fault = f"{file.name} lacks columns of this version; `standfast regrade` makes the rows again"
                raise BadInput(str(self.path), fault)
        return self


def _asked(values: dict[str, Any]) -> Asked:
    known = {field.name for field in fields(Asked)}
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in known}
    return Asked(**given)


def _scenario(file: Path, digest: str) -> Scenario:
    try:
        scenario = Scenario.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as fault:
        raise BadInput(str(file), f"cannot be read: {str(fault).splitlines()[0]}") from None
    if scenario.digest != digest:
        raise BadInput(str(file), f"was changed: it says what has the digest {scenario.digest}")
    return scenario


def _read_run(path: Path) -> dict[str, Any]:
    file = path / "run.json"
    try:
        run: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(str(path), "is no run folder: it has no run.json; `standfast run --out DIR` makes one") from None
    except (ValueError, OSError) as fault:
        raise BadInput(str(file), f"cannot be read: {fault}") from None
    if not isinstance(run, dict) or run.get("format") != FORMAT:
        raise BadInput(str(file), f"is no run of standfast: `format` is not {FORMAT!r}")
    return run


def open_for(path: Path, asked: Asked, found: Sequence[Found]) -> RunFolder:
    """The folder of this run, made, or found again to be resumed.

    Raises BadInput for a folder that holds something else, or a run that was asked for something else: nothing of it is
    touched. Edited scenarios are no other run; their trials are new ones.
    """
    if path.exists() and not path.is_dir():
        raise BadInput(str(path), "is a file; --out names a folder")
    if (path / "run.json").exists():
        differs = _difference(RunFolder(path).asked().as_json(), asked.as_json())
        if differs:
            raise BadInput(
                str(path), f"holds a run with another {', '.join(differs)}; name another --out, or ask for the same"
            )
    elif path.exists() and any(path.iterdir()):
        raise BadInput(str(path), "is neither empty nor a run folder; name another --out")
    _write(path, asked, found)
    return RunFolder(path)


def _difference(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [f"{key} ({one.get(key)} there, {other.get(key)} here)" for key in other if one.get(key) != other[key]]


def _write(path: Path, asked: Asked, found: Sequence[Found]) -> None:
    (path / "scenarios").mkdir(parents=True, exist_ok=True)
    for scenario in (each.scenario for each in found):
        _replace(
            path / "scenarios" / f"{scenario.digest}.json",
            scenario.model_dump_json(indent=1, exclude_none=True, by_alias=True),
        )
    run = {
        "format": FORMAT,
        "asked": asked.as_json(),
        "scenarios": {each.scenario.id: {"digest": each.scenario.digest, "pack": each.pack} for each in found},
        "versions": {name: version(name) for name in ("standfast", "inspect-ai")},
    }
    _replace(path / "run.json", json.dumps(run, indent=1) + "\n")


def _replace(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
