"""Inspection of a database with a few queries for each table, on any engine."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wardround.core.declaration import Layout
from wardround.ehr.database import Database
from wardround.ehr.ingest.released_tables import released_table
from wardround.ehr.inspection.findings import Diagnosis
from wardround.ehr.inspection.keys import Columns, dangling_keys, repeated_keys
from wardround.ehr.inspection.services import current_time_of, services
from wardround.ehr.inspection.table_facts import table_facts
from wardround.ehr.schema import Schema, difference, headless_tables, load_schema, recognise
from wardround.ehr.times.record_end import time_columns

_NO_SCHEMA = Schema("", "", ())


def examine(
    database: Database,
    layouts: Mapping[str, Sequence[Layout]],
    current_time: str | None = None,
    on_step: Callable[[str], None] = lambda part: None,
    any_schema: Collection[str] = (),
) -> Diagnosis:
    """Inspect a database: schema, faults, and the benchmarks that can run on it.

    Keys are those of its schema; for an unknown schema only rows are counted.

    Args:
        database: Any database.
        layouts: The layouts of each benchmark.
        current_time: The latest allowed time, as "2100-12-31 23:59:00"; by default that of the
            benchmark whose schema the database has.
        on_step: Called with the name of each inspected part.
        any_schema: The benchmarks whose tasks, written by a user, run on any schema.
    """
    names = database.tables()
    present: Columns = {
        table.lower(): {info.name.lower(): info for info in database.columns(table)}
        for table in names
    }
    name = recognise(present)
    schema = load_schema(name) if name else _NO_SCHEMA
    tables_by_name = {table.name: table for table in schema.tables}
    now = current_time or current_time_of(name, layouts)
    facts = []
    for table in names:
        on_step(table)
        times = time_columns(tables_by_name.get(table.lower()), present[table.lower()])
        facts.append(table_facts(database, table, times, now))
    on_step("keys")
    differences = difference(schema, present)
    diagnosis = Diagnosis(
        location=database.url,
        engine=database.dialect,
        bytes=_bytes(database.url),
        schema=name,
        current_time=now,
        tables=tuple(facts),
        missing_tables=differences.missing_tables,
        missing_columns=tuple(_missing_columns(schema, present, differences.missing_columns)),
        other_tables=differences.other_tables if name else (),
        headless_tables=headless_tables(present),
        repeated=tuple(repeated_keys(database, schema, present)),
        dangling=tuple(dangling_keys(database, schema, present)),
    )
    return replace(diagnosis, services=services(diagnosis, layouts, any_schema))


def _missing_columns(
    schema: Schema, present: Columns, missing: tuple[tuple[str, str], ...]
) -> list[str]:
    """Missing columns that the published variant of a table does not derive."""
    return [
        f"{table}.{column}"
        for table, column in missing
        if column not in released_table(schema.name, table, present[table]).columns
    ]


def _bytes(url: str) -> int | None:
    path = Path(url).expanduser()
    return path.stat().st_size if path.is_file() else None
