"""A copy of a database with the indexes of its schema, for running many queries."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from wardround.ehr.database.database import Database
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.location import open_database
from wardround.ehr.schema import Table, index_statements, load_schema, recognise

# Larger files are not copied: that would take longer than it saves, and fill the disk.
_MOST_BYTES = 1 << 30
_LONG = 600.0


@contextmanager
def indexed(database: Database, limits: Limits) -> Iterator[Database]:
    """The database, or a copy with its schema's indexes if it lacks them.

    Published SQLite files have no indexes; with them most queries are several times as fast.
    Results differ only where a query leaves them undefined: the order of unsorted rows, and the
    choice of LIMIT among ties.

    Args:
        database: Any database; returned unchanged if it is not a SQLite file, is larger than
            1 GiB, or has no known schema.
        limits: Limits of statements on the copy.
    """
    missing = _missing_indexes(database)
    if not missing:
        yield database
        return
    with closing(database.writable()) as copy:
        for statement in missing:
            copy.execute(statement, seconds=_LONG)
        with closing(open_database(copy.url, limits)) as opened:
            yield opened


def _missing_indexes(database: Database) -> list[str]:
    if database.dialect != "sqlite" or Path(database.url).stat().st_size > _MOST_BYTES:
        return []
    names = {table.lower(): table for table in database.tables()}
    columns = {low: [c.name.lower() for c in database.columns(t)] for low, t in names.items()}
    schema = recognise(columns)
    if schema is None or _has_indexes(database):
        return []
    tables = [t for t in load_schema(schema).tables if t.name.lower() in columns]
    return [
        statement
        for table in tables
        for statement in index_statements(_with_plain_indexes(table, columns[table.name.lower()]))
    ]


def _with_plain_indexes(table: Table, existing: Sequence[str]) -> Table:
    """The table with a single-column index for each indexed column that is not a time.

    Rows with equal keys then keep their order in the table, as without an index.
    """
    indexed_columns = dict.fromkeys(column for index in table.indexes for column in index)
    times = {column.name for column in table.columns if column.type in ("TIMESTAMP", "DATE")}
    names = [name for name in indexed_columns if name not in times and name.lower() in existing]
    return replace(table, indexes=tuple((name,) for name in names))


def _has_indexes(database: Database) -> bool:
    """Return True if there are indexes besides those that SQLite creates for keys."""
    sql = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    return bool(database.execute(sql, rows=1).rows)
