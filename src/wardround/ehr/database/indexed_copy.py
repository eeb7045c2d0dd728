"""A copy of a database with the indexes of its schema, for running many queries."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from wardround.ehr.database.database import Database
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.location import open_database
from wardround.ehr.schema import Table, index_statements, load_schema, recognise

# Larger files are used as they are: copying would take longer than it saves, and fill the disk.
_MOST_BYTES = 1 << 30
_LONG = 600.0


@contextmanager
def indexed(database: Database, limits: Limits) -> Iterator[Database]:
    """The database, or where its schema's indexes are missing, a copy of it that has them.

    Published SQLite files come without indexes, and with them most queries are several times as
    fast. Results differ only where a query leaves them open: in the order of rows that it does not
    sort, and in which of equal rows LIMIT takes.

    Args:
        database: Any; given back as it is if it is not a SQLite file, is large, or has no known
            schema.
        limits: Of statements on the copy.
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


def _with_plain_indexes(table: Table, held: Sequence[str]) -> Table:
    """The table with an index of each column that rows are found by, and of no time.

    Rows of one key then come in the order in which they stand in the table, as without an index.
    """
    wanted = dict.fromkeys(column for index in table.indexes for column in index)
    times = {column.name for column in table.columns if column.type in ("TIMESTAMP", "DATE")}
    plain = [name for name in wanted if name not in times and name.lower() in held]
    return replace(table, indexes=tuple((name,) for name in plain))


def _has_indexes(database: Database) -> bool:
    """Return True if there are indexes beside those that SQLite makes of keys."""
    made = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    return bool(database.execute(made, rows=1).rows)
