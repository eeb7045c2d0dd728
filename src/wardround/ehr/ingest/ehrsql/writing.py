"""Writes the prepared tables to the target, as the schema of the form defines them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Target, write_database
from wardround.ehr.database.arrow import Stream
from wardround.ehr.ingest.ehrsql.lake import columns
from wardround.ehr.ingest.ehrsql.plan import Effect, Work
from wardround.ehr.schema import Column, Table, column_type, index_statements, quoted


@contextmanager
def new_database(location: str) -> Iterator[Target]:
    """The database to make; its file, if there was none, is gone again after an exception.

    Raises:
        UserError: If it has tables: nothing is overwritten.
    """
    path = Path(location).expanduser()
    before = path.exists()
    try:
        with closing(write_database(location)) as target:
            _check_empty(target)
            yield target
    except BaseException:
        if not before:
            path.unlink(missing_ok=True)
        raise


def _check_empty(target: Target) -> None:
    if target.tables():
        raise UserError(
            f"Database {target.location} has tables already and is left as it is; give the name of"
            " a new one."
        )


def write(work: Work, target: Target) -> Iterator[Effect]:
    """Make every table of the form, row by row in the order of its key; all or nothing."""
    with target.transaction():
        for table in work.form.prepared().tables:
            target.create(table)
            rows = Stream(work.lake.sql(_rows(work, table, target.dialect)))
            written = target.load(table.name, rows)
            yield Effect("write", table.name, written, written)
        for table in work.form.prepared().tables:
            for statement in index_statements(table):
                target.execute(statement)


def _rows(work: Work, table: Table, dialect: str) -> str:
    made = columns(work.lake, table.name)
    cells = ", ".join(_cell(column, made[column.name], dialect) for column in table.columns)
    order = ", ".join(quoted(column) for column in table.key)
    return f"SELECT {cells} FROM {quoted(table.name)} ORDER BY {order}"


def _cell(column: Column, made: str, dialect: str) -> str:
    """A column as the target keeps it: times are text where the target or the schema says so."""
    name = quoted(column.name)
    kind = column_type(column, dialect)
    if made == "TIMESTAMP" and kind.upper().startswith(("TEXT", "VARCHAR")):
        return f"strftime({name}, '%Y-%m-%d %H:%M:%S') AS {name}"
    return f"CAST({name} AS {column_type(column, 'duckdb')}) AS {name}"
