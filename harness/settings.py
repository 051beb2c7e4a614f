"""Defaults of flags from `standfast.toml` or `[tool.standfast]`, for what neither flag nor environment says."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .faults import BadInput, nearest


def defaults(folder: Path, flags: Mapping[str, Collection[str]]) -> dict[str, dict[str, Any]]:
    """The defaults by verb, from the settings file in this folder: a table a verb, a key a long flag without dashes.

    `flags` are the flags by verb. Raises BadInput for a file that is no TOML, and for a table or key that there is not.
    """
    files: tuple[tuple[str, tuple[str, ...]], ...] = (("standfast.toml", ()), ("pyproject.toml", ("tool", "standfast")))
    for name, path in files:
        file = folder / name
        tables = _inside(_toml(file), path, file) if file.is_file() else {}
        if tables:
            return {verb: _known(file, verb, table, flags) for verb, table in tables.items()}
    return {}


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as fault:
        raise BadInput(str(file), f"is no TOML: {fault}") from None


def _inside(data: dict[str, Any], path: tuple[str, ...], file: Path) -> dict[str, Any]:
    for key in path:
        data = data.get(key, {})
        if not isinstance(data, dict):
            raise BadInput(str(file), f"`{key}` is a table")
    return data


def _known(file: Path, verb: str, table: Any, flags: Mapping[str, Collection[str]]) -> dict[str, Any]:
    if verb not in flags:
        raise BadInput(str(file), f"there is no verb `{verb}`{nearest(verb, flags)}")
    if not isinstance(table, dict):
        raise BadInput(str(file), f"`{verb}` is a table of flags")
    for key in table:
        if key.replace("-", "_") not in flags[verb]:
            raise BadInput(str(file), f"`{verb}` has no flag `{key}`{nearest(key, flags[verb])}")
    return {key.replace("-", "_"): value for key, value in table.items()}
