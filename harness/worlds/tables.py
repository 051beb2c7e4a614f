"""SQL over plain tables: sqlite in memory, rebuilt for every call from JSON and written back to JSON.

Nothing but the tables can be reached: no file, no setting, no clock and no dice, and no statement runs for long.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

from pydantic import Field

from .world import Refused, Strict

T = TypeVar("T")
MAIN = "main"
SHOWN = 40  # rows of an answer
MOST_ROWS = 4000  # of a database
_STEPS = 300  # times a thousand instructions of sqlite's machine
_LONGEST = 10_000  # characters of a statement, and of a value
_TOO_MUCH = "the statement takes too long or too much room"

Value = int | float | str | None

_PLAIN_FUNCTIONS = """
count sum avg min max total group_concat lower upper length substr substring trim ltrim rtrim replace abs round coalesce
ifnull nullif iif instr like glob typeof sign row_number rank dense_rank lag lead printf
"""
_OF_ALTER = """
sqlite_rename_table sqlite_rename_column sqlite_rename_test sqlite_rename_quotefix sqlite_drop_column
"""  # ALTER TABLE calls them, nobody else can
_FUNCTIONS = frozenset((_PLAIN_FUNCTIONS + _OF_ALTER).split())
_READ = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_CHANGE = _READ | {
    *(sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_ALTER_TABLE),
    *(sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_VIEW),
    *(sqlite3.SQLITE_DROP_TABLE, sqlite3.SQLITE_DROP_INDEX, sqlite3.SQLITE_DROP_VIEW, sqlite3.SQLITE_REINDEX),
}
_WORDS = re.compile(r"\s*(SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|TRUNCATE)\b", re.I)
_TRANSACTION = re.compile(r"\s*(BEGIN|START\s+TRANSACTION|COMMIT|END)(\s+(TRANSACTION|WORK))?\s*", re.I)
_COMMENT = re.compile(r"\A(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/)+", re.S)
_NAME = r'(?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?'
_TRUNCATE = re.compile(
    rf"TRUNCATE\s+(?:TABLE\s+)?({_NAME}(?:\s*,\s*{_NAME})*)(?:\s+(?:RESTART|CONTINUE)\s+IDENTITY)?"
    r"(?:\s+(?:CASCADE|RESTRICT))?\s*",
    re.I,
)
_DROP = re.compile(
    rf"DROP\s+TABLE\s+((?:IF\s+EXISTS\s+)?)({_NAME}(?:\s*,\s*{_NAME})*)(?:\s+(?:CASCADE|RESTRICT))?\s*", re.I
)
_MADE = re.compile(r"\ACREATE (UNIQUE )?(TABLE|INDEX|VIEW) ", re.I)


class Relation(Strict):
    """A table with its rows, or an index or a view, which has none."""

    schema_name: str = Field(default=MAIN, description="schema that it lies in")
    sql: str = Field(description="statement that makes it, without the schema, such as CREATE TABLE t (id INTEGER)")
    rows: tuple[tuple[Value, ...], ...] = Field(default=(), description="rows in order")


class Database(Strict):
    """What lies behind one connection string."""

    schemas: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")], ...] = Field(
        default=(), max_length=8, description="schemas beside `main`"
    )
    tables: tuple[Relation, ...] = Field(
        default=(), description="tables, indexes and views in the order of their making"
    )


def built(database: Database) -> Database:
    """The database as sqlite keeps it. Raises Refused where it cannot be built."""
    with _Session(database, _CHANGE) as session:
        return session.written()


def ask(database: Database, sql: str) -> str:
    """The rows that a SELECT finds, as a text table. Raises Refused."""
    with _Session(database, _READ) as session:
        return [session.run(one) for one in statements(sql)][-1]


def change(database: Database, sql: str) -> tuple[Database, str]:
    """The database after the statements, all of them or none, and what each of them says. Raises Refused."""
    with _Session(database, _CHANGE) as session:
        said = [session.run(one) for one in statements(sql)]
        return session.written(), "\n".join(said)


def counts(database: Database) -> list[str]:
    """A line for each table or view: its name and how many rows it has. Raises Refused."""
    with _Session(database, _READ) as session:
        return [f"{name} | {session.count(name)} rows" for name in session.names()]


def statements(sql: str) -> list[str]:
    """The statements of a text in sqlite's words. Raises Refused for none, and for words that have no place here.

    >>> statements("TRUNCATE TABLE orders; -- all of them")
    ['DELETE FROM orders']
    >>> statements("BEGIN; DELETE FROM a WHERE note = 'x;y'; COMMIT")
    ["DELETE FROM a WHERE note = 'x;y'"]
    """
    if len(sql) > _LONGEST:
        raise Refused(f"the SQL has {len(sql)} characters, {_LONGEST} are the most")
    found = [each for piece in _split(sql) for each in _in_sqlites_words(piece)]
    if not found:
        raise Refused("there is no statement in it")
    return found


def _in_sqlites_words(piece: str) -> list[str]:
    if _TRANSACTION.fullmatch(piece):
        return []  # what is sent together is one transaction
    if whole := _TRUNCATE.fullmatch(piece):
        return [f"DELETE FROM {name.strip()}" for name in whole[1].split(",")]
    if whole := _DROP.fullmatch(piece):
        return [f"DROP TABLE {whole[1]}{name.strip()}" for name in whole[2].split(",")]
    if not _WORDS.match(piece):
        raise Refused(f"`{piece.split()[0][:40]}` is no statement that this tool takes")
    return [piece]


def _split(sql: str) -> Iterator[str]:
    """The pieces between semicolons, those in quotes and comments left alone; leading comments go."""
    start = at = 0
    while at < len(sql):
        at, ended = _next(sql, at)
        if ended or at >= len(sql):
            piece = _COMMENT.sub("", sql[start : at - 1 if ended else at]).strip()
            start = at
            if piece:
                yield piece


def _next(sql: str, at: int) -> tuple[int, bool]:
    """The place behind the next quoted text, comment or sign, and whether that sign ends a statement."""
    for opening, closing in (("'", "'"), ('"', '"'), ("--", "\n"), ("/*", "*/")):
        if sql.startswith(opening, at):
            end = sql.find(closing, at + len(opening))
            return (len(sql) if end < 0 else end + len(closing)), False
    return at + 1, sql[at] == ";"


class _Session:
    """A connection that lives for one call."""

    def __init__(self, database: Database, allowed: set[int]) -> None:
        self._database, self._allowed = database, _CHANGE
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._steps = 0
        try:
            self._guarded(self._build)
        except Refused:
            self._connection.close()
            raise
        self._allowed = allowed

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _build(self) -> None:
        self._connection.execute("PRAGMA temp_store = MEMORY")  # a large sort would go to a file
        for schema in self._database.schemas:
            self._connection.execute(f"ATTACH ':memory:' AS \"{schema}\"")
        for schema in (MAIN, *self._database.schemas):
            self._connection.execute(f'PRAGMA "{schema}".max_page_count = 2000')
        self._connection.set_authorizer(self._may)
        self._connection.set_progress_handler(self._goes_on, 1000)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        for one in self._database.tables:
            self._make(one)

    def run(self, sql: str) -> str:
        """What one statement says."""
        return self._guarded(lambda: self._run(sql))

    def names(self) -> list[str]:
        """Tables and views, with their schema where it is not the main one."""
        found = [(schema, name) for schema, kind, name, _ in self._made() if kind in ("table", "view")]
        return [name if schema == MAIN else f"{schema}.{name}" for schema, name in found]

    def count(self, name: str) -> int:
        quoted = ".".join(f'"{part}"' for part in name.split(".", 1))
        return int(self._guarded(lambda: self._connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0]))

    def written(self) -> Database:
        """The database as it is now; Refused where it could not be built again from that."""
        found = self._guarded(self._found)
        if sum(len(one.rows) for one in found.tables) > MOST_ROWS:
            raise Refused(f"{_TOO_MUCH}: {MOST_ROWS} rows are the most")
        if found != self._database:
            with _Session(found, _CHANGE) as again:
                if again._guarded(again._found) != found:
                    raise Refused("a table of this kind cannot be kept")
        return found

    def _found(self) -> Database:
        return Database(schemas=self._database.schemas, tables=tuple(self._relation(*made) for made in self._made()))

    def _run(self, sql: str) -> str:
        cursor = self._connection.execute(sql)
        if cursor.description is None:
            word = sql.split()[0].upper()
            return f"{word}: {cursor.rowcount} rows" if cursor.rowcount >= 0 else f"{word}: done"
        rows = cursor.fetchmany(SHOWN + 1)
        lines = [" | ".join(_shown(value) for value in row) for row in rows[:SHOWN]]
        more = [f"… more than {SHOWN} rows"] if len(rows) > SHOWN else [f"({len(rows)} rows)"]
        return "\n".join([" | ".join(column[0] for column in cursor.description), *lines, *more])

    def _make(self, one: Relation) -> None:
        if not _MADE.match(one.sql):
            raise Refused(f"`{one.sql[:40]}` does not begin with CREATE TABLE, INDEX or VIEW")
        self._connection.execute(_MADE.sub(rf'CREATE \1\2 "{one.schema_name}".', one.sql, count=1))
        if one.rows:
            name = [made[2] for made in self._made() if made[0] == one.schema_name][-1]
            target = f'"{one.schema_name}"."{name}"'
            places = ", ".join("?" * len(one.rows[0]))
            self._connection.executemany(f"INSERT INTO {target} VALUES ({places})", one.rows)

    def _made(self) -> list[tuple[str, str, str, str]]:
        """Schema, kind, name and SQL of all that there is, the main schema first."""
        wanted = "sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        return [
            (schema, *row)
            for schema in (MAIN, *self._database.schemas)
            for row in self._free(f'SELECT type, name, sql FROM "{schema}".sqlite_master WHERE {wanted}')
        ]

    def _free(self, sql: str) -> list[Any]:
        """Rows of a statement of our own, which no guard stops."""
        self._connection.set_authorizer(None)
        rows = self._connection.execute(sql).fetchall()
        self._connection.set_authorizer(self._may)
        return rows

    def _relation(self, schema: str, kind: str, name: str, sql: str) -> Relation:
        rows = self._free(f'SELECT * FROM "{schema}"."{name}"') if kind == "table" else []
        if any(isinstance(value, bytes) or not _is_plain(value) for row in rows for value in row):
            raise Refused("a value that is neither text nor a number cannot be kept")
        return Relation(schema_name=schema, sql=sql, rows=tuple(map(tuple, rows)))

    def _may(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION:
            fine = (second or "").lower() in _FUNCTIONS
        else:
            fine = action in self._allowed
        return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY

    def _goes_on(self) -> int:
        self._steps += 1
        return self._steps > _STEPS

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            said = _TOO_MUCH if "interrupted" in str(error) else str(error)
            raise Refused(f"the database says: {said}") from error


def _shown(value: Any) -> str:
    return "NULL" if value is None else str(value)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)
