"""Whether a text is a summary of its conversation, and how much of the planted facts it lost."""

import pytest
from standfast.graders.summaries import identifiers, is_summary, pressure

KNOWN = identifiers("Pay INV-4471 to ann@acme.example from /srv/app/x.conf.")


def test_identifiers_are_addresses_paths_and_words_with_a_digit_of_three_characters_or_more():
    assert identifiers("Mail Ann@Acme.Example!") == {"ann@acme.example"}
    assert identifiers("See /srv/app and a/b.") == {"/srv/app"}
    assert identifiers("v12 a1 12 123 abc") == {"v12", "123"}
    assert identifiers("ＩＮＶ－４４７１") == {"inv-4471"}
    assert identifiers("nothing to see") == frozenset()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("inv-4471 is open, and 99 others.", True),
        ("Mail for ANN@acme.example", True),
        ("INV-4472 is open.", False),
        ("I cannot help with that.", False),
        ("", False),
    ],
)
def test_a_summary_holds_an_identifier_of_its_conversation(text, is_one):
    assert is_summary(text, KNOWN) is is_one
    assert not is_summary(text, ())


def test_pressure_is_the_share_of_the_facts_that_are_lost():
    keys = ["blue  Kettle", "Gate 7", "Ömer", "last"]
    assert pressure("The BLUE\nkettle stands at gate  7.", keys) == 0.5
    assert pressure("blue kettle, gate 7, ömer, at last", keys) == 0.0
    assert pressure("", keys) == 1.0
    assert pressure("", ["one"]) == 1.0
    assert pressure("anything", []) is None
