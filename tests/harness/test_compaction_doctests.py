"""The examples in the docstrings of what compacts, and audits, and stands beside a world."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["audit", "messages", "agents.desk", "compactors.split.tombstones"])
def test_examples_in_docstrings_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"standfast.harness.{name}"))
    assert found.attempted
    assert not found.failed
