"""Reads what the form needs of an official database, for the chosen patients only."""

from collections.abc import Iterable, Iterator

from wardround.ehr.database import Target
from wardround.ehr.database.table_reader import count_rows, read_table
from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.orphans import drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Work
from wardround.ehr.ingest.preparation.working_database import columns, count, delete, replace
from wardround.ehr.schema import column_type, quoted


def read(work: Work, source: Target, records: Iterable[Record]) -> Iterator[Effect]:
    """Make the tables of some records from the source.

    Rows of patients who are not chosen are left out, as are those that lack what the result
    requires and those of a stay that is not there; a table that the source does not have becomes
    an empty one.
    """
    there = frozenset(source.tables())
    for record in records:
        for table in record.read:
            _read_official(work, source, record, table, there)
        replace(work.lake, record.name, record.select)
        for table in record.read:
            work.lake.execute(f"DROP VIEW source.{quoted(table)}")
            work.lake.execute(f"DROP TABLE copied.{quoted(table)}")
        _drop_incomplete(work, record.name)
        drop_orphans(work, record.name)
        after = count(work.lake, record.name)
        before = count_rows(source, table) if table in there else 0
        yield Effect("read", record.name, before, after, note=_missing(record, there))


def _missing(record: Record, there: frozenset[str]) -> str:
    missing = [table for table in record.read if table not in there]
    return f"the source has no table {' and no '.join(missing)}" if missing else ""


def _read_official(
    work: Work, source: Target, record: Record, table: str, there: frozenset[str]
) -> None:
    """Copy the needed rows and columns of an official table."""
    official = work.form.official().table(table)
    needed = [official.column(name) for name in record.read[table]]
    copy, lake = f"copied.{quoted(table)}", work.lake
    typed = ", ".join(
        f"CAST({quoted(c.name)} AS {column_type(c, 'duckdb')}) AS {quoted(c.name)}" for c in needed
    )
    if table in there:
        read_table(lake, source, table, needed, into=copy, where=_wanted(work, record))
    else:
        nothing = ", ".join(f"NULL AS {quoted(column.name)}" for column in needed)
        lake.execute(f"CREATE OR REPLACE TABLE {copy} AS SELECT {nothing} LIMIT 0")
    lake.execute(f"CREATE VIEW source.{quoted(table)} AS SELECT {typed} FROM {copy}")


def _wanted(work: Work, record: Record) -> str:
    """Which rows are read, and so never take up room: chosen patients' with what is asked for."""
    link, roster = work.form.link, work.form.roster
    chosen = "true" if record.whole else f"{link} IN (SELECT {link} FROM {roster})"
    return f"{chosen} AND {record.where}"


def _drop_incomplete(work: Work, table: str) -> None:
    """Remove rows that lack what the result requires."""
    made = columns(work.lake, table)
    wanted = work.form.prepared().table(table).columns
    required = [c.name for c in wanted if not c.null and c.name in made]
    if required:
        delete(work.lake, table, " OR ".join(f"{quoted(name)} IS NULL" for name in required))
