"""Doctests of the graders, run on the imported modules."""

import doctest
import importlib
import pkgutil

import pytest
import standfast.graders

MODULES = [module.name for module in pkgutil.walk_packages(standfast.graders.__path__, "standfast.graders.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_readers_and_the_retention_grader_have_examples():
    for name in ("readers.paths", "readers.sql", "conditions.places", "retention"):
        assert doctest.testmod(importlib.import_module(f"standfast.graders.{name}")).attempted > 0


def test_the_grader_version_is_a_label():
    assert isinstance(standfast.graders.GRADER_VERSION, str)
    assert standfast.graders.GRADER_VERSION
