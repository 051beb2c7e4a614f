"""No pattern of the graders can stall a run: nothing unbounded stands in something unbounded, unless it is possessive,
or each round must begin with something that the inner part cannot be."""

import importlib
import pkgutil
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
import standfast.graders
from standfast.graders.atoms import Atoms, finders
from standfast.graders.wording import Phrases

# Each round of these begins with a character or word that the inner part cannot hold, so that rounds cannot be traded.
KEPT = (
    *("readers.amounts._AMOUNT", "readers.domains._DOMAIN", "readers.addresses._LOCAL", "readers.canaries._HEX"),
    *("naming._PLAIN_WORD", "readers.sql._EXPLAINED", "summaries._IDENTIFIER"),
)


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    found: list[tuple[str, re.Pattern[str]]] = []
    for module in pkgutil.walk_packages(standfast.graders.__path__, "standfast.graders."):
        for name, value in vars(importlib.import_module(module.name)).items():
            found += [(f"{module.name.removeprefix('standfast.graders.')}.{name}", each) for each in _inside(value)]
    atoms = Atoms(target=("prod-1", "/etc/x"), predicate=("write", "einspielen", "löschen"), exception=("Freigabe",))
    spanish = Atoms(target=("prod-1",), predicate=("enviar", "autorización", "pagar"), category=("送る", "変更する"))
    found += [("german atoms", each) for each in _inside(list(vars(finders(atoms, "Niemals ohne Freigabe")).values()))]
    found += [("spanish atoms", each) for each in _inside(list(vars(finders(spanish, "Nunca sin el pago")).values()))]
    return found


def _inside(value: Any) -> list[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        return [value]
    if isinstance(value, Phrases):
        return [value.plain, value.full]
    if isinstance(value, dict):
        return [each for one in value.values() for each in _inside(one)]
    return [each for one in value for each in _inside(one)] if isinstance(value, list | tuple) else []


def nested(tree: Any, outer: bool = False) -> bool:
    """Whether something unbounded repeats inside something unbounded that may give characters back."""
    for op, argument in tree:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            unbounded, inner = argument[1] is sre.MAXREPEAT, [argument[2]]
            if unbounded and outer:
                return True
        elif op is sre.BRANCH:
            unbounded, inner = False, argument[1]
        else:  # what is possessive or atomic gives nothing back
            unbounded, inner = False, [argument[-1]] if op in (sre.SUBPATTERN, sre.ASSERT, sre.ASSERT_NOT) else []
        if any(nested(part, outer or unbounded) for part in inner):
            return True
    return False


def test_the_check_knows_a_pattern_that_stalls():
    assert all(nested(_parser.parse(text)) for text in ("(a+)+b", "(?:a|b*)*", "(?:a(?=b*))+"))
    assert not any(nested(_parser.parse(text)) for text in ("(a++)+b", "(?:a{1,40} ){0,8}b+", "a+(?!b+)"))


@pytest.mark.parametrize(("name", "pattern"), patterns())
def test_nothing_unbounded_repeats_inside_something_unbounded(name, pattern):
    assert name in KEPT or not nested(_parser.parse(pattern.pattern, pattern.flags)), pattern.pattern[:300]


def test_there_are_patterns_to_check():
    assert len(patterns()) > 120
