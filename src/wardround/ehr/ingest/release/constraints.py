"""Checks of keys and required columns after loading, for tables created without them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wardround.ehr.database import Target
from wardround.ehr.ingest.release.release_files import TableFile
from wardround.ehr.schema import Table, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def loadable_table(source: TableFile) -> Table:
    """The table that a file can fill, with missing columns nullable and in no key or index."""
    table, missing = source.table, set(source.missing)
    return replace(
        table,
        columns=tuple(replace(c, null=c.null or c.name in missing) for c in table.columns),
        key=() if missing & set(table.key) else table.key,
        indexes=tuple(index for index in table.indexes if not missing & set(index)),
    )


def without_constraints(table: Table) -> Table:
    """The table without key and required columns."""
    return replace(table, columns=tuple(replace(c, null=True) for c in table.columns), key=())


def violated_constraints(
    connection: "DuckDBPyConnection", target: Target, table: Table, created: Table
) -> Iterator[str]:
    """Violations of the constraints that the table was created without, one sentence each.

    Runs within the transaction that loads the table.
    """
    name = quoted(table.name)
    required = [
        column.name
        for column, created_column in zip(table.columns, created.columns, strict=True)
        if created_column.null and not column.null
    ]
    if required:
        # One scan for all columns; the statements themselves cost more than small tables.
        empty_rows = ", ".join(f"count(*) - count({quoted(column)})" for column in required)
        counts = _numbers(connection, target, f"SELECT {empty_rows} FROM {name}")  # noqa: S608
        for column, empty in zip(required, counts, strict=True):
            if empty:
                yield f"{column} is empty in {empty:,} rows, and should be in none"
    if table.key and not created.key:
        key = ", ".join(map(quoted, table.key))
        groups = f"SELECT 1 FROM {name} GROUP BY {key} HAVING count(*) > 1"  # noqa: S608
        sql = f"SELECT count(*) FROM ({groups}) AS shared"  # noqa: S608
        [shared] = _numbers(connection, target, sql)
        if shared:
            yield f"key ({key}) is not unique: {shared:,} of its values are on more than one row"


def _numbers(connection: "DuckDBPyConnection", target: Target, sql: str) -> tuple[int, ...]:
    """The single row of a query."""
    with target.read(sql) as rows:  # noqa: F841 - DuckDB resolves it by name
        [row] = connection.execute("FROM rows").fetchall()
    return tuple(map(int, row))
