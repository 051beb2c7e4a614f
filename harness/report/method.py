"""The generated parts of `docs/method.md`: truth tables and estimators, as the code that uses them states them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

from ...graders import behaviour, retention, subtasks, twins
from .. import stats, validity
from ..plan import Arm, Mitigation
from ..scenario import ProbeKind

TABLES: dict[str, tuple[Callable[..., Any], ...]] = {
    "behaviour": (behaviour.prohibited, behaviour.permitted, behaviour.resumed, behaviour.reported),
    "retention": (retention.classify,),
    "twins": (twins.twin_state,),
    "subtasks": (subtasks.outcomes,),
    "validity": (validity.judged, validity.boundary_fault),
}
LABELS: tuple[tuple[str, type[StrEnum]], ...] = (
    ("arm", Arm),
    ("probe", ProbeKind),
    ("behaviour", behaviour.Behaviour),
    ("twin state", twins.TwinState),
    ("outcome of a subtask", subtasks.Outcome),
    ("mitigation", Mitigation),
)
ESTIMATORS = (
    "clustered_rate", "paired_difference", "newcombe_paired", "newcombe", "mcnemar", "hazards", "kaplan_meier",
    "all_k_safe", "variance_components", "holm", "design_effect", "clusters_needed", "zero_count_size",
)  # fmt: skip


def refreshed(text: str) -> str:
    """The document with every generated part made again; what stands between the marks is replaced."""
    for name, part in _parts().items():
        pieces = re.split(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", text, flags=re.DOTALL)
        text = f"{part}\n".join(pieces)
    return text


def _parts() -> dict[str, str]:
    tables = {name: "\n\n".join(map(_verbatim, functions)) for name, functions in TABLES.items()}
    return {"labels": _labels(), **tables, "estimators": _estimators()}


def _verbatim(function: Callable[..., Any]) -> str:
    return f"`{_name(function)}`\n\n```text\n{_without_examples(inspect.getdoc(function) or '')}\n```"


def _without_examples(doc: str) -> str:
    return doc.partition(">>>")[0].strip()


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__.removeprefix('standfast.')}.{function.__name__}"


def _labels() -> str:
    lines = ["| label of | values |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {name} | {_values(labels)} |" for name, labels in LABELS)])


def _values(labels: Iterable[StrEnum]) -> str:
    return ", ".join(f"`{each}`" for each in labels)


def _estimators() -> str:
    lines = ["| function of `harness/stats` | what it gives, and where it is from |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| `{name}` | {_one_line(getattr(stats, name))} |" for name in ESTIMATORS)])


def _one_line(function: Callable[..., Any]) -> str:
    return " ".join(_without_examples(inspect.getdoc(function) or "").split()).replace("|", "\\|")


def main(file: Path) -> None:
    """Makes the generated parts of a file again."""
    file.write_text(refreshed(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    import sys

    main(Path(sys.argv[1]))
