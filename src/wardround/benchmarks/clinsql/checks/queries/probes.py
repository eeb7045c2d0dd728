"""Conditions of queries tried out on rows made for it, in a database in memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from threading import local
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.benchmarks.clinsql.checks.queries.facts import Condition, is_of_row, untabled_text
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.ehr.database import QueryError
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.translation import to_duckdb

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray

Value: TypeAlias = str | int | float | datetime | None
# True for each row in which a condition holds.
Mask: TypeAlias = "NDArray[np.bool_]"
_KEPT_CONDITIONS, _KEPT_TABLES = 512, 16
_NUMBERS = count()
_CONNECTIONS = local()
_SETTINGS: dict[str, Any] = {"threads": 1, "memory_limit": "256MB"}


@dataclass(frozen=True, slots=True)
class Probe:
    """A condition tried on rows; it has no mask if it cannot be computed from them."""

    mask: "Mask | None"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows made for conditions, each of which is tried on them once.

    Attributes:
        columns: the values of each column, one for each row.
        table: its table's name in the database in memory.
        tried: the conditions that have been tried, by their text.
    """

    columns: Mapping[str, Sequence[Value]]
    table: str = field(default_factory=lambda: f"probe_{next(_NUMBERS)}")
    tried: BoundedCache[str, Probe] = field(default_factory=lambda: BoundedCache(_KEPT_CONDITIONS))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


def selected(conditions: Iterable[Condition], rows: Rows) -> list[bool] | None:
    """For each row, True if all conditions hold; None if they cannot be tried."""
    row_mask = mask(conditions, rows)
    return None if row_mask is None else row_mask.tolist()


def mask(conditions: Iterable[Condition], rows: Rows) -> "Mask | None":
    """The rows in which all conditions hold; None if they cannot be tried."""
    import numpy as np

    whole = np.ones(len(rows), dtype=bool)
    for row_mask in masks(conditions, rows):
        if row_mask is None:
            return None
        whole &= row_mask
    return whole


def masks(conditions: Iterable[Condition], rows: Rows) -> "list[Mask | None]":
    """The rows in which each condition holds; None for one that cannot be tried."""
    texts = [each.text if is_computable(each, rows) else None for each in conditions]
    wanted = {text: rows.tried.get(text) for text in texts if text is not None}
    new = [text for text, probe in wanted.items() if probe is None]
    for text, probe in zip(new, _try(new, rows), strict=True):
        rows.tried.add(text, probe)
        wanted[text] = probe
    probes = [wanted[text] if text is not None else None for text in texts]
    return [None if probe is None else probe.mask for probe in probes]


def evaluated(expression: exp.Expr, rows: Rows) -> list[Any] | None:
    """The value of an expression in each row; None if it cannot be computed from them."""
    columns = {column.name for column in expression.find_all(exp.Column)}
    if not (is_of_row(expression) and columns <= rows.columns.keys()):
        return None
    values = _run([untabled_text(expression)], rows)
    return None if values is None else values[0]


def is_computable(condition: Condition, rows: Rows) -> bool:
    """True if it reads columns of the rows only and neither aggregates nor asks a subquery."""
    return condition.is_of_row and condition.names <= rows.columns.keys()


def _try(texts: Sequence[str], rows: Rows) -> list[Probe]:
    """Tries conditions in one query; if it fails, each in a query of its own."""
    import numpy as np

    if not len(rows):
        return [Probe(np.ones(0, dtype=bool))] * len(texts)
    computed = _run(texts, rows) if texts else []
    if computed is not None:
        return [Probe(np.array([value is True for value in values])) for values in computed]
    return [Probe(None)] if len(texts) == 1 else [_try([text], rows)[0] for text in texts]


def _run(texts: Sequence[str], rows: Rows) -> list[list[Any]] | None:
    """The values of each expression; None if the query fails."""
    import duckdb

    values = ", ".join(f"{text} AS v{number}" for number, text in enumerate(texts))
    query = f"SELECT {values} FROM {rows.table} ORDER BY probe_row"  # noqa: S608
    try:
        translated = to_duckdb(query, Names({rows.table: ("probe_row", *rows.columns)}))
        rows_of_values = _loaded(rows).execute(translated).fetchall()
    except (QueryError, SqlglotError, duckdb.Error):
        return None
    return [list(column) for column in zip(*rows_of_values, strict=True)]


def _loaded(rows: Rows) -> "duckdb.DuckDBPyConnection":
    """This thread's database with a table of the rows."""
    import duckdb

    if not hasattr(_CONNECTIONS, "duckdb"):
        _CONNECTIONS.duckdb = duckdb.connect(":memory:", config=_SETTINGS)
        _CONNECTIONS.duckdb.execute("SET enable_external_access = false")
        _CONNECTIONS.tables = []
    connection: duckdb.DuckDBPyConnection = _CONNECTIONS.duckdb
    tables: list[str] = _CONNECTIONS.tables
    if rows.table in tables:
        tables.remove(rows.table)
    else:
        _load(connection, rows)
    tables.append(rows.table)
    if len(tables) > _KEPT_TABLES:
        connection.execute(f"DROP TABLE {tables.pop(0)}")
    return connection


def _load(connection: "duckdb.DuckDBPyConnection", rows: Rows) -> None:
    columns = ", ".join(f"unnest(?) AS {name}" for name in rows.columns)
    connection.execute(
        f"CREATE TABLE {rows.table} AS SELECT unnest(range({len(rows)})) AS probe_row, {columns}",
        [list(values) for values in rows.columns.values()],
    )
