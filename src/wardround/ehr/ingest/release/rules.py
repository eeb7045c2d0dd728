"""Checks what the schema says of a table's rows where the engine does not: keys and empty cells."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wardround.ehr.database import Target
from wardround.ehr.ingest.release.layout import Source
from wardround.ehr.schema import Table, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def as_far_as_there(source: Source) -> Table:
    """The table that a file can fill: columns that it lacks are empty and in no key or index."""
    table, missing = source.table, set(source.missing)
    return replace(
        table,
        columns=tuple(replace(c, null=c.null or c.name in missing) for c in table.columns),
        key=() if missing & set(table.key) else table.key,
        indexes=tuple(index for index in table.indexes if not missing & set(index)),
    )


def without_rules(table: Table) -> Table:
    """The table with no key and no column that has to be filled: any rows go in."""
    return replace(table, columns=tuple(replace(c, null=True) for c in table.columns), key=())


def broken_rules(
    lake: "DuckDBPyConnection", target: Target, table: Table, made: Table
) -> Iterator[str]:
    """What rows break of the table's rules that it was made without, a sentence each.

    Within the transaction that loads the table.
    """
    name = quoted(table.name)
    for column, given in zip(table.columns, made.columns, strict=True):
        if given.null and not column.null:
            sql = f"SELECT count(*) FROM {name} WHERE {quoted(column.name)} IS NULL"  # noqa: S608
            if empty := _count(lake, target, sql):
                yield f"{column.name} is empty in {empty:,} rows, and should be in none"
    if table.key and not made.key:
        key = ", ".join(map(quoted, table.key))
        groups = f"SELECT 1 FROM {name} GROUP BY {key} HAVING count(*) > 1"  # noqa: S608
        sql = f"SELECT count(*) FROM ({groups}) AS shared"  # noqa: S608
        if shared := _count(lake, target, sql):
            yield f"key ({key}) is not unique: {shared:,} of its values are on more than one row"


def _count(lake: "DuckDBPyConnection", target: Target, sql: str) -> int:
    with target.read(sql) as rows:  # noqa: F841 - found by its name
        found = lake.execute("FROM rows").fetchone()
    return int(found[0]) if found else 0
