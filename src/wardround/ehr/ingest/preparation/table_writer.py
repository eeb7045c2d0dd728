"""Writer of the prepared tables to the target database."""

from collections.abc import Iterator

from wardround.ehr.database import Target
from wardround.ehr.database.arrow import Stream
from wardround.ehr.ingest.preparation.plan import Effect, Work
from wardround.ehr.ingest.preparation.working_database import columns
from wardround.ehr.schema import Column, Table, column_type, index_statements, quoted


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
