"""YAML as plain data with the line of every value; nothing is guessed and nothing can blow up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .faults import BadInput

MAX_BYTES = 1_000_000
MAX_DEPTH = 30

Where = tuple[str | int, ...]


class _Reader(yaml.SafeLoader):
    """A SafeLoader whose only implicit types are true, false, null and plain decimal numbers.

    YAML 1.1 would read `no` as false, `12:30` as 750 and a date as an object: scenario texts are full of those.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the name is PyYAML's


_TAG = "tag:yaml.org,2002:"


def _resolvers() -> None:
    import re

    plain = [
        ("bool", r"^(?:true|false)$", "tf"),
        ("null", r"^(?:null|~|)$", ["n", "~", ""]),
        ("int", r"^-?(?:0|[1-9][0-9]{0,14})$", "-0123456789"),
        ("float", r"^-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}$", "-0123456789"),
    ]
    for name, pattern, first in plain:
        _Reader.add_implicit_resolver(_TAG + name, re.compile(pattern), list(first))


_resolvers()


@dataclass(frozen=True)
class Parsed:
    """The data of one file, and the line (from 1) of each value by its path in the data."""

    file: str
    data: Any
    lines: dict[Where, int] = field(repr=False)

    def place(self, where: Where) -> str:
        """`file:line path`, with the line of the nearest value that the file has."""
        known: Where = tuple(where)
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.file}:{self.lines.get(known, 1)} {dotted(where)}".rstrip()


def dotted(where: Where) -> str:
    """The path as people write it.

    >>> dotted(("rules", 0, "forbids"))
    'rules[0].forbids'
    """
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def read(path: Path) -> Parsed:
    """The data of a YAML file.

    Raises BadInput, with file and line, for a file that is missing, too large, no UTF-8, no YAML, too deeply nested,
    or that uses an alias, a tag, or a key twice.
    """
    return parse(_text(path), str(path))


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise BadInput(str(path), f"cannot be read: {fault.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise BadInput(str(path), f"is larger than {MAX_BYTES:,} bytes; a scenario file is text of some kilobytes")
    if b"\0" in raw:
        raise BadInput(str(path), "is a binary file; a scenario file is UTF-8 text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw[: fault.start].count(b"\n") + 1
        raise BadInput(f"{path}:{line}", "is no UTF-8 text; save the file as UTF-8") from None


def parse(text: str, file: str) -> Parsed:
    """The data of a YAML text; `file` is only named in messages. Raises BadInput as `read` does."""
    try:
        _refuse_what_is_not_plain(text, file)
        loader = _Reader(text)
        try:
            node = loader.get_single_node()
            lines: dict[Where, int] = {}
            data = _plain(node, (), lines, loader, file) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise BadInput(
            f"{file}:{mark.line + 1 if mark else 1}", f"is no YAML: {fault.problem or fault.context}"
        ) from None
    except yaml.YAMLError as fault:
        raise BadInput(f"{file}:1", f"is no YAML: {' '.join(str(fault).split())}") from None
    except RecursionError:
        raise BadInput(f"{file}:1", f"is nested deeper than {MAX_DEPTH} levels") from None
    return Parsed(file, data, lines)


def _refuse_what_is_not_plain(text: str, file: str) -> None:
    """Aliases let ten lines stand for a billion; depth is bounded before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            name = getattr(event, "anchor", "")
            raise BadInput(f"{file}:{line}", f"anchor or alias `{name}`: write the value out; aliases are not read")
        if tag := getattr(event, "tag", None):
            raise BadInput(f"{file}:{line}", f"tag `{tag}`: tags are not read; write the value in quotes if it is text")
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise BadInput(f"{file}:{line}", f"is nested deeper than {MAX_DEPTH} levels")


def _plain(node: yaml.Node, where: Where, lines: dict[Where, int], loader: _Reader, file: str) -> Any:
    lines[where] = _line(node)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*where, i), lines, loader, file) for i, child in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    data: dict[str, Any] = {}
    for key_node, child in node.value:
        line = _line(key_node)
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadInput(f"{file}:{line}", "a key is a word, not a list or a mapping")
        key = str(key_node.value)
        if key in data:
            raise BadInput(f"{file}:{line} {dotted((*where, key))}", f"the key `{key}` stands twice")
        data[key] = _plain(child, (*where, key), lines, loader, file)
        lines[(*where, key)] = line
    return data


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1 if node.start_mark else 1
