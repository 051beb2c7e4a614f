"""The report as Markdown."""

from __future__ import annotations

import re

from ..loading import Runs
from .answers import sentences
from .each_rule import each_rule
from .estimated import estimated
from .sheets import Sheet, counted
from .terminal import NOTE
from .visible import line


def as_markdown(runs: Runs) -> str:
    """The report: the answer, then every table."""
    return "\n".join(text for each in runs.each() for text in _run(each)) + "\n"


def _run(run: Runs) -> list[str]:
    tables = [text for sheet in [*counted(run), *each_rule(run), *estimated(run)] for text in _table(sheet)]
    answer = [f"- {_safe(sentence)}" for sentence in sentences(run)]
    return [f"# standfast: {_safe(run.name)}", "", *answer, "", NOTE, "", *tables]


def _table(sheet: Sheet) -> list[str]:
    names = [*sheet.left, *sheet.right]
    rule = ["---"] * len(sheet.left) + ["--:"] * len(sheet.right)
    rows = [names, rule, *([_safe(cell) for cell in cells] for cells in sheet.lines)]
    return [f"## {_safe(sheet.title)}", "", _safe(sheet.about), "", *(f"| {' | '.join(row)} |" for row in rows), ""]


def _safe(text: str) -> str:
    """The text in one line, with what Markdown or HTML would read as a sign taken as text."""
    return (
        re.sub(r"([\\`*_\[\]<>|#~&])", r"\\\1", line(text))
        .replace("\\<", "&lt;")
        .replace("\\>", "&gt;")
        .replace("\\&", "&amp;")
    )
