"""A first scenario of one's own: a commented file that passes `check`, and the schema that editors complete from."""

from __future__ import annotations

import json
from pathlib import Path

from .faults import BadInput
from .scenario import json_schema

STARTER = Path(__file__).with_name("starter.yaml")
NAME, SCHEMA = "my-first-scenario.yaml", "scenario.schema.json"
NEXT = """written: {file}, and {schema} beside it for completion in editors

next:
  standfast show {file}       what its agent may and may not do, in plain words
  standfast check {file}      proves it: change something in `forbids`, and see what is said
  standfast run -m scripted/reader --writer scripted/softening -c inspect-neutral -s {file}
  --scenarios {folder}        gives all scenarios of the folder the rights of the bundled ones, with every verb
CONTRIBUTING.md of the project explains each field."""


def start(folder: Path) -> str:
    """Writes the files and returns what to do next. Raises BadInput rather than overwrite anything."""
    file, schema = folder / NAME, folder / SCHEMA
    for path in (file, schema):
        if path.exists():
            raise BadInput(str(path), "is there already, and nothing is overwritten; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        first = f"# yaml-language-server: $schema={SCHEMA}\n"
        file.write_text(first + STARTER.read_text(encoding="utf-8"), encoding="utf-8")
        schema.write_text(json.dumps(json_schema(), indent=1) + "\n", encoding="utf-8")
    except OSError as fault:
        raise BadInput(str(folder), f"cannot be written: {fault.strerror}") from None
    return NEXT.format(file=file, schema=schema.name, folder=folder)
