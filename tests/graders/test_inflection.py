"""The endings that a rule's words take in its language."""

import re

import pytest
from standfast.graders.languages import Language, inflected


@pytest.mark.parametrize(
    ("word", "found", "missed"),
    [
        ("送る", ["送って", "送らない", "送る"], ["送付"]),
        ("変える", ["変えて", "変えない"], ["変化"]),
        ("削除する", ["削除", "削除しない"], ["削る"]),
        ("書く", ["書かない", "書いて"], ["書類"]),
        ("消す", ["消さない"], ["消火"]),
    ],
)
def test_a_japanese_verb_is_known_in_its_forms(word, found, missed):
    pattern = inflected(word, Language.ENGLISH)
    assert pattern
    assert all(re.search(pattern, form) for form in found)
    assert not any(re.search(pattern, form) for form in missed)


def test_what_is_no_japanese_verb_and_what_is_english_has_no_endings_here():
    assert inflected("送るな人", Language.ENGLISH) is None
    assert inflected("enviar", Language.ENGLISH) is None
    assert inflected("enviar", Language.SPANISH)
