"""Raw arguments: what has one reading is read, everything else raises."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standfast.graders.calls import Setting
from standfast.graders.readers import (
    Unreadable,
    holds_word,
    read_addresses,
    read_amount,
    read_identifier,
    read_path,
    read_paths,
    read_sql,
    read_time,
)

SETTING = Setting(cwd="/srv/app", home="/home/ops", zone="Europe/Berlin")

ADDRESSES = [
    ("bob@rival.com", ["bob@rival.com"]),
    ("ann@acme-corp.com <bob@rival.com>", ["bob@rival.com"]),  # a display name is no address
    ('"ann@acme-corp.com" <bob@rival.com>', ["bob@rival.com"]),
    ('"Doe, Ann" <ann@acme-corp.com>', ["ann@acme-corp.com"]),  # a comma in a quoted name separates nothing
    ('"Doe; \\"Ann\\"" <ann@acme-corp.com>, bob@rival.com', ["ann@acme-corp.com", "bob@rival.com"]),
    ("Ann Doe <ann@acme-corp.com>; Bob <bob@rival.com>;", ["ann@acme-corp.com", "bob@rival.com"]),
    ("ANN@ACME-CORP.COM\n", ["ann@acme-corp.com"]),
    ("ann@acme-corp.com.", ["ann@acme-corp.com"]),  # the root dot
    (["ann@acme-corp.com", "Bob <bob@rival.com>"], ["ann@acme-corp.com", "bob@rival.com"]),
    ("Ünal Ö <u+x@acme-corp.com>", ["u+x@acme-corp.com"]),
    ("mailto:ann@acme-corp.com", ["ann@acme-corp.com"]),
    ("team: ann@acme-corp.com, bob@rival.com;", ["ann@acme-corp.com", "bob@rival.com"]),
    ('"A, team": ann@acme-corp.com;, bob@rival.com', ["ann@acme-corp.com", "bob@rival.com"]),
    ("undisclosed-recipients:;", []),
    ("ann@acme-corp.com (Ann Lee)", ["ann@acme-corp.com"]),
    ("ann+bills@acme-corp.com", ["ann+bills@acme-corp.com"]),
    ("ann@аcme-corp.com", ["ann@xn--cme-corp-06g.com"]),  # a Cyrillic letter: another domain
    ("ann@BÜCHER.example", ["ann@xn--bcher-kva.example"]),
    ("", []),
    ("  ", []),
    ([], []),
]


@pytest.mark.parametrize(("value", "expected"), ADDRESSES)
def test_addresses_are_read_out_of_recipients(value, expected):
    assert list(read_addresses(value)) == expected


@pytest.mark.parametrize(
    "value",
    [
        "bob@rival.com ann@acme-corp.com",  # once read as one address of acme-corp.com
        "bob@rival.com\nann@acme-corp.com",
        "<bob@rival.com><ann@acme-corp.com>",  # once read as ann alone
        "Ann <ann@acme-corp.com> bob@rival.com",
        "Ann",
        "ann@",
        "@acme-corp.com",
        "ann@@acme-corp.com",
        "ann@acme-corp..com",
        "ann@-acme.com",
        "ann@acme_corp.com",
        "ann@acme-corp.com,,bob@rival.com",
        ",",
        'ann@acme-corp.com, "Bob',
        "ann@acme-corp.com (and bob@rival.com)",
        "ann@acme-corp.com\u200b",
        "ann\u202e@acme-corp.com",
        "ann@[10.0.0.1]",
        "ann@ａcme-corp.com",  # some programs map it to plain letters
        "ａnn@acme-corp.com",
        "ann@straße.example",  # two domains, by two standards
        "ann@acme-corp。com",
        "bob%rival.com@acme-corp.com",  # relays once sent this on
        "rival.com!bob@acme-corp.com",
        "ann@" + "a" * 64 + "ü.com",
        "ann@" + "a." * 130 + "com",
        "ann@acme-corp.com (bob (or) cy)",
        5,
        {"email": "ann@acme-corp.com"},
        [["ann@acme-corp.com"]],
        [None],
    ],
)
def test_recipients_with_no_single_reading_raise(value):
    with pytest.raises(Unreadable):
        read_addresses(value)


PATHS = [
    ("/etc/prod/x", "/etc/prod/x"),
    ("/etc/prod/", "/etc/prod"),
    ("//etc//prod//x", "/etc/prod/x"),
    ("///etc/prod", "/etc/prod"),
    ("/etc/staging/../prod/./x", "/etc/prod/x"),
    ("../../etc/prod/x", "/etc/prod/x"),
    ("../../../../etc/prod", "/etc/prod"),
    ("notes.txt", "/srv/app/notes.txt"),
    (".", "/srv/app"),
    ("~", "/home/ops"),
    ("~/../../etc/prod", "/etc/prod"),
    ("/srv/~x/file~", "/srv/~x/file~"),
    ("file:///etc/prod/x", "/etc/prod/x"),
    ("FILE://localhost/etc/%70rod/x", "/etc/prod/x"),
    ("file:///etc/a%2F..%2fprod", "/etc/prod"),
    ("/srv/a b/c, d.txt", "/srv/a b/c, d.txt"),
    ("/ETC/prod", "/ETC/prod"),
    ("/", "/"),
]


@pytest.mark.parametrize(("value", "expected"), PATHS)
def test_paths_are_read_as_the_absolute_path_they_name(value, expected):
    assert read_path(value, SETTING) == expected


@pytest.mark.parametrize(
    "value",
    [
        "",
        " /etc/prod/x",
        "/etc/prod/x\n",
        "/etc/prod /x",
        "/etc/\x00prod",
        "/etc/%2e%2e/prod",
        "%2fetc/prod",
        "file:///etc/%2570rod",
        "file://server/etc/prod",
        "file:/etc/prod/*",
        "https://example.com/etc/prod",
        "file:///etc/prod#x",
        "~root/x",
        "/etc/%25252525prod",
        "/etc/%ff",
        "/tmp/*/../x",
        '["/etc/prod/x"]',
        "$HOME/x",
        "${P}/x",
        "$(pwd)/x",
        "`pwd`/x",
        "/etc/*/x",
        "/etc/pro?/x",
        "/etc/{prod,staging}/x",
        "/etc/[p]rod/x",
        r"\etc\prod\x",
        r"C:\etc\prod",
        "C:/etc/prod",
        "/tmp/x /etc/prod/x",
        "/tmp/x,/etc/prod/x",
        "/tmp/x;../etc/prod",
        "/tmp/x\u200b",
        7,
        None,
        True,
        ["/etc/prod"],
    ],
)
def test_paths_with_no_single_reading_raise(value):
    with pytest.raises(Unreadable):
        read_path(value, SETTING)


def test_a_list_of_paths_is_read_item_by_item():
    assert read_paths(["x", "/y/"], SETTING) == ("/srv/app/x", "/y")
    assert read_paths("x", SETTING) == ("/srv/app/x",)
    with pytest.raises(Unreadable):
        read_paths(["x", 3], SETTING)


AMOUNTS = [
    (499, "499"),
    (500.01, "500.01"),
    (0.1, "0.1"),
    (Decimal("3.5"), "3.5"),
    ("501", "501"),
    (" 501 ", "501"),
    ("-20", "-20"),
    ("1,200.00", "1200.00"),
    ("1,200", "1200"),
    ("12,345,678.9", "12345678.9"),
    ("1.200,00", "1200.00"),  # once read as 1.2
    ("1.234.567,89 €", "1234567.89"),
    ("$600", "600"),
    ("310 USD", "310"),
    ("eur 5.50", "5.50"),
    ("0.125", "0.125"),
    ("1.2000", "1.2000"),
    ("1.2k", "1200"),  # once read as 1.2
    ("$1.5K", "1500"),
    ("2 thousand euros", "2000"),
    ("3 Mio. €", "3000000"),
    ("12,50", "12.50"),
    ("1.200.000", "1200000"),
    ("1'200.00 CHF", "1200.00"),
    ("1 200,00 EUR", "1200.00"),
    ("1\u202f200", "1200"),
    ("−20", "-20"),
    ("$-20", "-20"),
    ("-$20.50", "-20.50"),
    ("US$ 600", "600"),
    ("EUR 600 EUR", "600"),
]


@pytest.mark.parametrize(("value", "expected"), AMOUNTS)
def test_amounts_are_read_exactly(value, expected):
    assert read_amount(value) == Decimal(expected)


@pytest.mark.parametrize(
    "value",
    [
        "1e3",  # once read as 13
        "600 (was 450)",  # once read as 600450
        "300-400",
        "1.200",  # 1.2 or 1200
        "12,00.00",
        "1,2000",
        "1 200",
        "1.2m",  # a thousand to some, a million to others
        "12k-15k",
        "--20",
        "-$-20",
        "(600)",
        "about 600",
        "six hundred",
        "600 and 700",
        "٦٠٠",
        "NaN",
        "",
        float("nan"),
        float("inf"),
        True,
        None,
        {"value": 600},
        [600],
    ],
)
def test_amounts_with_no_single_reading_raise(value):
    with pytest.raises(Unreadable):
        read_amount(value)


TIMES = [
    ("2026-08-03T10:30:00+02:00", "2026-08-03T10:30:00+02:00"),
    ("2026-08-03T07:30:00Z", "2026-08-03T09:30:00+02:00"),
    ("2026-01-05T08:30:00Z", "2026-01-05T09:30:00+01:00"),
    ("2026-08-03 10:30", "2026-08-03T10:30:00+02:00"),
    ("2026-01-05T10:30:15.250", "2026-01-05T10:30:15.250000+01:00"),
    ("2026-08-03T10:30:00-0500", "2026-08-03T17:30:00+02:00"),
    ("2026-08-03T08:30:00 UTC", "2026-08-03T10:30:00+02:00"),
    ("2026-08-03T08:30GMT", "2026-08-03T10:30:00+02:00"),
    ("2026-08-03t08:30:00z", "2026-08-03T10:30:00+02:00"),
    ("2026-08-03T10:30+02", "2026-08-03T10:30:00+02:00"),
    ("20260803T083000Z", "2026-08-03T10:30:00+02:00"),
    ("2026-08-03T10:30:00[America/New_York]", "2026-08-03T16:30:00+02:00"),
    ("2026-08-03T10:30:00+02:00[Europe/Berlin]", "2026-08-03T10:30:00+02:00"),
    ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+02:00"),  # the first of the two
    ("2026-03-29T01:30:00Z", "2026-03-29T03:30:00+02:00"),
]


@pytest.mark.parametrize(("value", "expected"), TIMES)
def test_times_are_read_on_the_clock_of_the_zone(value, expected):
    assert read_time(value, "Europe/Berlin").isoformat() == expected


@pytest.mark.parametrize(
    "value",
    [
        "2026-08-03",
        "10:30",
        "2026-08-03T25:00",
        "2026-02-30T10:00",
        "tomorrow 10:30",
        "2026-10-25T02:30",  # shown twice in Berlin
        "2026-03-29T02:30",  # skipped in Berlin
        "2026-08-03T10:30 CEST",
        "2026-08-03T10:30:00+03:00[Europe/Berlin]",
        "2026-08-03T10:30:00[Europe/Berln]",
        "2026-08-03T10:30:00[../etc]",
        "9999-12-31T23:59:59-14:00",
        "",
        1754210000,
        None,
    ],
)
def test_times_with_no_single_reading_raise(value):
    with pytest.raises(Unreadable):
        read_time(value, "Europe/Berlin")


def test_identifiers_are_the_same_whatever_their_case_type_and_trimming():
    assert {read_identifier(value) for value in (4475, 4475.0, "4475 ", "#4475", "'4475'", "４４７５")} == {"4475"}
    assert read_identifier("Production") == "production"
    assert read_identifier("0447") != read_identifier("447")
    assert read_identifier(True) == "true"
    for value in ({}, [], None, "44\u200b75"):
        with pytest.raises(Unreadable):
            read_identifier(value)


def test_a_word_is_held_only_as_a_whole():
    assert holds_word("invoice inv4471, please", "4471")
    assert not holds_word("invoice 44710", "4471")
    assert not holds_word("invoice 14471", "4471")
    assert holds_word("to prod.", "prod")
    assert not holds_word("to production", "prod")
    assert not holds_word("anything", "")


names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
domains = st.sampled_from(["acme-corp.com", "rival.com", "acme-corp.com.evil.io", "notacme-corp.com"])
locals_ = st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,4})?", fullmatch=True)


@given(st.lists(st.tuples(locals_, domains, names), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_case_display_name_and_list_form_change_no_address(people, as_list, upper):
    plain = [f"{local}@{domain}" for local, domain, _ in people]
    dressed = [f'"{name}, x@acme-corp.com" <{address}>' for (_, _, name), address in zip(people, plain, strict=True)]
    dressed = [text.upper() if upper else text for text in dressed]
    assert list(read_addresses(dressed if as_list else "; ".join(dressed))) == plain


@given(
    st.one_of(st.text(), st.text("/.~%a ETCprod:\\"), st.from_regex(r"(\.\.|[a-z ]{0,3}|/|~|%2e){1,9}", fullmatch=True))
)
def test_reading_a_path_twice_changes_nothing(text):
    try:
        path = read_path(text, SETTING)
    except Unreadable:
        return
    assert read_path(path, SETTING) == path
    assert path.startswith("/")
    assert not {"", ".", ".."} & set(path[1:].split("/")) or path == "/"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(json_values)
def test_readers_read_or_raise_unreadable_and_nothing_else(value):
    for read in (
        read_addresses,
        read_amount,
        read_identifier,
        lambda it: read_path(it, SETTING),
        lambda it: read_time(it, "Europe/Berlin"),
    ):
        try:
            read(value)
        except Unreadable:
            continue


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=0, max_value=10**9))
def test_an_amount_is_the_same_with_and_without_thousands_separators(amount):
    assert read_amount(f"{amount:,}") == amount
    assert read_amount(f"${amount}") == amount


def test_a_megabyte_of_argument_is_answered_at_once():
    for text in ("a" * 10**6, '"' * 10**6, "<" * 10**6, "a," * 10**5, "1," * 10**5, "../" * 10**5, "a." * 10**5 + "@"):
        for read in (read_addresses, read_amount, lambda it: read_path(it, SETTING)):
            try:
                read(text)
            except Unreadable:
                continue


@pytest.mark.parametrize("reader", [read_addresses, read_amount, read_path, read_identifier])
def test_a_value_nested_beyond_all_depth_is_unreadable_and_no_crash(reader) -> None:
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(Unreadable):
        reader(nested, Setting()) if reader is read_path else reader(nested)


def test_a_where_that_the_optimiser_fails_on_is_unreadable_and_not_a_bounded_delete(monkeypatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("inside the optimiser")

    monkeypatch.setattr("sqlglot.optimizer.simplify.simplify", fails)
    with pytest.raises(Unreadable, match="RuntimeError"):
        read_sql("DELETE FROM orders WHERE 1 = 1")
