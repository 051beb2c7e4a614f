"""Texts of any origin, labelled: JSON lines in, the same lines with what each text still says of its rule out."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from ..graders.retention import classify
from .faults import BadInput, nearest
from .readable import short
from .rulefile import Rule

Line = dict[str, Any]
STANDARD = Path("-")


def labelled(lines: Iterable[bytes], rules: Mapping[str, Rule], file: str) -> Iterator[Line]:
    """Each line with `retention`, `residue_kind` and `evidence`; other keys pass through, blank lines are left out.

    Raises BadInput with `file:line` for a line that is no JSON object with a known `rule` and a `text`.
    """
    for number, raw in enumerate(lines, 1):
        if raw.strip():
            line = _parsed(raw, f"{file}:{number}")
            rule = _rule(line, rules, f"{file}:{number}")
            reading = classify(line["text"], rule.atoms, rule.text)
            yield line | {
                "retention": str(reading.retention),
                "residue_kind": reading.kind and str(reading.kind),
                "evidence": reading.evidence,
            }


def _parsed(raw: bytes, place: str) -> Line:
    try:
        line = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_json)
    except UnicodeDecodeError:
        raise BadInput(place, "is no UTF-8 text") from None
    except RecursionError:
        raise BadInput(place, "is nested too deeply") from None
    except ValueError as fault:
        raise BadInput(place, f"is no JSON: {fault}") from None
    if not isinstance(line, dict):
        raise BadInput(place, f'is {short(line)}; a line is an object such as {{"rule": "ID", "text": "…"}}')
    return line


def _no_json(word: str) -> None:
    raise ValueError(f"`{word}` is not JSON")


def _rule(line: Line, rules: Mapping[str, Rule], place: str) -> Rule:
    for key in ("rule", "text"):
        if key not in line:
            raise BadInput(place, f"the key `{key}` is missing")
        if not isinstance(line[key], str):
            raise BadInput(place, f"`{key}` is a text, not {short(line[key])}")
    if line["rule"] not in rules:
        raise BadInput(place, f"there is no rule {short(line['rule'])}{nearest(line['rule'], rules)}")
    return rules[line["rule"]]


def run(rules: Mapping[str, Rule], source: Path, target: Path) -> int:
    """Labels the lines of a file into another, line by line, and returns how many; `-` is standard input or output.

    The output file is replaced when the last line is done, so that a bad line leaves it as it was. To standard output
    nothing is written before all lines are read.
    """
    count = 0
    with _reading(source) as lines, _writing(target) as out:
        name = "standard input" if source == STANDARD else str(source)
        for line in labelled(lines, rules, name):
            out.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            count += 1
    return count


@contextmanager
def _reading(path: Path) -> Iterator[IO[bytes]]:
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
        except OSError as fault:
            raise BadInput(str(path), f"cannot be read: {fault.strerror}") from None
        yield file


@contextmanager
def _writing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` at the end, if nothing goes wrong on the way."""
    if path == STANDARD or (path.exists() and not path.is_file()):
        with tempfile.TemporaryFile() as held:
            yield held
            held.seek(0)
            _copy(held, path)
        return
    path = path.resolve()  # a link keeps pointing where it does
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}."))
            out = stack.enter_context(Path(folder, path.name).open("wb"))
        except OSError as fault:
            raise BadInput(str(path), f"cannot be written: {fault.strerror}") from None
        yield out
        out.close()
        os.replace(out.name, path)


def _copy(held: IO[bytes], path: Path) -> None:
    if path == STANDARD:
        shutil.copyfileobj(held, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with path.open("wb") as out:
            shutil.copyfileobj(held, out)
    except OSError as fault:
        raise BadInput(str(path), f"cannot be written: {fault.strerror}") from None
