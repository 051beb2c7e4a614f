"""Defaults of flags from `standfast.toml` or `[tool.standfast]`, for what neither flag nor environment says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from .faults import BadInput

# flags by their names in a file, and the names that typer's commands have for them
RENAMED = {"arms": "arm", "probes": "probe", "scenarios": "folders"}


def defaults(folder: Path) -> dict[str, Any]:
    """The defaults by verb, from the nearest settings file in this folder. Raises BadInput for no TOML."""
    for name, path in (("standfast.toml", ()), ("pyproject.toml", ("tool", "standfast"))):
        file = folder / name
        if not file.is_file():
            continue
        try:
            data: Any = tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
            raise BadInput(str(file), f"is no TOML: {fault}") from None
        for key in path:
            data = data.get(key, {})
        if data:
            return {
                "run": {RENAMED.get(key, key.replace("-", "_")): value for key, value in data.get("run", {}).items()}
            }
    return {}
