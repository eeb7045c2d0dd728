"""Rows numbered in a deterministic order and written to the target database."""

from collections.abc import Iterator

from wardround.ehr.database import Target
from wardround.ehr.database.arrow import Stream
from wardround.ehr.ingest.preparation.plan import Effect, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import columns, replace
from wardround.ehr.schema import Column, Table, column_type, index_statements, quoted


def number_rows(work: Work) -> None:
    """Number the rows of every table without an identifier, from 0.

    Rows are ordered by person, stay and time, then by all other columns, so that the result does
    not depend on the source's engine or on threads.
    """
    for spec in work.recipe.specs:
        (key,) = work.recipe.prepared().table(spec.name).key
        available = columns(work.connection, spec.name)
        if key not in available:
            order = ", ".join(quoted(column) for column in _order(spec, list(available)))
            rows = f"row_number() OVER (ORDER BY {order}) - 1 AS {key}, *"
            replace(work.connection, spec.name, f"SELECT {rows} FROM {spec.name}")


def _order(spec: TableSpec, available: list[str]) -> list[str]:
    """The sort order: identifiers, times, then all other columns."""
    ids = [column for column in available if column.endswith("_id") and column not in spec.shuffled]
    return list(dict.fromkeys((*ids, *spec.happens, *available)))


def write(work: Work, target: Target) -> Iterator[Effect]:
    """Write every table in key order, in one transaction."""
    with target.transaction():
        for table in work.recipe.prepared().tables:
            target.create(table)
            rows = Stream(work.connection.sql(_rows(work, table, target.dialect)))
            written = target.load(table.name, rows)
            yield Effect("write", table.name, written, written)
        for table in work.recipe.prepared().tables:
            for statement in index_statements(table):
                target.execute(statement)


def _rows(work: Work, table: Table, dialect: str) -> str:
    types = columns(work.connection, table.name)
    cells = ", ".join(_cell(column, types[column.name], dialect) for column in table.columns)
    order = ", ".join(quoted(column) for column in table.key)
    return f"SELECT {cells} FROM {quoted(table.name)} ORDER BY {order}"


def _cell(column: Column, types: str, dialect: str) -> str:
    """SQL of a column for the target, with times as text if it stores them so."""
    name = quoted(column.name)
    kind = column_type(column, dialect)
    if types == "TIMESTAMP" and kind.upper().startswith(("TEXT", "VARCHAR")):
        return f"strftime({name}, '%Y-%m-%d %H:%M:%S') AS {name}"
    return f"CAST({name} AS {column_type(column, 'duckdb')}) AS {name}"
