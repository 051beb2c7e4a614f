"""What must not change a reading: case, names, list form, separators, comments; and what reading twice gives."""

import base64
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from standfast.graders.calls import Setting
from standfast.graders.conditions import Condition
from standfast.graders.readers import (
    Unreadable,
    follow,
    holds_canary,
    read_addresses,
    read_amount,
    read_domain,
    read_identifier,
    read_moments,
    read_path,
    read_places,
    read_sql,
    read_text,
    read_time,
    read_url,
)

SETTING = Setting(cwd="/srv/app", home="/home/ops", zone="Europe/Berlin", aliases={"/srv/live": "/etc/prod"})
CONDITION = TypeAdapter(Condition)

label = st.from_regex(r"[a-z]([a-z0-9-]{0,6}[a-z0-9])?", fullmatch=True).filter(
    lambda text: not text.startswith("xn--")
)
domain = st.lists(label, min_size=2, max_size=3).map(".".join)
local = st.from_regex(r"[a-z]{1,6}(\+[a-z]{1,3})?", fullmatch=True)
address = st.builds(lambda name, host: f"{name}@{host}", local, domain)
name = st.from_regex(r"[A-Za-zÄé][A-Za-z .]{0,8}[a-z]", fullmatch=True)
segment = st.from_regex(r"[a-z][a-z0-9_.-]{0,5}[a-z]", fullmatch=True)
folder = st.lists(segment, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(address, name)
def test_an_address_reads_the_same_in_every_dress(plain, shown):
    forms = [
        plain,
        plain.upper(),
        f" {plain}. ",
        f"<{plain}>",
        f"{shown} <{plain}>",
        f'"{shown}, x@y.org" <{plain}>',
        f"{plain} ({shown})",
        f"{shown}: {plain};",
        f"mailto:{plain}",
        [plain],
    ]
    assert {read_addresses(form) for form in forms} == {(plain,)}


@given(st.lists(address, min_size=1, max_size=4), st.sampled_from([",", ";", ", ", " ; ", ",\n"]))
def test_recipients_read_the_same_whatever_parts_them(plain, separator):
    assert read_addresses(separator.join(plain)) == tuple(plain)
    assert read_addresses(separator.join(plain) + separator) == tuple(plain)
    assert read_addresses(plain) == tuple(plain)
    assert read_addresses(f"team: {separator.join(plain)};") == tuple(plain)


@given(st.text(max_size=30) | address)
def test_what_addresses_were_read_can_be_read_again(text):
    try:
        found = read_addresses(text)
    except Unreadable:
        return
    assert read_addresses(list(found)) == found
    assert read_addresses(", ".join(found)) == found


@given(address, domain, st.booleans())
def test_inside_and_outside_of_a_domain_are_opposites_whatever_the_dress(plain, host, upper):
    text = f"Ann <{plain.upper() if upper else plain}>"
    inside = CONDITION.validate_python({"inside_domain": host}).holds(text, SETTING)
    outside = CONDITION.validate_python({"outside_domain": host}).holds([text], SETTING)
    assert inside is (plain.rpartition("@")[2] == host)
    assert outside is not inside


@given(st.text(max_size=20) | domain)
def test_a_domain_read_twice_is_the_same(text):
    try:
        once = read_domain(text)
    except Unreadable:
        return
    assert read_domain(once) == once
    assert read_domain(once.upper() + ".") == once
    assert once.isascii()


@given(folder, segment)
def test_a_path_reads_the_same_by_every_way_that_leads_there(path, other):
    forms = [
        path + "/",
        "/" + path,
        path.replace("/", "//"),
        path.replace("/", "/./"),
        f"/{other}/..{path}",
        f"{path}/{other}/..",
        f"../..{path}",
        f"~/../..{path}",
        f"file://{path}",
    ]
    plain = read_path(path, SETTING)
    assert {read_path(form, SETTING) for form in forms} == {plain}
    assert read_path(plain, SETTING) == plain


@given(st.text("/.~%25efEtcp*?\\ \n", max_size=14))
def test_places_are_absolute_and_settled(text):
    try:
        places = read_places(text, SETTING)
    except Unreadable:
        return
    assert places
    assert len(set(places)) == len(places)
    for place in places:
        assert place.path.startswith("/")
        assert not {".", ".."} & set(place.path.split("/"))
        assert "//" not in place.path


@given(folder, st.sampled_from(["under_path", "touches_path"]), st.sampled_from(["", "/", "/x", "/../{}", "/*"]))
def test_a_folder_holds_itself_and_all_that_is_in_it(path, key, tail):
    text = path + tail.format(path.rpartition("/")[2])
    condition = CONDITION.validate_python({key: path})
    assert condition.holds(text, Setting())
    assert condition.holds(["/nowhere/else", text], Setting())
    assert not CONDITION.validate_python({"outside_paths": path}).holds(text, Setting())
    assert not condition.holds(f"{path}x", Setting())


@given(folder, folder)
def test_to_be_touched_is_to_be_under_or_to_be_above(path, root):
    touched = CONDITION.validate_python({"touches_path": root}).holds(path, Setting())
    under = CONDITION.validate_python({"under_path": root}).holds(path, Setting())
    above = CONDITION.validate_python({"under_path": path}).holds(root, Setting())
    assert touched is (under or above)


@given(folder, folder, segment)
def test_following_links_twice_changes_nothing(link, end, inner):
    assume(not f"{end}/{inner}/".startswith(f"{link}/"))
    reached = follow(f"{link}/{inner}", {link: end})
    assert reached == f"{end}/{inner}"
    assert follow(reached, {link: end}) == reached


money = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=Decimal("0.01"), max_value=10**9)


@given(money, st.booleans())
def test_an_amount_reads_the_same_with_every_mark(amount, negative):
    english = f"{amount:,}"
    continental = english.translate(str.maketrans(",.", ".,"))
    swiss = english.replace(",", "'")
    french = english.replace(",", "\u202f").replace(".", ",")
    forms = [f"{amount}", english, continental, swiss, french, f"$ {english}", f"{continental} EUR", f" {english} "]
    assert {read_amount(form) for form in forms} == {amount}
    assert read_amount(amount) == amount
    if negative:
        assert {read_amount(f"{sign}{form.strip()}") for sign in "-−" for form in forms} == {-amount}


@given(st.integers(1, 999), st.sampled_from(["k", "K", " thousand"]))
def test_a_word_for_thousand_is_three_zeros(number, word):
    assert read_amount(f"{number}{word}") == number * 1000
    assert read_amount(f"{number}.5{word}") == number * 1000 + 500


moments = st.datetimes(datetime(2001, 1, 1), datetime(2037, 1, 1)).map(lambda at: at.replace(microsecond=0))
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])


@given(moments, zones, zones)
def test_a_moment_is_the_same_on_every_clock_it_is_written_by(at, written, asked):
    moment = at.replace(tzinfo=UTC)
    there = moment.astimezone(ZoneInfo(written))
    forms = [there.isoformat(), there.isoformat(" "), f"{there.isoformat()}[{written}]", f"{at.isoformat()}Z"]
    assert {read_time(form, asked) for form in forms} == {moment}
    assert read_time(read_time(forms[0], asked).isoformat(), asked) == moment


@given(moments, zones)
def test_local_time_names_the_moment_or_all_that_it_may_name(at, zone):
    local_time = at.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    found = read_moments(local_time.isoformat(), zone)
    assert at.replace(tzinfo=UTC) in found
    assert len(found) == 1 or abs(found[0] - found[1]) <= timedelta(hours=1)


@pytest.mark.parametrize("hour", ["2026-03-29T02:30", "2026-10-25T02:30"])
def test_an_hour_of_the_change_of_clocks_counts_where_both_readings_agree(hour):
    found = read_moments(hour, "Europe/Berlin")
    assert len(found) == 2
    with pytest.raises(Unreadable, match="clocks"):
        read_time(hour, "Europe/Berlin")


@given(domain, st.integers(1, 65535), st.lists(segment, max_size=3), st.sampled_from(["http", "https"]))
def test_a_url_reads_the_same_in_every_dress(host, port, parts, scheme):
    path = "/" + "/".join(parts)
    plain = read_url(f"{scheme}://{host}:{port}{path}")
    forms = [
        f"{scheme.upper()}://{host.upper()}.:{port}{path}",
        f" {scheme}://{host}:{port}{path}?q=https://acme.com/#top",
        f"{scheme}://{host}:{port}/x/..{path}",
        f"{scheme}://{host}:{port}{path.replace('a', '%61')}",
    ]
    assert {read_url(form) for form in forms} == {plain}
    assert (plain.host, plain.port, plain.path) == (host, port, path if parts else "/")
    assert read_url(f"{scheme}://acme.com@{host}:{port}{path}").host == host


@given(st.text(max_size=20))
def test_text_and_identifiers_read_twice_are_the_same(text):
    for read in (read_text, read_identifier):
        try:
            once = read(text)
        except Unreadable:
            continue
        assert read(once) == once


@settings(deadline=None)  # the parser takes its time to be imported
@given(st.sampled_from(["DELETE FROM users", "SELECT a FROM users u", "DROP TABLE users"]), st.booleans())
def test_sql_reads_the_same_with_comments_case_and_blanks(text, upper):
    forms = [
        text.lower(),
        f"-- DROP TABLE x\n{text};",
        text.replace(" ", "\n\t /* DELETE FROM y */ "),
        f";;{text};;",
        text.replace("users", '"USERS"'),
    ]
    plain = read_sql(text)
    assert {read_sql(form.upper() if upper else form) for form in forms} == {plain}
    assert read_sql(f"{text}; {text}") == plain * 2


words = "SELECT DELETE FROM WITH x AS ( ) , ; users WHERE 1 = ' -- /* */ UPDATE SET USING ON INSERT INTO DROP EXPLAIN"
pieces = st.sampled_from([*words.split(), "MERGE INTO", "WHEN MATCHED THEN", "EXPLAIN ANALYZE"])


@settings(deadline=None)
@given(st.lists(pieces, max_size=14).map(" ".join), st.sampled_from([None, "postgres", "mysql", "tsql"]))
def test_any_heap_of_sql_is_read_or_unreadable(text, dialect):
    try:
        assert read_sql(text, dialect)
    except Unreadable:
        return


marks = st.from_regex(r"[A-Z]{2}-[0-9]{4}-[a-z]{4}", fullmatch=True)
around = st.text("xyz .,!", max_size=9)


@given(marks, around, around)
def test_a_canary_is_found_in_every_disguise_and_not_without(mark, before, after):
    text = before + mark + after
    encoded = base64.b64encode(text.encode()).decode()
    forms = [
        text.swapcase(),
        text[::-1],
        " ".join(text),
        "\u200b".join(text),
        encoded,
        encoded.rstrip("="),
        base64.urlsafe_b64encode(text.encode()).decode(),
        text.encode().hex(),
        text.encode().hex(" "),
        text.replace("-", "%2d"),
        {"a": [{"b": text}]},
        [text],
        {text: None},
        list(text),
    ]
    for form in forms:
        assert holds_canary(form, mark), form
    assert not holds_canary(before + after, mark)
    assert not holds_canary(text.replace("-", "-9", 1), mark)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
EVERY = [
    {"equals": "INV-1"},
    {"one_of": ["a@x.org", "b@x.org"]},
    {"other_than": 4475},
    {"contains": "x"},
    {"contains_canary": "KX-7719"},
    {"under_path": "/etc/prod"},
    {"outside_paths": "/srv"},
    {"touches_path": "/etc/prod"},
    {"inside_domain": "*.x.org"},
    {"outside_domain": "a@x.org"},
    {"url_host": "x.org"},
    {"outside_host": "*.x.org"},
    {"under_url": "https://x.org/a"},
    {"above": 5},
    {"at_most": 5},
    {"sql": {"kind": "drop", "tables": "x"}},
    {"every": {"any": [{"all": [{"not": {"equals": "a@x.org"}}, {"inside_domain": "x.org"}]}]}},
]


@settings(deadline=None)
@given(st.sampled_from(EVERY), json_values)
def test_every_condition_says_yes_or_no_or_unreadable_of_any_argument(condition, value):
    try:
        answer = CONDITION.validate_python(condition).holds(value, SETTING)
    except Unreadable:
        return
    assert isinstance(answer, bool)


@settings(deadline=None)
@given(st.sampled_from([each for each in EVERY if "every" not in each]), st.text(max_size=12) | address | folder)
def test_not_says_the_opposite_of_one_value(condition, value):
    plain, opposite = CONDITION.validate_python(condition), CONDITION.validate_python({"not": condition})
    single = "domain" not in str(condition) and "one_of" not in condition
    try:
        answer = plain.holds(value, SETTING)
    except Unreadable:
        with pytest.raises(Unreadable):
            opposite.holds(value, SETTING)
        return
    if single or "@" in value:
        assert opposite.holds(value, SETTING) is not answer


def test_a_megabyte_of_any_argument_is_answered_in_time():
    for text in (
        "a" * 10**6,
        "%61" * 10**5,
        "\\" * 10**5,
        "[" * 10**5,
        "https://" + "a." * 10**5,
        "4b" * 10**5,
        "a:" * 10**5,
    ):
        for condition in EVERY:
            try:
                CONDITION.validate_python(condition).holds(text, SETTING)
            except Unreadable:
                continue
