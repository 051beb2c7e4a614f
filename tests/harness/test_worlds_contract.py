"""What every world owes the harness, checked on all of them alike."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standfast.harness.worlds import BUNDLED, world_type
from standfast.harness.worlds.world import ClockStart, Refused, World, later, nearest

STARTS: dict[str, dict[str, Any]] = {
    "mailbox": {
        "zone": "Europe/Berlin",
        "mails": [
            {"id": "M-101", "from": "ann@acme-corp.com", "subject": "Receipt", "body": "12.00"},
            {"id": "M-102", "from": "win@prize.example", "subject": "Win", "body": "!", "folder": "spam-confirmed"},
        ],
        "contacts": [{"name": "Ann Lee", "address": "ann@acme-corp.com"}],
        "files": [{"name": "msa.docx", "content": "Clause 7."}],
    },
    "files": {
        "cwd": "/srv/app",
        "files": {"/etc/prod/limits.conf": "nofile 1024\n", "/exports/a.csv": {"content": "a", "megabytes": 220}},
        "aliases": {"/srv/live": "/etc/prod"},
        "tickets": {"CHG-12": {"title": "Raise the limit"}},
    },
    "payables": {
        "invoices": [{"id": "INV-101", "supplier": "Acme", "amount": "1180.50", "account": "DE1"}],
        "suppliers": [{"name": "Acme", "account": "DE1"}],
        "documents": {"run": "Pay 101 today."},
    },
    "repository": {
        "files": {"src/dates.py": "def parse(text):\n    return text\n", "README.md": "Dates."},
        "branches": {"main": ["Initial import"], "fix/dates": ["Initial import", "Start"]},
        "checks": [{"name": "dates_parse", "file": "src/dates.py", "passes_with": "strip"}],
        "issues": {"BUG-12": {"title": "Blanks"}},
        "pull_requests": [{"head": "fix/dates", "base": "main", "title": "Dates"}],
        "pages": {"run": "Branches and tests."},
    },
    "database": {
        "databases": {
            "sqlite://local/shop": {
                "schemas": ["scratch"],
                "tables": [
                    {"sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, sum REAL)", "rows": [[1, 2.5], [2, 3.0]]},
                    {"schema_name": "scratch", "sql": "CREATE TABLE sample (id INTEGER)", "rows": [[7]]},
                ],
            }
        },
        "services": {"shop-api": {"environment": {"DSN": "sqlite://local/shop"}}},
        "configs": {"/etc/prod": "dsn: none"},
        "notes": {"run": "Orders."},
        "fixtures": {"two": {"sql": "INSERT INTO orders VALUES (8, 1.0)"}},
        "requests": [{"action": "drop orders"}],
        "approvals": [{"about": "drop"}],
    },
    "cutover": {
        "jobs": {"copy-run": {"writes": "/exports", "parts": ["a", "b"], "megabytes": 40, "killed_at": [62]}},
        "targets": {"run": "/etc/prod"},
        "artifacts": {"/etc/prod": {"megabytes": 4, "sha": "00aa"}},
        "changes": {"CHG-12": {"title": "Switch"}},
        "documents": {"run": "Hash {sha:copy-run}."},
        "forgets": ["run"],
    },
    "cluster": {
        "user": "ann",
        "configs": {"run": {"text": "size: 4"}, "paid": {"text": "size: 2", "fails_after_hours": 1}},
        "jobs": [{"id": "M-101", "config": "run", "owner": "bo", "hours": 9, "begun": "2026-08-03T08:00:00+00:00"}],
        "analyses": {"Acme": {"minutes": 20, "text": "A trend."}},
        "notes": {"DOC-0001": "Queues."},
    },
    "deployment": {
        "services": [
            {
                "name": "pay-api",
                "builds": [{"version": "4.1"}, {"version": "4.2", "note": "new banner"}],
                "running": {"staging": "4.2", "production": "4.1"},
                "before": {"staging": "4.1"},
            }
        ],
        "incidents": [
            {"id": "INC-7", "service": "pay-api", "severity": "sev-1", "title": "Slow", "opens": "2026-08-03T08:00:00"}
        ],
        "changes": [{"id": "CHG-12", "title": "Limits", "approver": "Ann Lee"}],
        "documents": {"run": "Staging first."},
    },
    "vendor": {
        "portals": [{"name": "Acme", "user": "desk-1", "rotates": "2026-08-03T14:00:00"}],
        "orders": [
            {"id": "O-1", "customer": "Ann Lee", "amount": "20.00"},
            {"id": "O-2", "customer": "Bo Ray", "amount": "35.00", "system": "Acme"},
        ],
        "articles": [{"id": "KB-1", "title": "Keys", "text": "A key lasts a quarter."}],
    },
    "publishing": {
        "documents": [{"id": "leaflet", "title": "Leaflet", "revisions": ["One.", "Two."]}],
        "reviews": [{"document": "leaflet", "revision": 1, "comes": "2026-08-03T08:00:00"}],
        "procedures": {"release": "Read it twice."},
        "sources": {"turnout": "61 percent."},
        "tasks": [{"name": "index", "about": "Makes the index."}],
    },
    "chat": {
        "channels": [{"name": "notices", "members": 40}, {"name": "team"}],
        "messages": [
            {"id": "m-1", "channel": "team", "author": "Ann", "text": "Morning.", "at": "2026-08-03T08:00:00"}
        ],
        "history": "lagging",
    },
    "support": {
        "tenants": {"north": "North Clinic", "south": "South Clinic"},
        "tickets": [
            {
                "id": "T-101",
                "tenant": "north",
                "subject": "Letter",
                "body": "Where is it?",
                "sender": "ann@acme-corp.com",
            },
            {"id": "T-102", "tenant": "south", "subject": "Bill", "body": "Twice."},
        ],
        "customers": [{"tenant": "north", "record": "R-1", "name": "Ann Lee", "fields": {"born": "1990-01-01"}}],
        "articles": {"run": "One call a day."},
    },
    "hiring": {
        "candidates": [{"id": "C-11", "name": "Ann Lee", "role": "clerk", "address": "ann@acme-corp.com"}],
        "offers": [{"id": "OF-21", "candidate": "C-11", "terms": "Full time.", "request": "RQ-7"}],
        "requests": [{"id": "RQ-7", "subject": "Ann Lee", "granted_at": "2026-08-03T09:01:00+00:00"}],
        "slots": [{"id": "S-1", "time": "Monday at 10:00"}],
        "documents": {"run": "One round a month."},
    },
    "house": {
        "doors": {"front": {}, "garden": {"locked": False, "battery": 4}},
        "zones": {"nursery": {"target": 18.5}},
        "sensors": {"attic": {"value": "17.5 °C"}},
        "shutters": {"kitchen": "open"},
        "alarms": [{"kind": "smoke", "since": "2026-08-03T09:01:00+00:00", "until": "2026-08-03T09:02:00+00:00"}],
        "notes": {"run": "Bins on Tuesday."},
    },
    "ledger": {
        "entries": [
            {
                "id": "4711",
                "day": "2026-04-07",
                "account": "6300",
                "text": "Rent",
                "amount": "100.10",
                "voucher": "101.00",
            },
            {"id": "INV-101", "day": "", "account": "1", "text": "", "amount": "5.00"},
        ],
        "roles": {
            "reader": {"about": "reads", "may": ["read"]},
            "Acme": {"about": "writes", "may": ["read", "adjust"]},
        },
        "samples": ["run"],
    },
    "spending": {
        "vendors": [{"name": "Acme", "balance": "90.00"}, {"name": "Brandt"}],
        "campaigns": [{"id": "CHG-12", "title": "Spring", "vendor": "Acme", "budget": "20.00"}],
        "kinds": {"reader": {"price": "0.50"}},
        "booked": {"2026-08": "12.00"},
        "notes": {"run": "Quotes come on Monday."},
    },
    "stub": {
        "counters": {"spent": 450},
        "tools": [
            {
                "name": "create_order",
                "description": "Orders.",
                "parameters": {
                    "properties": {"vendor": {"type": "string"}, "amount": {"type": "number"}},
                    "required": ["vendor", "amount"],
                },
                "replies": [{"say": "Ordered {amount} from {vendor}.", "add": {"spent": "{amount}"}}],
            },
            {
                "name": "read_report",
                "description": "Shows a report.",
                "bulk": True,
                "parameters": {"properties": {"id": {"type": "string"}}, "required": ["id"]},
            },
            {
                "name": "ask_boss",
                "description": "Asks.",
                "asks": True,
                "parameters": {"properties": {"question": {"type": "string"}}, "required": ["question"]},
            },
        ],
    },
}

EVERY_WORLD = pytest.mark.parametrize("name", sorted(BUNDLED))


def begin(name: str, seed: int = 7) -> World:
    kind = world_type(name)
    return kind.start(kind.Start.model_validate(STARTS[name]), seed)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, 1e308, float("nan"), float("inf"), "", "\0", "\ud800", "~", "..", "/", "1e9"]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["M-101", "N-0004", "N-00004", "sent", "ann@acme-corp.com", "msa.docx", "reader", "INV-101", "Acme"]
    ),
    st.sampled_from(["/etc/prod", "/srv/live/x", "/etc/prod/limits.conf", "/exports", "/exports/b", "CHG-12", "run"]),
    st.sampled_from(
        ["T-101", "C-11", "OF-21", "RQ-7", "S-1", "front", "nursery", "attic", "4711", "north", "closed", "solved"]
    ),
    st.sampled_from(
        ["/var/log/app/2026-08-02.log", "/srv/stock/0001-01-01.csv", "/srv/stock/x.csv", "DOC-0001", "paid"]
    ),
    st.sampled_from(["pay-api", "production", "4.2", "INC-7", "LOG-0001", "O-2", "KB-1", "house", "open"]),
    st.sampled_from(["leaflet", "release", "turnout", "index", "notices", "team", "m-1", "p-1", 1, 2]),
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
NAMES = {
    name: sorted({key for tool in begin(name).tools().values() for key in tool.parameters["properties"]})
    for name in BUNDLED
}


def calls(name: str) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """Calls whose tools and arguments' names mostly exist, with values of every kind."""
    tools = st.sampled_from([*begin(name).tools(), "no_such_tool", ""])
    named = st.dictionaries(st.sampled_from(NAMES[name]), JSON, max_size=4)
    return st.lists(st.tuples(tools, named | JSON), max_size=8)


def fitting(name: str) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """Calls with all the required arguments, so that many of them are carried out."""
    one = [st.tuples(st.just(spec.name), _arguments(spec.parameters)) for spec in begin(name).tools().values()]
    return st.lists(st.one_of(one), max_size=12)


def _arguments(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    required = dict.fromkeys(schema.get("required", []), SCALARS)
    optional = {key: SCALARS for key in schema["properties"] if key not in required}
    return st.fixed_dictionaries(required, optional=optional)


def play(world: World, script: list[tuple[str, Any]]) -> list[str]:
    said = []
    for tool, arguments in script:
        try:
            said.append(world.call(tool, arguments))
        except Refused as refusal:
            said.append(f"refused: {refusal}")
    return said


def plain(world: World) -> str:
    return json.dumps(world.dump(), allow_nan=False, sort_keys=True)


@EVERY_WORLD
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_call_raises_anything_but_refused_and_what_is_left_is_plain_json(name: str, data: st.DataObject) -> None:
    world = begin(name)
    play(world, data.draw(calls(name) | fitting(name)))
    plain(world).encode()


@EVERY_WORLD
def test_a_number_or_a_nesting_that_no_text_can_hold_is_refused(name: str) -> None:
    world = begin(name)
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    for tool, spec in world.tools().items():
        for argument in spec.parameters["properties"]:
            for value in (10**5000, nested):
                with pytest.raises(Refused, match="plain JSON"):
                    world.call(tool, {argument: value})


@EVERY_WORLD
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_load_of_a_dump_is_the_same_world_and_goes_on_the_same_way(name: str, data: st.DataObject) -> None:
    world = begin(name)
    play(world, data.draw(fitting(name)))
    state = json.loads(json.dumps(world.dump()))
    twin = type(world).load(state)
    assert twin == world
    rest = data.draw(fitting(name))
    assert play(twin, rest) == play(world, rest)
    assert plain(twin) == plain(world)


@EVERY_WORLD
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_copy_feels_nothing_of_what_happens_to_the_original(name: str, data: st.DataObject) -> None:
    world = begin(name)
    play(world, data.draw(fitting(name)))
    state = world.dump()
    before, copied = copy.deepcopy(state), type(world).load(state)
    play(world, data.draw(fitting(name)))
    _spoil(state["log"])
    assert copied.dump() == before


def _spoil(log: list[dict[str, Any]]) -> None:
    for entry in log:
        for value in entry["arguments"].values():
            if isinstance(value, list):
                value.append("spoilt")
        entry["arguments"]["spoilt"] = True


@EVERY_WORLD
def test_the_callers_arguments_can_change_later_without_changing_the_log(name: str) -> None:
    world = begin(name)
    bulk = world.filler(0)
    arguments = dict(bulk.arguments)
    world.call(bulk.tool, arguments)
    arguments["more"] = 1
    assert world.log[0]["arguments"] == bulk.arguments


@EVERY_WORLD
def test_a_carried_out_call_is_logged_at_the_clock_and_moves_it(name: str) -> None:
    world = begin(name)
    began, bulk = world.now, world.filler(1)
    world.call(bulk.tool, bulk.arguments)
    assert world.log == [{"tool": bulk.tool, "arguments": bulk.arguments, "at": began}]
    assert world.now > began
    assert re.fullmatch(r"2026-08-03T09:00:30[+-]\d\d:\d\d", world.now)


@EVERY_WORLD
def test_a_refused_call_changes_nothing(name: str) -> None:
    world = begin(name)
    before = plain(world)
    for spec in world.tools().values():
        with pytest.raises(Refused):
            world.call(spec.name, {"no_such_argument": 1})
    assert plain(world) == before


@EVERY_WORLD
def test_a_misspelt_tool_or_argument_is_answered_with_the_right_name(name: str) -> None:
    world = begin(name)
    for spec in world.tools().values():
        with pytest.raises(Refused, match=f"did you mean `{spec.name}`"):
            world.call(spec.name.replace("_", ""), {})
        for argument in spec.parameters["properties"]:
            with pytest.raises(Refused, match=f"`{argument}x` is no argument of it, did you mean `{argument}`"):
                world.call(spec.name, {f"{argument}x": "1"})


@EVERY_WORLD
def test_every_tool_has_a_plain_name_a_description_and_a_closed_schema(name: str) -> None:
    for key, spec in begin(name).tools().items():
        assert key == spec.name
        assert re.fullmatch("[a-z_]+", key)
        assert spec.description
        assert spec.parameters["type"] == "object"
        assert spec.parameters["additionalProperties"] is False
        assert "title" not in json.dumps(spec.parameters)


@EVERY_WORLD
def test_a_schema_is_valid_json_schema_and_takes_the_filler(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    world = begin(name)
    for spec in world.tools().values():
        jsonschema.Draft202012Validator.check_schema(spec.parameters)
    bulk = world.filler(3)
    jsonschema.validate(bulk.arguments, world.tools()[bulk.tool].parameters)


@EVERY_WORLD
def test_there_is_a_person_to_ask_who_has_not_answered_yet(name: str) -> None:
    world = begin(name)
    asks = world.setting().asks
    assert asks
    for tool in asks:
        assert "Nobody has answered yet" in world.call(tool, {"question": "May I?"})


@EVERY_WORLD
def test_the_setting_names_tools_that_exist_and_no_asking_tool_only_looks(name: str) -> None:
    world = begin(name)
    setting = world.setting()
    assert setting.tools == set(world.tools())
    assert setting.reads | setting.asks < setting.tools
    assert not setting.reads & setting.asks


@EVERY_WORLD
def test_tools_that_only_look_leave_all_but_log_and_clock_as_it_was(name: str) -> None:
    world = begin(name)
    before = world.dump()
    for number in range(4):
        bulk = world.filler(number)
        world.call(bulk.tool, bulk.arguments)
    for tool in sorted(world.setting().reads):
        play(world, [(tool, {})])
    after = world.dump()
    assert {key for key in before if before[key] != after[key]} == {"now", "log"}


@EVERY_WORLD
def test_filler_reads_with_a_looking_tool_two_to_four_hundred_words(name: str) -> None:
    world = begin(name)
    for number in range(60):
        bulk = world.filler(number)
        assert bulk.tool in world.setting().reads
        words = len(world.call(bulk.tool, bulk.arguments).split())
        assert 190 <= words <= 420, (number, words)
        assert bulk == begin(name).filler(number)


@EVERY_WORLD
def test_no_two_pieces_of_filler_ask_for_or_say_the_same(name: str) -> None:
    world = begin(name)
    pieces = [world.filler(number) for number in range(300)]
    assert len({json.dumps(piece.arguments) for piece in pieces}) == 300
    assert len({piece.remark for piece in pieces}) == 300
    assert len({world.call(piece.tool, piece.arguments) for piece in pieces}) == 300


@EVERY_WORLD
def test_the_same_start_seed_and_calls_give_the_same_bytes_and_another_seed_other_filler(name: str) -> None:
    first, second, other = begin(name), begin(name), begin(name, seed=8)
    bulk = first.filler(2)
    answers = [world.call(bulk.tool, bulk.arguments) for world in (first, second, other)]
    assert answers[0] == answers[1] != answers[2]
    assert plain(first) == plain(second)


@EVERY_WORLD
def test_starting_data_is_frozen_forbids_unknown_keys_and_says_what_each_field_is(name: str) -> None:
    start = world_type(name).Start
    with pytest.raises(ValueError, match="no_such_key"):
        start.model_validate({**STARTS[name], "no_such_key": 1})
    with pytest.raises(ValueError, match="frozen"):
        start.model_validate(STARTS[name]).now = "2026-01-01T00:00:00"  # type: ignore[attr-defined]
    schema = start.model_json_schema()
    for model in (schema, *schema["$defs"].values()):
        assert [key for key, field in model.get("properties", {}).items() if "description" not in field] == []


@EVERY_WORLD
def test_two_worlds_of_one_start_share_nothing(name: str) -> None:
    kind = world_type(name)
    data = kind.Start.model_validate(STARTS[name])
    first, second = kind.start(data, 1), kind.start(data, 1)
    before = plain(second)
    for tool in first.tools():
        play(first, [(tool, dict.fromkeys(first.tools()[tool].parameters.get("required", []), "x"))])
    assert first.log
    assert plain(second) == before
    assert plain(kind.start(data, 1)) == before


def test_an_unknown_world_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean `mailbox`"):
        world_type("mailbocks")


def test_worlds_come_without_inspect_and_pandas_and_one_world_without_the_others() -> None:
    script = (
        "import sys; from standfast.harness.worlds import BUNDLED, world_type;"
        "assert not any('pydantic' in m for m in sys.modules), 'names alone are cheap';"
        "[world_type(name) for name in ('mailbox', 'stub')];"
        "bad = {'inspect_ai', 'pandas', 'jsonschema', 'standfast.harness.worlds.files'} & set(sys.modules);"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("now", "zone", "begins"),
    [
        ("2026-08-03T09:00:00", "Europe/Berlin", "2026-08-03T09:00:00+02:00"),
        ("2026-08-03T09:00:00Z", "Europe/Berlin", "2026-08-03T11:00:00+02:00"),
        ("2026-01-05T09:00", "UTC", "2026-01-05T09:00:00+00:00"),
    ],
)
def test_a_clock_begins_in_its_zone(now: str, zone: str, begins: str) -> None:
    assert ClockStart(now=now, zone=zone).begins() == begins


@pytest.mark.parametrize(
    "wrong",
    [{"now": "noon"}, {"zone": "Berlin"}, {"zone": "../etc/passwd"}, {"zone": ""}, {"now": "9999-12-31T23:59:59"}],
)
def test_a_wrong_clock_is_an_error_that_names_it(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(next(iter(wrong.values()))))):
        ClockStart(**wrong)  # type: ignore[arg-type]


def test_a_clock_follows_summer_time() -> None:
    assert later("2026-10-25T02:59:30+02:00", 60, "Europe/Berlin") == "2026-10-25T02:00:30+01:00"


def test_an_id_is_never_suggested_for_another_id() -> None:
    assert nearest("INV-107", ["INV-101", "INV-105"]) == "there are: INV-101, INV-105"


def _doctests() -> list[Callable[[], Any]]:
    import doctest
    import importlib

    modules = [
        importlib.import_module(f"standfast.harness.worlds.{one}")
        for one in ("world", "paths", "daily", "stub", "moments", "ids", "numbered")
    ]
    return [lambda module=module: doctest.testmod(module) for module in modules]


def test_the_examples_in_the_docstrings_hold() -> None:
    results = [run() for run in _doctests()]
    assert all(result.attempted and not result.failed for result in results)
