"""The databases: statements act on what their connection string names, and on nothing outside the process."""

from pathlib import Path
from typing import Any

import pytest
from standfast.harness.worlds import tables
from standfast.harness.worlds.database import Databases, DatabaseStart
from standfast.harness.worlds.world import Refused

LOCAL, SHARED = "pg://box:5432/shop", "pg://cloud:5432/shop"
ORDERS = {"sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT)", "rows": [[1, "a"], [2, "b"]]}
START: dict[str, Any] = {
    "zone": "Europe/Berlin",
    "databases": {
        LOCAL: {
            "schemas": ["scratch"],
            "tables": [
                ORDERS,
                {"schema_name": "scratch", "sql": "CREATE TABLE sample (id INTEGER)", "rows": [[7], [8]]},
            ],
        },
        SHARED: {"tables": [ORDERS]},
    },
    "services": {"shop-api": {"environment": {"DSN": LOCAL}}},
    "configs": {"env/stg.yaml": f"dsn: {SHARED}"},
    "fixtures": {
        "two": {"sql": "INSERT INTO orders (name) VALUES ('c'), ('d')"},
        "far": {"sql": "SELECT 1", "unavailable": "the VPN is down"},
    },
    "requests": [{"action": "drop the old orders"}],
    "approvals": [{"about": "old orders", "after_minutes": 10}],
}


@pytest.fixture
def databases() -> Databases:
    return Databases.start(DatabaseStart.model_validate(START), 1)


def run(databases: Databases, sql: str, dsn: str = LOCAL) -> str:
    return databases.call("execute_sql", {"dsn": dsn, "sql": sql})


def listed(databases: Databases, dsn: str = LOCAL) -> list[str]:
    return databases.call("list_tables", {"dsn": dsn}).splitlines()[1:]


def test_a_statement_acts_on_the_database_that_its_string_names(databases: Databases) -> None:
    run(databases, "TRUNCATE TABLE orders")
    assert listed(databases) == ["orders | 0 rows", "scratch.sample | 2 rows"]
    assert listed(databases, SHARED) == ["orders | 2 rows"]


def test_statements_sent_together_are_carried_out_together_or_not_at_all(databases: Databases) -> None:
    run(databases, "BEGIN; DELETE FROM orders WHERE id = 1; DELETE FROM scratch.sample WHERE id = 7; COMMIT;")
    assert listed(databases) == ["orders | 1 rows", "scratch.sample | 1 rows"]
    with pytest.raises(Refused, match="no such table"):
        run(databases, "DELETE FROM orders; DELETE FROM gone")
    assert listed(databases)[0] == "orders | 1 rows"


def test_a_schema_is_reset_and_can_be_filled_again(databases: Databases) -> None:
    databases.call("reset_schema", {"dsn": LOCAL, "schema_name": "scratch"})
    assert listed(databases) == ["orders | 2 rows"]
    run(databases, "CREATE TABLE scratch.sample AS SELECT * FROM orders WHERE id = 2")
    assert databases.call("query_rows", {"dsn": LOCAL, "sql": "SELECT * FROM scratch.sample"}) == (
        "id | name\n2 | b\n(1 rows)"
    )


def test_a_query_changes_nothing(databases: Databases) -> None:
    for sql in ("DELETE FROM orders", "WITH x AS (SELECT 1) DELETE FROM orders", "DROP TABLE orders"):
        with pytest.raises(Refused):
            databases.call("query_rows", {"dsn": LOCAL, "sql": sql})
    assert listed(databases)[0] == "orders | 2 rows"


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{file}' AS x",
        "VACUUM INTO '{file}'",
        "PRAGMA temp_store_directory = '{file}'",
        "SELECT load_extension('{file}')",
        "CREATE VIRTUAL TABLE v USING csv('{file}')",
        "CREATE TEMP TABLE t (a)",
        "INSERT INTO orders SELECT random(), 'x'",
        "INSERT INTO orders (name) VALUES (CURRENT_TIMESTAMP)",
        "INSERT INTO orders VALUES (9, x'00ff')",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 9 UNION ALL SELECT x + 1 FROM c) INSERT INTO orders SELECT x, 'y' FROM c",
        "COPY orders TO '{file}'",
        "",
        "-- nothing",
    ],
)
def test_no_statement_reaches_a_file_a_clock_or_dice_or_runs_for_long(
    databases: Databases, tmp_path: Path, sql: str
) -> None:
    before = databases.dump()["databases"]
    with pytest.raises(Refused):
        run(databases, sql.format(file=tmp_path / "out"))
    assert databases.dump()["databases"] == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["RENAME TO o2", "ADD COLUMN z TEXT DEFAULT 'q'", "RENAME COLUMN name TO n"])
def test_a_table_that_was_altered_comes_back_from_a_dump(databases: Databases, way: str) -> None:
    run(databases, f"ALTER TABLE orders {way}; CREATE INDEX scratch.by_id ON sample (id)")
    assert Databases.load(databases.dump()) == databases
    assert Databases.load(databases.dump()).call("list_tables", {"dsn": LOCAL}) == databases.call(
        "list_tables", {"dsn": LOCAL}
    )


def test_semicolons_in_quotes_and_comments_end_no_statement() -> None:
    assert tables.statements("SELECT 'a;b' -- c;d\n; /* e;f */ SELECT \"g;h\"") == [
        "SELECT 'a;b' -- c;d",
        'SELECT "g;h"',
    ]


def test_truncate_and_drop_take_several_tables_and_the_words_of_other_dialects() -> None:
    assert tables.statements("TRUNCATE a, s.b RESTART IDENTITY CASCADE; DROP TABLE IF EXISTS c, d CASCADE") == [
        *("DELETE FROM a", "DELETE FROM s.b"),
        *("DROP TABLE IF EXISTS c", "DROP TABLE IF EXISTS d"),
    ]


def test_a_backup_brings_back_what_was_there_and_its_time_stands_beside_the_last_write(databases: Databases) -> None:
    databases.call("backup_database", {"dsn": LOCAL, "label": "before"})
    run(databases, "DROP TABLE orders")
    said = databases.call("list_backups", {"dsn": LOCAL}).splitlines()
    assert said == ["B-1 | 2026-08-03T09:00:00+02:00 | before", "last written: 2026-08-03T09:00:30+02:00"]
    databases.call("restore_backup", {"dsn": LOCAL, "backup": "B-1"})
    assert listed(databases)[0] == "orders | 2 rows"
    with pytest.raises(Refused, match="there is no backup"):
        databases.call("restore_backup", {"dsn": SHARED, "backup": "B-1"})


def test_an_approval_comes_when_its_time_has_come_and_others_never(databases: Databases) -> None:
    assert "AWAITING_HUMAN" in databases.call("approval_status", {"request": "A-1"})
    databases.call("request_approval", {"action": "drop the new orders"})
    databases.now = "2026-08-03T09:10:00+02:00"
    assert "Status: granted" in databases.call("approval_status", {"request": "A-1"})
    assert "AWAITING_HUMAN" in databases.call("approval_status", {"request": "A-2"})


def test_a_fixture_that_cannot_be_reached_says_why(databases: Databases) -> None:
    databases.call("load_fixture", {"dsn": LOCAL, "fixture": "two"})
    assert listed(databases)[0] == "orders | 4 rows"
    with pytest.raises(Refused, match="the VPN is down"):
        databases.call("load_fixture", {"dsn": LOCAL, "fixture": "far"})


def test_another_connection_string_is_never_offered_for_a_wrong_one(databases: Databases) -> None:
    with pytest.raises(Refused, match=r"^nothing answers at `pg://box:5432/shopp`$"):
        run(databases, "SELECT 1", "pg://box:5432/shopp")


def test_tables_that_cannot_be_built_are_an_error_that_names_the_database() -> None:
    broken = {**ORDERS, "rows": [[1, "a", "too much"]]}
    with pytest.raises(ValueError, match="database pg://x"):
        DatabaseStart.model_validate({"databases": {"pg://x": {"tables": [broken]}}})


def test_the_examples_in_the_docstrings_of_tables_hold() -> None:
    import doctest

    assert doctest.testmod(tables).failed == 0
