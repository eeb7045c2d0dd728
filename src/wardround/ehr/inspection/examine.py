"""Looks a database over with a few queries per table, on any engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wardround.core.declaration import Layout
from wardround.ehr.database import Database
from wardround.ehr.ingest.released_forms import released_form
from wardround.ehr.inspection.findings import Diagnosis
from wardround.ehr.inspection.keys import Columns, dangling_keys, repeated_keys
from wardround.ehr.inspection.services import current_time_of, services
from wardround.ehr.inspection.times import table_facts, time_columns
from wardround.ehr.schema import Schema, difference, load_schema, recognise

_NO_SCHEMA = Schema("", "", ())


def examine(
    database: Database,
    layouts: Mapping[str, Sequence[Layout]],
    current_time: str | None = None,
    told: Callable[[str], None] = lambda what: None,
) -> Diagnosis:
    """What a database is, what is wrong with it, and which benchmarks it can serve.

    Keys are those of the schema that it has; a database of an unknown schema is counted only.

    Args:
        database: Any database.
        layouts: The layouts of each benchmark.
        current_time: The time that nothing should be later than, as "2100-12-31 23:59:00"; else
            that of the benchmark whose schema the database has.
        told: Told what is being looked at.
    """
    names = database.tables()
    present: Columns = {
        table.lower(): {info.name.lower(): info for info in database.columns(table)}
        for table in names
    }
    name = recognise(present)
    schema = load_schema(name) if name else _NO_SCHEMA
    known = {table.name: table for table in schema.tables}
    now = current_time or current_time_of(name, layouts)
    facts = []
    for table in names:
        told(table)
        times = time_columns(known.get(table.lower()), present[table.lower()])
        facts.append(table_facts(database, table, times, now))
    told("keys")
    apart = difference(schema, present)
    diagnosis = Diagnosis(
        location=database.url,
        engine=database.dialect,
        bytes=_bytes(database.url),
        schema=name,
        current_time=now,
        tables=tuple(facts),
        missing_tables=apart.missing_tables,
        missing_columns=tuple(_missing_columns(schema, present, apart.missing_columns)),
        other_tables=apart.other_tables if name else (),
        repeated=tuple(repeated_keys(database, schema, present)),
        dangling=tuple(dangling_keys(database, schema, present)),
    )
    return replace(diagnosis, services=services(diagnosis, layouts))


def _missing_columns(
    schema: Schema, present: Columns, missing: tuple[tuple[str, str], ...]
) -> list[str]:
    """Columns that are missing and for which a released form has nothing else."""
    return [
        f"{table}.{column}"
        for table, column in missing
        if column not in released_form(schema.name, table, present[table]).columns
    ]


def _bytes(url: str) -> int | None:
    path = Path(url).expanduser()
    return path.stat().st_size if path.is_file() else None
