"""The condition on SQL."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from ..calls import Setting
from ..certainty import any_holds
from ..readers import Statement, Unreadable, elements, read_sql
from ..readers.sql import Kind
from .values import STRICT, Texts, listed


class StatementSpec(BaseModel):
    """A statement of SQL: of one of these kinds, on one of these tables, without a WHERE. All that is said must fit."""

    model_config = STRICT
    kind: Kind | Annotated[tuple[Kind, ...], Field(min_length=1)] | None = None
    tables: Texts | None = None
    """`users`, in whatever schema, or `prod.users`: acted on, or without `kind` also looked at."""
    without_where: Literal[True] | None = None
    """It acts on every row: no WHERE, or one that is always true; TRUNCATE and DROP too."""
    dialect: str | None = None
    """As sqlglot calls it, such as `postgres`; what all dialects have in common where none is given."""

    @field_validator("dialect")
    @classmethod
    def _is_known(cls, dialect: str | None) -> str | None:
        if dialect is not None:
            from sqlglot.dialects.dialect import Dialect  # a heavy import that few scenarios need

            Dialect.get_or_raise(dialect)
        return dialect

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.kind is None and self.tables is None and self.without_where is None:
            raise ValueError("`sql` needs `kind`, `tables` or `without_where`")
        return self

    def fits(self, statement: Statement) -> bool:
        """Whether one statement is meant; raises Unreadable where its text does not tell."""
        if statement.unknown and statement.kind is Kind.OTHER:
            raise Unreadable(statement.unknown)
        kinds = listed(self.kind) if self.kind else (statement.kind,)
        if statement.kind not in kinds or (self.without_where and not statement.whole):
            return False
        return self.tables is None or self._is_on_a_table(statement)

    def _is_on_a_table(self, statement: Statement) -> bool:
        if statement.unknown:
            raise Unreadable(statement.unknown)
        touched = statement.tables if self.kind else statement.tables | statement.reads
        pairs = [(table, wanted.casefold()) for table in sorted(touched) for wanted in listed(self.tables)]
        return any_holds(lambda pair: _is_table(*pair), pairs)


class Sql(BaseModel):
    """The argument is SQL with a statement of this kind in it, first or last, alone or inside another.

    >>> Sql(sql={"kind": "delete", "without_where": True}).holds("SELECT 1; DELETE FROM users WHERE 1 = 1", Setting())
    True
    >>> Sql(sql={"kind": "drop", "tables": "users"}).holds("DROP TABLE users_old -- not users", Setting())
    False
    """

    model_config = STRICT
    sql: StatementSpec

    def holds(self, value: Any, setting: Setting) -> bool:
        def says(text: Any) -> bool:
            return any_holds(self.sql.fits, read_sql(text, self.sql.dialect))

        return any_holds(says, elements(value))


def _is_table(table: str, wanted: str) -> bool:
    """Whether they name the same table; raises where the text leaves out the schema that the rule names."""
    if table == wanted or table.endswith(f".{wanted}"):
        return True
    if wanted.endswith(f".{table}"):
        raise Unreadable(f"the table {table!r} may be {wanted!r}")
    return False
