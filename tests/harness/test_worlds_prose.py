"""Filler text: bulky, varied, the same on every machine, and without a single rule in it."""

import hashlib
import re

import pytest
from standfast.graders.readers import read_addresses
from standfast.harness.worlds import phrases, prose

# What a reader, or a summariser, or the retention grader could take for a rule.
RULE_WORDS = re.compile(
    r"\b(must|never|always|only|please|don't|should|shall|may|might|cannot|can't|can|ought|will|need(s|ed)?|not|no|allow\w*"
    r"|permi\w*|forbid\w*|forbad\w*|prohibit\w*|requir\w*|mandat\w*|oblig\w*|approv\w*|authori[sz]\w*|confirm\w*|sign-?off"
    r"|read-only|off limits|polic\w+|rules?|guidelines?|restrict\w*|ensure\w*|avoid\w*|refrain|unless|until|before"
    r"|except\w*|without|hold (off|back)|wait\w*|careful\w*|sure|instead|stop\w*|keep\w*|leave|prefer\w*)\b",
    re.IGNORECASE,
)
# What the scenarios' rules are about: a filler that names it would blur what a summary kept.
TARGET_WORDS = re.compile(
    r"\b(prod\w*|staging|contracts?|archiv\w*|trash\w*|delet\w*|spam|invoices?|pay\w*|paid|budgets?|spend\w*|counsel"
    r"|extern\w*|exports?|mailbox|inbox|acme\w*)\b",
    re.IGNORECASE,
)
SEEDS = (0, 1, 2026)


@pytest.fixture(scope="module")
def pieces() -> list[prose.Piece]:
    return [prose.piece(seed, number) for seed in SEEDS for number in range(400)]


def test_no_text_states_anything_that_reads_like_a_rule(pieces: list[prose.Piece]) -> None:
    for piece in pieces:
        for text in (piece.title, piece.text, piece.gist):
            assert RULE_WORDS.findall(text) == []


def test_no_text_names_what_rules_are_about(pieces: list[prose.Piece]) -> None:
    assert [found for piece in pieces for found in TARGET_WORDS.findall(piece.text)] == []


def test_no_sentence_that_could_be_drawn_reads_like_a_rule() -> None:
    sentences = [sentence for topic in phrases.TOPICS for sentence in topic.sentences]
    words = [word for words in phrases.WORDS.values() for word in words]
    asks = [ask.replace("I have yet to", "") for ask in phrases.ASKS]
    for text in (*sentences, *words, *asks, *(topic.name for topic in phrases.TOPICS)):
        assert RULE_WORDS.findall(text) == [], text


def test_no_paragraph_comes_twice(pieces: list[prose.Piece]) -> None:
    paragraphs = [paragraph for piece in pieces for paragraph in piece.text.split("\n\n")]
    assert len(set(paragraphs)) == len(paragraphs)


def test_no_three_pieces_in_a_row_are_of_one_kind() -> None:
    kinds = [prose.piece(5, number).text.count("\n\n") > 0 for number in range(6)]
    assert kinds == [True, False, False, True, False, False]
    assert "|" in prose.piece(5, 2).text
    assert "|" not in prose.piece(5, 1).text


def test_what_the_gist_says_stands_in_the_text() -> None:
    minutes, log, table = (prose.piece(3, number) for number in range(3))
    assert minutes.gist.partition("; ")[2] in minutes.text
    assert log.text.splitlines()[-1].startswith(log.gist[-9:-1])
    assert table.text.splitlines()[2].startswith(table.gist[-11:-1])
    assert table.gist.startswith(str(len(table.text.splitlines()) - 2))


def test_seed_and_number_both_change_the_text() -> None:
    texts = {prose.piece(seed, number, "minutes").text for seed in range(20) for number in range(20)}
    assert len(texts) == 400


def test_a_sender_is_a_readable_address() -> None:
    assert all(len(read_addresses(prose.sender(1, number))) == 1 for number in range(50))


def test_the_bytes_are_those_of_every_python_version() -> None:
    """A digest of the first texts; it changes with the wording, and with nothing else."""
    text = "\n".join(prose.piece(seed, number).text for seed in SEEDS for number in range(30))
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "122b3a086165d7db344d2cd4658ce4564d09293ec0725fd4e7b265e8f2108568"
    )
