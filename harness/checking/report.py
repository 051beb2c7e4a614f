"""The verb `check`: which files, progress on standard error, verdicts and coverage on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import catalogue
from ..catalogue import Card
from ..faults import BadInput
from . import coverage
from .verdict import Verdict, verdict

FEW = 5  # of so many and fewer nobody asks what they cover


def check(
    names: Sequence[str], folders: Sequence[Path], strict: bool | None, only_coverage: bool, seed: int, as_json: bool
) -> bool:
    """Whether a file failed; everything is printed. Raises BadInput for names that fit nothing."""
    cards = catalogue.cards(names, folders)
    if missing := next((each for each in cards if not each.path.exists()), None):
        raise BadInput(str(missing.path), "cannot be read: there is no such file")
    return _covered(cards, as_json) if only_coverage else _checked(cards, strict, seed, as_json)


def _checked(cards: Sequence[Card], strict: bool | None, seed: int, as_json: bool) -> bool:
    verdicts = []
    for each in _told(cards):
        verdicts.append(verdict(each.path, strict, seed))
        if not as_json:
            _print(verdicts[-1])
    failed = [each for each in verdicts if not each.passed]
    if as_json:
        print(json.dumps([_as_data(each) for each in verdicts], indent=1, ensure_ascii=False))
    elif len(cards) > FEW:
        print(f"\n{coverage.as_text([coverage.line(v.scenario) for v in verdicts if v.scenario])}")
    if len(cards) > FEW:
        print(f"{len(verdicts) - len(failed)} of {len(verdicts)} scenarios pass", file=sys.stderr)
    return bool(failed)


def _covered(cards: Sequence[Card], as_json: bool) -> bool:
    lines, failed = [], False
    for each in _told(cards):
        try:
            lines.append(coverage.line(each.load().scenario))
        except BadInput as fault:
            failed = True
            print(f"standfast: {fault}", file=sys.stderr)
    print(json.dumps(coverage.as_data(lines), indent=1) if as_json else coverage.as_text(lines))
    return failed


def _told(cards: Sequence[Card]) -> Iterator[Card]:
    """The cards, with progress where a person waits for it."""
    for i, each in enumerate(cards, 1):
        if len(cards) > FEW and sys.stderr.isatty():
            print(f"\r{i}/{len(cards)} {each.id[:50]:50}", end="", file=sys.stderr, flush=True)
        yield each
    if len(cards) > FEW and sys.stderr.isatty():
        print(f"\r{'':70}\r", end="", file=sys.stderr, flush=True)


def _print(found: Verdict) -> None:
    if found.passed:
        print(f"ok {found.file}")
    for fault in found.faults:
        print(f"standfast: {fault}", file=sys.stderr)


def _as_data(found: Verdict) -> dict[str, object]:
    return {
        "file": str(found.file),
        "id": found.scenario.id if found.scenario else None,
        "passed": found.passed,
        "faults": list(found.faults),
    }
