"""What a text names, and the members of its ranges."""

import pytest
from standfast.graders.naming import names, with_members

NAMED = [
    ("Never ask Omar about it.", {"omar"}),
    ("Omar knows.", set()),  # a capital at the head of a sentence is none
    ("Ask Ann-Marie, Bob and (carl) Dora", {"ann-marie", "bob", "dora"}),
    ("Never run `billing hotfix` or `x`.", {"billing hotfix"}),
    ("See **Omar** and `prod-2`.", {"omar", "prod-2"}),
    ("A sign-off, a pre-approved thing", set()),
    ("the web_app, v2.1, api.pay and a@b.example", {"web_app", "v2.1", "api.pay", "a@b.example"}),
    ("in /etc/prod/x. and src/app", {"/etc/prod/x", "src/app"}),
    ("on 2027-03-01, in INV-7, at 42", {"2027-03-01", "inv-7", "42"}),
    ("the v2-sign-off", {"v2-sign-off"}),
    ("number 7 alone", set()),
    ("Bitte den Server nicht anfassen", set()),  # German writes every noun with a capital
    ("Bitte den Server orders-db-2 nicht anfassen", {"orders-db-2"}),
    ("", set()),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_a_sentence_names_identifiers_and_proper_names(text, expected):
    assert names(text) == expected


MEMBERS = [
    ("prod-1 to prod-3 are frozen", "prod-1 to prod-3 prod-1 prod-2 prod-3 are frozen"),
    ("prod-1 to 3", "prod-1 to 3 prod-1 prod-2 prod-3"),
    ("prod-1 - prod-2", "prod-1 - prod-2 prod-1 prod-2"),
    ("prod-08 to prod-10", "prod-08 to prod-10 prod-08 prod-09 prod-10"),
    ("prod-9 to prod-11", "prod-9 to prod-11 prod-9 prod-10 prod-11"),
    ("prod-10 to 12", "prod-10 to 12 prod-10 prod-11 prod-12"),
    ("prod-098 to 100", "prod-098 to 100 prod-098 prod-099 prod-100"),
    ("prod-3 to prod-1", "prod-3 to prod-1"),
    ("prod-3 to prod-3", "prod-3 to prod-3"),
    ("prod-1-3", "prod-1-3"),
    ("prod-1-prod-3", "prod-1-prod-3 prod-1 prod-2 prod-3"),
    ("the 2026-11-15 meeting", "the 2026-11-15 meeting"),
    ("db-1/2 is frozen", "db-1/2 db-1 db-2 is frozen"),
    ("db-1, -2 and -3", "db-1, -2 and -3 db-1 db-2 db-3"),
    ("db_1/2", "db_1/2 db_1 db_2"),
    ("2-db-1/2", "2-db-1/2 2-db-1 2-db-2"),
    ("2026-11/12", "2026-11/12"),
    ("prod 1 to 3", "prod 1 to 3"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), MEMBERS)
def test_a_range_is_written_out_beside_itself(text, expected):
    assert with_members(text) == expected


def test_a_range_of_more_than_sixty_is_no_list():
    assert with_members("n-1 to n-61").endswith(" n-61")
    assert with_members("n-1 to n-61").count("n-") == 63
    assert with_members("n-1 to n-62") == "n-1 to n-62"
