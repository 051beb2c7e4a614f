"""What is raised instead of a guess."""

from typing import Any

LONGEST = 120


class Unreadable(ValueError):
    """The argument has no single reading; the trial is void, never held."""


def shown(value: Any) -> str:
    """The value as a message can quote it: cut, since it may be a megabyte, and of any depth.

    >>> shown("x" * 200)[-5:]
    "xxx…'"
    """
    try:
        text = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to be quoted"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]}…{text[-1]}"


def elements(value: Any) -> list[Any]:
    """The values that an argument holds: the items of a list, else the value itself."""
    return list(value) if isinstance(value, list | tuple) else [value]
