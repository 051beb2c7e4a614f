"""SQL, through a parser: what each statement does, and to which tables."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .unreadable import Unreadable

if TYPE_CHECKING:
    from sqlglot import exp


class Kind(StrEnum):
    """What a statement does."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    MERGE = "merge"
    TRUNCATE = "truncate"
    DROP = "drop"
    CREATE = "create"
    ALTER = "alter"
    GRANT = "grant"
    REVOKE = "revoke"
    COPY = "copy"
    TRANSACTION = "transaction"
    SET = "set"
    OTHER = "other"


_LONGEST = 200_000
_NODES = {
    **{kind: kind.title() for kind in Kind},
    Kind.TRUNCATE: "TruncateTable",
    Kind.TRANSACTION: "Transaction Commit Rollback",
    Kind.SET: "Set Use Pragma",
    Kind.ALTER: "Alter Comment",
    Kind.OTHER: "Show Describe Analyze Union Except Intersect Values Subquery Kill Cache",
}
_ROOTS = {node: kind for kind, nodes in _NODES.items() for node in nodes.split()}
_INSIDE = (Kind.INSERT, Kind.UPDATE, Kind.DELETE, Kind.MERGE, Kind.SELECT)
_HARMLESS = ("SHOW", "VACUUM", "ANALYZE", "LOCK", "UNLOCK", "SAVEPOINT", "RELEASE", "CHECKPOINT", "LISTEN", "NOTIFY")
_EXPLAINED = re.compile(r"\s*(?P<options>\((?:[^()]*)\)|(?:(?:ANALYZE|VERBOSE)\s+)*)\s*(?P<statement>.*)", re.I | re.S)


@dataclass(frozen=True)
class Statement:
    """One thing that SQL does. Names are case-folded, with their schema where one is written (`public.users`)."""

    kind: Kind
    tables: frozenset[str]
    """What it acts on: the table that is written, or those that are read; not the names of a WITH."""
    whole: bool = False
    """It acts on every row: no WHERE or one that is always true, TRUNCATE, DROP."""
    reads: frozenset[str] = frozenset()
    """Tables that it only looks at, as behind the FROM of an UPDATE."""
    unknown: str | None = None
    """Why its tables cannot be told, or (with kind `other`) anything, as of a call of a stored procedure."""


def read_sql(value: Any, dialect: str | None = None) -> tuple[Statement, ...]:
    """Everything that a text of SQL does: each statement, and each that stands inside another.

    Comments and string literals do nothing. Raises Unreadable for what the parser does not accept, for empty text and
    for MySQL's comments that are run.

    >>> statements = read_sql("SELECT 1; -- DROP TABLE a\\n DELETE FROM b")
    >>> [(one.kind.value, sorted(one.tables), one.whole) for one in statements]
    [('select', [], True), ('delete', ['b'], True)]
    >>> [one.kind.value for one in read_sql("WITH x AS (DELETE FROM users WHERE id = 1 RETURNING *) SELECT * FROM x")]
    ['select', 'delete']
    """
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST or "/*!" in value or "/*+" in value:
        raise Unreadable(f"not readable as SQL: {str(value)[:80]!r}")
    try:
        found = tuple(one for root in _parsed(value, dialect) for one in _statements(root, dialect))
    except (AttributeError, TypeError, RecursionError) as error:  # a tree of a shape that nobody foresaw
        raise Unreadable(f"not readable as SQL: {value[:80]!r}") from error
    if not found:
        raise Unreadable(f"no statement in {value[:80]!r}")
    return found


def _parsed(text: str, dialect: str | None) -> list[exp.Expr]:
    import sqlglot  # a heavy import that few scenarios need

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        found = sqlglot.parse(text, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError) as error:
        raise Unreadable(f"not readable as SQL: {text[:80]!r}") from error
    return [root for root in found if root is not None and not isinstance(root, sqlglot.exp.Semicolon)]


def _statements(root: exp.Expr, dialect: str | None) -> Iterator[Statement]:
    from sqlglot import exp

    if isinstance(root, exp.Command):
        yield from _of_command(str(root.this).upper(), getattr(root.args.get("expression"), "name", ""), dialect)
        return
    if not _kind(root):
        raise Unreadable(f"no statement of SQL: {root.sql()[:80]!r}")
    if isinstance(root, exp.Describe) and not str(root.args.get("style") or "").upper().startswith("ANALY"):
        yield Statement(Kind.OTHER, frozenset())  # a plan that is only shown
        return
    yield _statement(root)
    for node in root.walk():
        if isinstance(node, exp.When):  # a branch of a MERGE acts on the table of the MERGE
            yield replace(_statement(root), kind=_kind_of_branch(node))
        elif isinstance(node, exp.Into):
            yield Statement(Kind.CREATE, _names([node.this], root))
        elif node is not root and not isinstance(node.parent, exp.When) and _kind(node) in _INSIDE:
            yield _statement(node)


def _of_command(word: str, rest: str, dialect: str | None) -> Iterator[Statement]:
    """What the parser takes as a word and a text."""
    explained = _EXPLAINED.fullmatch(rest) if word == "EXPLAIN" else None
    if explained and "ANALYZE" in explained["options"].upper():
        yield from read_sql(explained["statement"], dialect)
    elif explained or word in _HARMLESS:
        yield Statement(Kind.OTHER, frozenset())
    else:
        yield Statement(Kind.OTHER, frozenset(), unknown=f"what {word} does cannot be told from the text")


def _kind(node: exp.Expr) -> Kind | None:
    return _ROOTS.get(type(node).__name__)


def _kind_of_branch(node: exp.When) -> Kind:
    then = node.args["then"]
    word = (then.name or then.key).lower()  # DELETE is a word, UPDATE SET … a part of the tree
    return Kind(word) if word in _INSIDE else Kind.OTHER


def _statement(node: exp.Expr) -> Statement:
    from sqlglot import exp

    kind = _kind(node) or Kind.OTHER
    if kind is Kind.DROP and str(node.args.get("kind")).upper() not in ("TABLE", "VIEW", "MATERIALIZED VIEW"):
        return Statement(kind, frozenset(), True, unknown=f"what goes with {node.sql()[:80]!r} is not in the text")
    targets = _targets(node, kind)
    if kind is not Kind.SELECT and any(_is_made_by_with(part) for part in targets if isinstance(part, exp.Table)):
        return Statement(kind, frozenset(), _is_whole(node, kind), unknown="it acts on a name that a WITH gives")
    tables = _names(targets, node)
    return Statement(kind, tables, _is_whole(node, kind), _names([node], node) - tables)


def _targets(node: exp.Expr, kind: Kind) -> list[exp.Expr]:
    """The parts of a statement whose tables it acts on."""
    if kind in (Kind.DELETE, Kind.UPDATE):
        if not node.this and any(table.alias for table in node.args["tables"]):
            raise Unreadable(f"neither DELETE FROM nor one table: {node.sql()[:80]!r}")
        return node.args.get("tables") or [node.this]
    if kind in (Kind.INSERT, Kind.MERGE, Kind.CREATE, Kind.ALTER, Kind.COPY):
        return [node.this]
    if kind is Kind.SELECT:
        parts = [node.args.get("from_"), *(node.args.get("joins") or []), *(node.args.get("laterals") or [])]
        return [part for part in parts if part is not None]
    return [node]


def _names(parts: list[exp.Expr], node: exp.Expr) -> frozenset[str]:
    """The tables named in these parts, with the aliases of the statement replaced and without the names of a WITH."""
    from sqlglot import exp

    meant = {table.alias.casefold(): table for table in node.find_all(exp.Table) if table.alias}
    tables = [table for part in parts for table in part.find_all(exp.Table)]
    named = [table if table.db else meant.get(table.name.casefold(), table) for table in tables]
    return frozenset(_name(table) for table in named if not _is_made_by_with(table))


def _is_made_by_with(table: exp.Table) -> bool:
    """Whether the name is one that a WITH gives; within its own definition it is still the table's."""
    from sqlglot import exp

    if table.db:
        return False
    outer = [each for each in table.root().find_all(exp.CTE) if each.alias.casefold() == table.name.casefold()]
    own = table.find_ancestor(exp.CTE)
    return any(each is not own or _is_recursive(each) for each in outer)


def _is_recursive(made: exp.Expr) -> bool:
    return bool(made.parent and made.parent.args.get("recursive"))


def _name(table: exp.Table) -> str:
    if not table.name or (table.name.upper() == "ONLY" and not table.this.args.get("quoted")):
        raise Unreadable(f"not a table: {table.sql()!r}")
    return ".".join(part.casefold() for part in (table.catalog, table.db, table.name) if part)


def _is_whole(node: exp.Expr, kind: Kind) -> bool:
    if kind not in (Kind.DELETE, Kind.UPDATE, Kind.SELECT):
        return kind in (Kind.TRUNCATE, Kind.DROP)
    where = node.args.get("where")
    return where is None or _is_always_true(where.this)


def _is_always_true(test: exp.Expr) -> bool:
    """Whether a WHERE lets every row through: 1 = 1, TRUE, id = id."""
    from sqlglot import exp
    from sqlglot.optimizer.simplify import simplify

    try:
        test = simplify(test.copy())
    except Exception as failure:  # whether it lets every row through is then unknown, and must not pass for "no"
        raise Unreadable(f"a WHERE that cannot be simplified: {type(failure).__name__}") from None
    while isinstance(test, exp.Paren | exp.Neg):
        test = test.this
    if isinstance(test, exp.EQ):
        return bool(test.this == test.expression)
    if isinstance(test, exp.Literal):
        return test.is_number and float(test.this) != 0
    return isinstance(test, exp.Boolean) and bool(test.this)
