"""The connection of a test program: the subset of psycopg's that such programs use."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Self, TypeAlias

from wardround.sandbox.test_programs.errors import ProgrammingError

# Columns, rows and number of changed rows.
Result: TypeAlias = tuple[tuple[str, ...], list[tuple[Any, ...]], int | None]
Run: TypeAlias = Callable[[str], Result]


class Cursor:
    """Runs statements and holds the last result.

    Args:
        run: Runs a text of statements, and raises `Error`.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._rows: list[tuple[Any, ...]] | None = None
        self._place = 0
        self.description: list[tuple[Any, ...]] | None = None
        self.rowcount = -1

    def execute(self, sql: str, parameters: Any = None) -> Self:
        """Run statements, with `%s` or `%(name)s` for parameters."""
        self._rows, self._place, self.description, self.rowcount = None, 0, None, -1
        columns, rows, changed = self._run(filled(sql, parameters))
        if columns:
            self._rows = rows
            self.description = [(name, *[None] * 6) for name in columns]
        self.rowcount = (len(rows) if columns else -1) if changed is None else changed
        return self

    def executemany(self, sql: str, many: Iterable[Any]) -> None:
        """Run statements once for each set of parameters."""
        for parameters in many:
            self.execute(sql, parameters)

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """The next rows."""
        if self._rows is None:
            raise ProgrammingError("no results to fetch")
        rows = self._rows[self._place : self._place + size]
        self._place += len(rows)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left."""
        return self.fetchmany(sys.maxsize)

    def close(self) -> None:
        """Forget the result."""
        self._rows = None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Connection:
    """A connection to the trial's own database.

    Args:
        run: Runs a text of statements, and raises `Error`.
        rolls_back: True if `rollback` must undo statements of cursors.
    """

    autocommit = False

    def __init__(self, run: Run, rolls_back: bool) -> None:
        self._run = run
        self._rolls_back = rolls_back
        self._begun = False

    def cursor(self, *_: object, **__: object) -> Cursor:
        """A cursor within the connection's transaction."""
        return Cursor(self._in_transaction)

    def execute(self, sql: str, parameters: Any = None) -> Cursor:
        """Run statements on a separate cursor."""
        return self.cursor().execute(sql, parameters)

    def commit(self) -> None:
        """Commit the transaction."""
        self._end("COMMIT")

    def rollback(self) -> None:
        """Roll back to the last commit."""
        self._end("ROLLBACK")

    def close(self) -> None:
        """Does nothing: wardround owns the connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.rollback()

    def _in_transaction(self, sql: str) -> Result:
        if self._rolls_back and not self.autocommit and not self._begun:
            self._run("BEGIN")
            self._begun = True
        return self._run(sql)

    def _end(self, word: str) -> None:
        if self._begun:
            self._begun = False
            self._run(word)


def filled(sql: str, parameters: Any) -> str:
    """SQL with its parameters as literals; without parameters `%` is literal.

    >>> filled("SELECT %s", ["it's"])
    "SELECT 'it''s'"
    >>> filled("SELECT %(a)s LIKE '%%x'", {"a": None}), filled("SELECT 5 % 2", None)
    ("SELECT NULL LIKE '%x'", 'SELECT 5 % 2')
    """
    if parameters is None:
        return sql
    try:
        if isinstance(parameters, Mapping):
            return sql % {name: literal(value) for name, value in parameters.items()}
        return sql % tuple(literal(value) for value in parameters)
    except (TypeError, ValueError, KeyError) as error:
        raise ProgrammingError(f"the parameters do not fit the statement ({error})") from error


def literal(value: Any) -> str:
    """A value as a PostgreSQL literal.

    >>> literal(["a", None, Decimal("1.50")]), literal(date(2100, 1, 31))
    ("ARRAY['a', NULL, 1.50]", "'2100-01-31'::date")
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case Decimal() | float():
            text = str(value)
            return text if text.lstrip("-")[:1].isdigit() else f"'{text}'::float8"
        case datetime():
            return f"'{value.isoformat(sep=' ')}'::{'timestamptz' if value.tzinfo else 'timestamp'}"
        case date():
            return f"'{value.isoformat()}'::date"
        case time():
            return f"'{value.isoformat()}'::time"
        case timedelta():
            return f"'{value.total_seconds()} seconds'::interval"
        case bytes():
            return f"'\\x{value.hex()}'::bytea"
        case tuple():
            return f"({', '.join(map(literal, value))})"
        case list():
            return f"ARRAY[{', '.join(map(literal, value))}]" if value else "'{}'"
    return "'" + str(value).replace("'", "''") + "'"
