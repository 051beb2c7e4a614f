"""The texts in a JSON value: found, or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value; keys are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """The JSON value with every text of it changed; the value itself is left alone."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: changed(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [changed(item, change) for item in value]
    return value
