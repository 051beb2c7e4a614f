"""What is raised instead of a guess."""

from typing import Any


class Unreadable(ValueError):
    """The argument has no single reading; the trial is void, never held."""


def elements(value: Any) -> list[Any]:
    """The values that an argument holds: the items of a list, else the value itself."""
    return list(value) if isinstance(value, list | tuple) else [value]
