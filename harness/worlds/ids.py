"""Ids of starting data."""

from __future__ import annotations

from collections.abc import Sequence


def twice(ids: Sequence[str]) -> list[str]:
    """The ids that stand more than once, each once.

    >>> twice(["INC-1", "INC-2", "INC-1"])
    ['INC-1']
    """
    return sorted({one for one in ids if ids.count(one) > 1})
