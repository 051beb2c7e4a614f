"""Where a text divides into sentences, and which lines introduce them."""

import pytest
from standfast.graders.sentences import Sentence, split


def pieces(text):
    return [text[one.start : one.end] for one in split(text)]


def leads(text):
    """The introducing lines of the last sentence."""
    return [text[start:end] for start, end in split(text)[-1].leads]


FORTY = "x" * 39 + "y"
DIVIDED = [
    (f"{FORTY}\ngoes on", 1),  # broken for width
    (f"{FORTY[1:]}\ngoes on", 2),  # too short to have been broken
    (f"{FORTY}\n\ngoes on", 2),
    (f"{FORTY}\nGoes on", 2),
    (f"{FORTY}.\ngoes on", 2),
    (f"{FORTY}:\ngoes on", 2),
    (f"{FORTY}|\ngoes on", 2),
    (f"{FORTY}\n   goes on", 1),
    (f"{FORTY}\n         goes on", 2),
    (f"{FORTY}\ngoes on and on and on and on and on and on\nto the end", 1),
    ("One. Two", 2),
    ("One.Two", 1),
    ("See e.g. this", 1),
    ("1. One", 1),
    ("am 12. Mai", 1),
    ("am 12. Uhr", 2),
    ('"One." goes on', 1),
    ('"One." Goes on', 2),
    ("一。二", 2),
    ("***", 0),
    ("\n\n", 0),
]


@pytest.mark.parametrize(("text", "number"), DIVIDED)
def test_a_text_divides_into_its_sentences(text, number):
    assert len(pieces(text)) == number


def test_sentences_of_one_paragraph_go_on_and_the_first_does_not():
    assert [one.goes_on for one in split("One. Two. Three.\n\nFour.")] == [False, True, True, False]
    assert Sentence(0, 1).goes_on is False
    with pytest.raises(AttributeError):
        Sentence(0, 1).start = 2


LED = [
    ("Never:\n- a", ["Never:"]),
    ("# Never\n- a", ["# Never"]),
    ("# Never\na", []),  # prose is introduced by nothing
    ("# Never\n## Always", []),
    ("# Never\n- a\n# Always\n- b", ["# Always"]),
    ("# Never\n## Here\n- a", ["# Never", "## Here"]),
    ("## Never\n# Here\n- a", ["# Here"]),
    ("- a\n  - b", ["- a"]),
    ("- a\n- b", []),
    ("- a\n  - b\n- c\n  - d", ["- c"]),
    ("- a\n  - b\n    - c\n      - d\n        - e\n          - f", ["  - b", "    - c", "      - d", "        - e"]),
    ("Never.\n- a", []),
    ("Never: one. Two:\n- a", ["Two:"]),
    ('{\n  "a": 1\n}', []),
    ('{\n  "never": {\n    "a": 1', ["{", '"never": {']),
    ("<never>\n  a", ["<never>"]),
    ("| never |\n| a |", ["| never |"]),
    ("| never |\n| a |\n| b |", ["| never |"]),
    ("| never |\n   \n| a |", ["| never |"]),
    ("| never |\n| a |\n\ntext\n\n| b |\n| c |", ["| b |"]),
    ("# Never\n| a |\n| b |", ["# Never", "| a |"]),
    ("Never:\n\n- a", ["Never:"]),
    ("Never:\n|a|", ["Never:"]),
    ("Never:\n| a |", ["Never:"]),
    ("Never a | b:\n- c", ["Never a | b:"]),
    ("# Never\ntext | x", []),
    ("<never>\n  - x\n    a", ["<never>", "- x"]),
]


@pytest.mark.parametrize(("text", "expected"), LED)
def test_a_sentence_is_introduced_by_the_lines_that_are_open_above_it(text, expected):
    assert [lead.strip() for lead in leads(text)] == [lead.strip() for lead in expected]


def test_what_is_longer_than_three_hundred_characters_introduces_nothing():
    assert leads(f"{'x' * 299}:\n- a")
    assert not leads(f"{'x' * 300}:\n- a")
