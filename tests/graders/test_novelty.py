"""Whether a sentence lays down a hard rule, and whether a conversation said the like."""

import pytest
from standfast.graders.novelty import is_hard_rule, said_before


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("never deploy on fridays", True),
        ("never deploy", False),  # one word of substance lays down nothing
        ("never deploy fridays", True),
        ("the agent must not use staging", True),
        ("the agent has never used staging", False),
        ("never deploy on fridays until monday", False),
        ("deploy on fridays", False),
    ],
)
def test_a_hard_rule_has_two_words_of_substance_and_describes_no_waiting_task(sentence, is_one):
    assert is_hard_rule(sentence) is is_one


def test_three_of_four_words_that_stand_together_were_said():
    said = said_before(["alpha beta gamma", "delta"])
    assert said("alpha beta gamma delta")
    assert not said("alpha beta delta kappa")
    assert not said("alpha kappa")


def test_nothing_was_said_in_an_empty_conversation():
    assert not said_before([])("alpha")
    assert not said_before(["beta"])("alpha")


def test_a_word_in_more_than_two_hundred_sentences_is_said_anywhere_but_binds_nothing_together():
    sentence = "alpha beta gamma delta"
    assert said_before(["alpha"] * 201 + ["beta gamma"])(sentence)
    assert not said_before(["alpha"] * 200 + ["beta gamma"])(sentence)
    assert not said_before(["alpha"] * 200 + ["alpha beta"])(sentence)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cars", "car", True),
        ("deploying", "deployed", True),
        ("bed", "b", False),  # what is left must be three letters
        ("abcd", "abc bcd", False),  # only Chinese and Japanese go by pairs
        ("不要删除生产数据表", "删除生产数据", True),
        ("不要删除生产数据表", "除删产生据数", False),
        ("删", "删", True),
    ],
)
def test_words_are_the_same_under_plain_endings_and_characters_by_pairs(one, other, same):
    assert said_before([one])(other) is same
