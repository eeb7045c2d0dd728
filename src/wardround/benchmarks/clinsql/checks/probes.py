"""Conditions of queries tried out on rows made for it, in a database in memory."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from threading import local
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.ehr.database import QueryError
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.translation import to_duckdb

if TYPE_CHECKING:
    import duckdb

Value: TypeAlias = str | int | float | datetime | None
# The values of each column, one for each row.
Rows: TypeAlias = Mapping[str, Sequence[Value]]
_CONNECTIONS = local()
_SETTINGS: dict[str, Any] = {"threads": 1, "memory_limit": "256MB"}


def selected(conditions: Iterable[exp.Expr], rows: Rows) -> list[bool] | None:
    """For each row, True if all conditions hold; None if they cannot be tried."""
    parts = [part.copy() for part in conditions]
    if not parts:
        return [True] * len(next(iter(rows.values())))
    found = evaluated(reduce(lambda a, b: exp.and_(a, b, copy=False), parts), rows)
    return None if found is None else [value is True for value in found]


def evaluated(expression: exp.Expr, rows: Rows) -> list[Any] | None:
    """The value of an expression in each row; None if it cannot be computed from them."""
    if not is_computable(expression, rows):
        return None
    plain = exp.Paren(this=expression.copy())
    for column in list(plain.find_all(exp.Column)):
        column.replace(exp.column(column.name))
    query = exp.select(exp.alias_(plain, "v")).from_("probe").order_by("probe_row")
    return _run(query.sql("bigquery"), rows)


def is_computable(expression: exp.Expr, rows: Rows) -> bool:
    """True if it reads columns of the rows only and neither aggregates nor asks a subquery."""
    if expression.find(exp.Query, exp.AggFunc, exp.Window, exp.Star) is not None:
        return False
    return all(column.name in rows for column in expression.find_all(exp.Column))


def _run(query: str, rows: Rows) -> list[Any] | None:
    import duckdb

    try:
        translated = to_duckdb(query, Names({"probe": ("probe_row", *rows)}))
        connection = _loaded(rows)
        return [value for (value,) in connection.execute(translated).fetchall()]
    except (QueryError, SqlglotError, duckdb.Error):
        return None


def _loaded(rows: Rows) -> "duckdb.DuckDBPyConnection":
    """This thread's database with the rows in its table `probe`."""
    import duckdb

    if not hasattr(_CONNECTIONS, "duckdb"):
        _CONNECTIONS.duckdb = duckdb.connect(":memory:", config=_SETTINGS)
        _CONNECTIONS.duckdb.execute("SET enable_external_access = false")
        _CONNECTIONS.rows = None
    if _CONNECTIONS.rows is not rows:
        columns = ", ".join(f"unnest(?) AS {name}" for name in rows)
        count = len(next(iter(rows.values())))
        _CONNECTIONS.duckdb.execute(
            "CREATE OR REPLACE TABLE probe AS"
            f" SELECT unnest(range({count})) AS probe_row, {columns}",
            [list(values) for values in rows.values()],
        )
        _CONNECTIONS.rows = rows
    connection: duckdb.DuckDBPyConnection = _CONNECTIONS.duckdb
    return connection
