"""Questions to an unknown database about whole columns: their values and dependencies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.records.proposal.facts import ColumnFacts

_PROBE = 100  # values that are looked up of a column that may be unique
_STATEMENT = 40_000  # letters of a statement's list of values
_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency of one column of a table on another, as far as rows show it.

    Attributes:
        groups: The values of the first column that were seen in several rows.
        broken: Those of them with several values in the second column.
    """

    groups: int
    broken: int

    @property
    def holds(self) -> bool:
        """True if enough groups were seen, and at most one in a hundred is broken."""
        return self.groups >= 8 and self.broken <= 0.01 * self.groups


def dependency(database: Database, decides: ColumnFacts, decided: ColumnFacts) -> Dependency:
    """The dependency of a column on another of its table, by the rows of some values."""
    a, b, table = decides.sql, decided.sql, quote_name(decides.column.table)
    some = (
        f"SELECT {a} FROM {table} WHERE {a} IS NOT NULL GROUP BY {a} HAVING COUNT(*) > 1 LIMIT 300"  # noqa: S608
    )
    sql = (
        f"SELECT COUNT(*), SUM(CASE WHEN n > 1 THEN 1 ELSE 0 END) FROM (SELECT {a},"  # noqa: S608
        f" COUNT(DISTINCT {b}) AS n FROM {table} WHERE {a} IN ({some}) GROUP BY {a}) AS g"
    )
    groups, broken = database.execute(sql, seconds=_SECONDS).rows[0]
    return Dependency(int(groups or 0), int(broken or 0))


def is_found_once(database: Database, column: ColumnFacts) -> bool:
    """True if some sampled values are in one row each of the whole table."""
    probe = column.distinct[:_PROBE]
    table, listed = quote_name(column.column.table), ", ".join(map(_literal, probe))
    sql = f"SELECT COUNT(*) FROM {table} WHERE {column.sql} IN ({listed})"  # noqa: S608
    return database.execute(sql, seconds=_SECONDS).rows[0][0] == len(probe)


def bounds(database: Database, column: ColumnFacts) -> tuple[float, float]:
    """The least and the greatest of a column of integers; zeros of any other."""
    if column.type != "integer":
        return (0.0, 0.0)
    name, table = quote_name(column.column.name), quote_name(column.column.table)
    sql = f"SELECT MIN({name}), MAX({name}) FROM {table}"  # noqa: S608
    low, high = database.execute(sql, seconds=_SECONDS).rows[0]
    return float(str(low)), float(str(high))


def look_up(
    database: Database, key: ColumnFacts, wanted: Sequence[str], values: Sequence[Cell]
) -> dict[Cell, tuple[Cell, ...]]:
    """Other columns of the rows that have some values of a key, by that value."""
    listed = ", ".join([key.sql, *map(quote_name, wanted)])
    cells: dict[Cell, tuple[Cell, ...]] = {}
    for chunk in _chunks(values):
        sql = (
            f"SELECT {listed} FROM {quote_name(key.column.table)}"  # noqa: S608
            f" WHERE {key.sql} IN ({chunk})"
        )
        rows = database.execute(sql, rows=None, seconds=_SECONDS).rows
        cells.update((row[0], tuple(row[1:])) for row in rows)
    return cells


def _chunks(values: Sequence[Cell]) -> Iterator[str]:
    chunk: list[str] = []
    size = 0
    for value in map(_literal, values):
        if size + len(value) > _STATEMENT:
            yield ", ".join(chunk)
            chunk, size = [], 0
        chunk.append(value)
        size += len(value) + 2
    if chunk:
        yield ", ".join(chunk)


def _literal(value: Cell) -> str:
    return quote_text(value) if isinstance(value, str) else str(value)
