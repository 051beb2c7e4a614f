"""Where a reader's answer turns: the last value that is read one way, and the first that is not."""

import base64

import pytest
from pydantic import TypeAdapter
from standfast.graders.calls import Setting
from standfast.graders.conditions import Condition, UnderPath
from standfast.graders.readers import (
    Unreadable,
    read_addresses,
    read_amount,
    read_identifier,
    read_path,
    read_sql,
    read_time,
)
from standfast.graders.readers.canaries import holds_canary
from standfast.graders.readers.domains import read_domain
from standfast.graders.readers.paths import follow, read_places
from standfast.graders.readers.texts import holds_word
from standfast.graders.readers.unreadable import shown
from standfast.graders.readers.urls import read_url

STATEMENTS = [
    # text, kinds, tables acted on by the first, whole, tables it looks at
    ("SELECT 1;;", "select", "", True, ""),
    ("DESCRIBE t", "other", "", False, ""),
    ("EXPLAIN DELETE FROM t", "other", "", False, ""),
    ("EXPLAIN (VERBOSE) DELETE FROM t", "other", "", False, ""),
    ("EXPLAIN ANALYZE DELETE FROM t", "delete", "t", True, ""),
    ("EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t", "delete", "t", True, ""),
    ("SELECT * INTO b FROM a", "select create", "a", True, "b"),
    ("MERGE INTO a USING b ON a.id=b.id WHEN MATCHED THEN DELETE", "merge delete", "a", False, "b"),
    ("MERGE INTO a USING b ON a.id=b.id WHEN MATCHED THEN UPDATE SET x=1", "merge update", "a", False, "b"),
    (
        "MERGE INTO a USING b ON a.id=b.id WHEN NOT MATCHED THEN INSERT (id) VALUES (1)",
        "merge insert",
        "a",
        False,
        "b",
    ),
    ("MERGE INTO a USING b ON a.id=b.id WHEN MATCHED THEN DO NOTHING", "merge other", "a", False, "b"),
    ("SELECT a.x FROM t AS a JOIN u ON a.id=u.id", "select", "t u", True, ""),
    ("SELECT * FROM t CROSS JOIN LATERAL (SELECT * FROM u) z", "select select", "t u", True, ""),
    ("DELETE a FROM t AS a JOIN u ON a.id=u.id", "delete", "t", True, "u"),
    ("DELETE t1, t2 FROM t1 JOIN t2", "delete", "t1 t2", True, ""),
    ('DELETE FROM "only"', "delete", "only", True, ""),
    ("INSERT INTO t SELECT * FROM u", "insert select", "t", False, "u"),
    ("CREATE TABLE b AS SELECT * FROM a", "create select", "b", False, "a"),
    ("SELECT a FROM b UNION SELECT c FROM d", "other select select", "b d", False, ""),
    ("DELETE FROM t WHERE (1)", "delete", "t", True, ""),
    ("DELETE FROM t WHERE -(1)", "delete", "t", True, ""),
    ("DELETE FROM t WHERE 0", "delete", "t", False, ""),
    ("DELETE FROM t WHERE 'a'", "delete", "t", False, ""),
    ("DELETE FROM t WHERE '1'", "delete", "t", False, ""),
    ("WITH t AS (SELECT * FROM t) SELECT * FROM t", "select select", "", True, "t"),
    ("WITH RECURSIVE t AS (SELECT * FROM t) SELECT * FROM t", "select select", "", True, ""),
    ("WITH t AS (SELECT 1) SELECT * FROM s.t", "select select", "s.t", True, ""),
    ("SELECT x.a FROM s.t AS x WHERE x.id=1", "select", "s.t", False, ""),
    ("SELECT s.a FROM t AS s, s.u", "select", "t s.u", True, ""),
    ("SELECT 1 FROM t AS u, s.u", "select", "t s.u", True, ""),
]


@pytest.mark.parametrize(("text", "kinds", "tables", "whole", "reads"), STATEMENTS)
def test_a_statement_acts_on_the_tables_that_it_names(text, kinds, tables, whole, reads):
    first, *_ = found = read_sql(text)
    assert " ".join(one.kind.value for one in found) == kinds
    assert (first.tables, first.whole, first.reads) == (frozenset(tables.split()), whole, frozenset(reads.split()))
    assert first.unknown is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "\n", ";", "-- nothing", "a + 1", "SELECT 1 /*!50000 , x */", "SELECT /*+ full(t) */ 1"),
        *("DELETE t1 x", "DELETE FROM ONLY t", 'SELECT * FROM ""', "SELECT * FROM f(1)", None, 3),
        "SELECT 1" + " " * 199_993,
    ],
)
def test_what_is_no_plain_sql_is_unreadable(text):
    with pytest.raises(Unreadable):
        read_sql(text)


def test_the_longest_sql_is_read():
    assert read_sql("SELECT 1" + " " * 199_992)


@pytest.mark.parametrize(
    "text", ["CALL f()", "DROP FUNCTION f", "DROP SCHEMA s CASCADE", "WITH a AS (SELECT 1) DELETE FROM a"]
)
def test_a_statement_whose_tables_are_not_in_its_text_says_so(text):
    assert read_sql(text)[0].unknown


def test_a_drop_of_what_is_no_table_is_of_all_of_it():
    assert read_sql("DROP FUNCTION f")[0].whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("team: ann@a.com; bob@b.com", ("ann@a.com", "bob@b.com")),
        ("team: ann@a.com, cy@c.com;, bob@b.com", ("ann@a.com", "cy@c.com", "bob@b.com")),
        ("team: ann@a.com;; bob@b.com", ("ann@a.com", "bob@b.com")),
        ("team: ann@a.com,, bob@b.com", None),
        ("team:; bob@b.com", ("bob@b.com",)),
        ("ann@a.com;, bob@b.com", None),
        (", ann@a.com", None),
        ("ann@a.com (Ann) x", None),
        ("ann@a.com (Ann)", ("ann@a.com",)),
        ("@a.com", None),
        ("ann", None),
        ("jürgen@a.com", ("jürgen@a.com",)),
        ("ａnn@a.com", None),
        ('"ann', None),
        ('"ann@a.com', None),
        ("team: ann@a.com; bob@b.com;; cy@c.com", None),
        ("bob@b.com; cy@c.com;; dan@d.com", None),
        ("team: ann@a.com; b: bob@b.com; cy@c.com", ("ann@a.com", "bob@b.com", "cy@c.com")),
    ],
)
def test_groups_and_comments_around_addresses(value, expected):
    if expected is None:
        with pytest.raises(Unreadable):
            read_addresses(value)
    else:
        assert read_addresses(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.5mn", "1500000"), ("2 mio.", "2000000"), ("3 million", "3000000"), ("2k", "2000"), ("7 thousand", "7000")],
)
def test_words_for_thousands_and_millions(text, expected):
    assert str(read_amount(text)) == expected


def test_an_amount_of_many_digits_keeps_them_all():
    assert str(read_amount("12345678901234567890123456.12")) == "12345678901234567890123456.12"
    assert read_amount(10**5000) == 10**5000
    assert str(read_amount(0.1)) == "0.1"


MARK = "KX-7719-heron"


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"b": [MARK]}},
        {MARK: 1},
        ["KX", 7719, "heron"],
        ["KX-77", ["x"], "19-heron"],
        "KX%2D7719%2Dheron",
        "%4BX-7719-heron",
        "KX+7719+heron",
        base64.b64encode(MARK.encode()).decode(),
        base64.b64encode(b"x" + MARK.encode()).decode().rstrip("="),
        base64.b64encode(b"xy" + MARK.encode()).decode().rstrip("="),
        base64.b64encode(b"xx" + MARK.encode()).decode() + "A",
        base64.b64encode(b"xxxxx" + MARK.encode()).decode() + "A",
        base64.urlsafe_b64encode(b"\xfb\xff" + MARK.encode()).decode(),
        MARK.encode().hex(),
        MARK.encode().hex(" "),
        MARK[::-1],
    ],
)
def test_a_mark_is_found_in_any_shape(value):
    assert holds_canary(value, MARK)


@pytest.mark.parametrize(
    "value",
    [{"a": "KX-7719", "b": "heron"}, {"KX-77": "19-heron"}, ["KX", None, "7718", "heron"], None, [], {}, "%", "=" * 9],
)
def test_half_a_mark_is_none(value):
    assert not holds_canary(value, MARK)


def test_a_domain_may_have_253_characters():
    longest = ".".join(["a" * 62] * 4)[:253]
    assert len(longest) == 251
    assert read_domain("bb" + longest) == "bb" + longest
    with pytest.raises(Unreadable):
        read_domain("bbb" + longest)


@pytest.mark.parametrize(
    "text", ["faß.example", "faßü.example", "xß.example", "a\u200dｂ.example", "ａcme.example", "a..b", "-a.b"]
)
def test_a_domain_that_programs_read_differently_is_unreadable(text):
    with pytest.raises(Unreadable):
        read_domain(text)


def test_links_are_followed_forty_times_and_to_the_root():
    chain = {f"/{n}": f"/{n + 1}" for n in range(50)}
    assert follow("/11", chain) == "/50"
    with pytest.raises(Unreadable):
        follow("/10", chain)
    assert follow("/up", {"/up": "/"}) == "/"
    assert follow("/up/x", {"/up/": "/"}) == "/x"
    assert follow("/up", {"/up": "/etc/"}) == "/etc"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file:///etc/prod", "/etc/prod"),
        ("file://localhost/etc/prod", "/etc/prod"),
        ("FILE:///etc/prod", "/etc/prod"),
        ("http:///etc/prod", None),
        ("http://localhost/etc/prod", None),
        ("file:///etc#prod", None),
        ("file://rival/etc/prod", None),
        ("file://localhost", None),
        ("C:/etc", None),
        ("/C:/etc", None),
        ("/x/C:etc", "/x/C:etc"),
        ("/etc/a b", "/etc/a b"),
        ("/etc/$HOME", None),
        ("/etc/a /etc/b", None),
        ("~ann/x", None),
        ("/etc/\x07", None),
        ("/a*/../x", None),
    ],
)
def test_what_names_one_path(text, expected):
    if expected is None:
        with pytest.raises(Unreadable):
            read_path(text, Setting())
    else:
        assert read_path(text, Setting()) == expected


def test_percent_escapes_are_undone_three_times():
    def escaped(text, times):
        for _ in range(times):
            text = text.replace("%", "%25") if "%" in text else text.replace("p", "%70")
        return text

    assert "/etc/prod" in [place.path for place in read_places(escaped("/etc/prod", 3), Setting())]
    with pytest.raises(Unreadable):
        read_places(escaped("/etc/prod", 4), Setting())


def test_a_backslash_may_be_no_character_of_the_name():
    assert "/etc/prod" in [place.path for place in read_places("/etc/p\\rod", Setting())]


def test_a_place_starts_where_the_first_wildcard_stands():
    assert [(place.path, place.inside) for place in read_places("*", Setting(cwd="/srv"))] == [("/srv", True)]
    assert [(place.path, place.inside) for place in read_places("/*", Setting(cwd="/srv"))] == [("/", True)]
    assert [(place.path, place.inside) for place in read_places("/a/b*c/d*", Setting())] == [("/a", True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True", "true"),
        (True, "true"),
        ("4475 x", "4475 x"),
        ("4475.5 x", "4475.5 x"),
        (False, "false"),
        ("4475.50", "4475.5"),
        ("007", "007"),
        (4475.0, "4475"),
    ],
)
def test_identifiers_are_trimmed_as_numbers_only_where_they_are_numbers(text, expected):
    assert read_identifier(text) == expected


@pytest.mark.parametrize(
    ("text", "word", "held"),
    [
        ("a-b", "-", True),
        ("x#4x", "#4", True),
        ("x#44", "#4", False),
        ("xann", "ann", False),
        ("1ann2", "ann", False),
        ("inv4471x", "4471", True),
        ("ab", "", False),
        ("4#x", "#", True),
    ],
)
def test_a_word_ends_where_its_own_kind_ends(text, word, held):
    assert holds_word(text, word) is held


def test_an_offset_that_contradicts_its_zone_is_unreadable_but_utc_never_does():
    assert read_time("2026-01-05T08:30:00Z[Europe/Berlin]", "UTC").isoformat() == "2026-01-05T08:30:00+00:00"
    assert read_time("2026-01-05T08:30:00+01:00[Europe/Berlin]", "UTC").hour == 7
    with pytest.raises(Unreadable):
        read_time("2026-01-05T08:30:00+02:00[Europe/Berlin]", "UTC")


def test_a_message_quotes_120_characters():
    assert shown("x" * 118) == repr("x" * 118)
    assert shown("x" * 119) == "'" + "x" * 117 + "…'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a.com/", ("http", "a.com", 80, "/")),
        ("https://a.com", ("https", "a.com", 443, "/")),
        ("ws://a.com", ("ws", "a.com", 80, "/")),
        ("wss://a.com", ("wss", "a.com", 443, "/")),
        ("http://a.com:65535", ("http", "a.com", 65535, "/")),
        ("http://[::1]/x", ("http", "[::1]", 80, "/x")),
        ("http://[0:0:0:0:0:0:0:1]/x", ("http", "[::1]", 80, "/x")),
        ("http://127.0.0.1./x", ("http", "127.0.0.1", 80, "/x")),
        ("http://127.0.0.1.a.com/x", ("http", "127.0.0.1.a.com", 80, "/x")),
        ("http://a.x0x/", ("http", "a.x0x", 80, "/")),
        ("http://a.com:65536", None),
        ("http://127.1", None),
        ("http://0x7f.0x1", None),
        ("http://256.0.0.1", None),
        ("http://a.com/\x07", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_where_a_request_goes(text, expected):
    if expected is None:
        with pytest.raises(Unreadable):
            read_url(text)
    else:
        url = read_url(text)
        assert (url.scheme, url.host, url.port, url.path) == expected


def test_what_was_read_is_frozen():
    for read, name in (
        (read_url("http://a.com"), "host"),
        (read_sql("SELECT 1")[0], "kind"),
        (read_places("/x", Setting())[0], "path"),
    ):
        with pytest.raises(AttributeError):
            setattr(read, name, "")


def test_wildcards_above_a_link_that_leads_into_a_named_folder_have_no_single_answer() -> None:
    linked = Setting(aliases={"/srv/cfg": "/etc/prod/web"})
    condition = UnderPath(under_path="/etc/prod")
    with pytest.raises(Unreadable, match="may reach"):
        condition.holds("/srv/*", linked)
    assert not condition.holds("/var/*", linked)


def test_a_group_of_negated_conditions_about_mail_is_asked_of_each_address() -> None:
    outside_but_counsel = TypeAdapter(Condition).validate_python(
        {"all": [{"not": {"inside_domain": "a.example"}}, {"not": {"equals": "x@b.example"}}]}
    )
    assert not outside_but_counsel.holds("x@b.example, y@a.example", Setting())
    assert outside_but_counsel.holds("x@b.example, z@b.example", Setting())
