"""The records of a map as tables: written to a copy of the database, or read through views."""
# SQL is built from record maps only.
# ruff: noqa: S608

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from wardround.core.locations import is_url
from wardround.ehr.database import Database, Workspace
from wardround.ehr.records.dialect_forms import dialect_of
from wardround.ehr.records.model import RecordColumn, RecordMap, Source, record_kinds
from wardround.ehr.records.record_tables import ages_of, record_database, record_table
from wardround.ehr.records.views import view

# Larger files are not copied: that would take longer than it saves, and fill the disk.
_MOST_BYTES = 1 << 30
_SECONDS = 600.0
# The columns by which records are found.
_INDEXED = ("patient", "admission", "stay")


@contextmanager
def stored_records(records: RecordMap, database: Database) -> Iterator[Database]:
    """A database with a table for each kind of record, for running many queries.

    A view joins up to six tables each time it is read; a table is joined once. A database that is
    not a file, or larger than 1 GiB, is not copied: its tables are views.
    """
    if is_url(database.url) or Path(database.url).stat().st_size > _MOST_BYTES:
        yield record_database(database, records)
        return
    with closing(database.writable()) as copy:
        for kind in records.kinds:
            _store(records, kind, copy)
        for kind in records.kinds:
            _add_age(records, kind, copy)
        yield copy


def table_map(records: RecordMap) -> RecordMap:
    """The map of a database that has a table for each kind of record of a map."""
    return replace(records, kinds={kind: (_source(records, kind),) for kind in records.kinds})


def _store(records: RecordMap, kind: str, copy: Workspace) -> None:
    table, rows = record_table(kind), view(records, kind, dialect_of(copy))
    copy.execute(f"CREATE TABLE {table} AS {rows}", seconds=_SECONDS)
    for name in (name for name in _INDEXED if records.has(kind, name)):
        copy.execute(f"CREATE INDEX {table}_{name} ON {table} ({name})", seconds=_SECONDS)


def _add_age(records: RecordMap, kind: str, copy: Workspace) -> None:
    """Add the column of the age that queries of any kind of record may read."""
    table = record_table(kind)
    if not records.has(kind, "age") and (ages := ages_of(records, kind, table, dialect_of(copy))):
        copy.execute(f"ALTER TABLE {table} ADD COLUMN age INTEGER", seconds=_SECONDS)
        copy.execute(f"UPDATE {table} SET age = ({ages})", seconds=_SECONDS)


def _source(records: RecordMap, kind: str) -> Source:
    table, precisions = record_table(kind), records.precisions(kind)
    types = record_kinds()[kind].columns
    columns = {
        name: RecordColumn(f"{table}.{name}", types[name], precision=precisions.get(name, "second"))
        for name in records.columns(kind)
    }
    return Source(table, columns)
