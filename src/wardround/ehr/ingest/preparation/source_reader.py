"""Reader of the required official tables, for the sampled patients only."""

from collections.abc import Iterable, Iterator

from wardround.ehr.database import Target
from wardround.ehr.database.table_reader import count_rows, read_table
from wardround.ehr.ingest.preparation.patient_steps import drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import columns, count, delete, replace
from wardround.ehr.schema import column_type, quoted


def read(work: Work, source: Target, specs: Iterable[TableSpec]) -> Iterator[Effect]:
    """Create tables from the source.

    Skips rows of patients outside the sample, rows without required values, and rows of missing
    stays. Tables missing from the source are created empty.
    """
    present = frozenset(source.tables())
    for spec in specs:
        for table in spec.read:
            _read_official(work, source, spec, table, present)
        replace(work.connection, spec.name, spec.select)
        for table in spec.read:
            work.connection.execute(f"DROP VIEW source.{quoted(table)}")
            work.connection.execute(f"DROP TABLE copied.{quoted(table)}")
        _drop_incomplete(work, spec.name)
        drop_orphans(work, spec.name)
        after = count(work.connection, spec.name)
        before = count_rows(source, table) if table in present else 0
        yield Effect("read", spec.name, before, after, note=_missing(spec, present))


def _missing(spec: TableSpec, present: frozenset[str]) -> str:
    missing = [table for table in spec.read if table not in present]
    return f"the source has no table {' and no '.join(missing)}" if missing else ""


def _read_official(
    work: Work, source: Target, spec: TableSpec, table: str, present: frozenset[str]
) -> None:
    """Copy the needed rows and columns of an official table."""
    official = work.recipe.official().table(table)
    needed = [official.column(name) for name in spec.read[table]]
    copy, connection = f"copied.{quoted(table)}", work.connection
    typed = ", ".join(
        f"CAST({quoted(c.name)} AS {column_type(c, 'duckdb')}) AS {quoted(c.name)}" for c in needed
    )
    if table in present:
        read_table(connection, source, table, needed, into=copy, where=_row_condition(work, spec))
    else:
        nulls = ", ".join(f"NULL AS {quoted(column.name)}" for column in needed)
        connection.execute(f"CREATE OR REPLACE TABLE {copy} AS SELECT {nulls} LIMIT 0")
    connection.execute(f"CREATE VIEW source.{quoted(table)} AS SELECT {typed} FROM {copy}")


def _row_condition(work: Work, spec: TableSpec) -> str:
    """The condition of the rows to read, so that other rows use no memory."""
    link, roster = work.recipe.link, work.recipe.roster
    sampled = "true" if spec.whole else f"{link} IN (SELECT {link} FROM {roster})"
    return f"{sampled} AND {spec.where}"


def _drop_incomplete(work: Work, table: str) -> None:
    """Remove rows without required values."""
    available = columns(work.connection, table)
    expected = work.recipe.prepared().table(table).columns
    required = [c.name for c in expected if not c.null and c.name in available]
    if required:
        delete(work.connection, table, " OR ".join(f"{quoted(name)} IS NULL" for name in required))
