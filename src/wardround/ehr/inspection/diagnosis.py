"""Inspection of a database with a few queries for each table, on any engine."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wardround.core.declaration import Layout
from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_text
from wardround.ehr.ingest.patient_removal import identifying_columns
from wardround.ehr.ingest.released_tables import released_table
from wardround.ehr.inspection.findings import (
    DanglingReference,
    Diagnosis,
    DuplicateKey,
    TableFacts,
    TimeSpan,
)
from wardround.ehr.inspection.services import current_time_of, services
from wardround.ehr.schema import (
    Schema,
    Table,
    difference,
    headless_tables,
    load_schema,
    quoted,
    recognise,
)
from wardround.ehr.times.record_end import time_columns

# One day; the user can interrupt.
_SECONDS = 86_400.0

Columns = Mapping[str, Mapping[str, ColumnInfo]]

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


def repeated_keys(database: Database, schema: Schema, present: Columns) -> Iterator[DuplicateKey]:
    """The keys of the schema that are not unique in the database.

    Skips primary keys that the database declares itself.

    Args:
        database: The database.
        schema: The schema with the keys.
        present: The existing columns by table, in lower case.
    """
    for table in schema.tables:
        columns = present.get(table.name, {})
        for key in _keys(table, columns):
            if rows := _repeats(database, table.name, key):
                yield DuplicateKey(table.name, key, rows)


def _keys(table: Table, columns: Mapping[str, ColumnInfo]) -> list[tuple[str, ...]]:
    declared = {name for name, info in columns.items() if info.primary_key}
    single = [(column.name,) for column in table.columns if column.unique]
    keys = [key for key in (table.key, *single) if key and declared != set(key)]
    return [key for key in keys if set(key) <= columns.keys()]


def _repeats(database: Database, table: str, key: Collection[str]) -> int:
    names = ", ".join(quoted(column) for column in key)
    filled = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in key)
    return query_number(
        database,
        f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM {quoted(table)}"  # noqa: S608
        f" WHERE {filled} GROUP BY {names} HAVING count(*) > 1) AS repeats",
    )


def dangling_keys(
    database: Database, schema: Schema, present: Columns
) -> Iterator[DanglingReference]:
    """The columns with references to missing rows.

    A column that references several tables, such as a cost's event, dangles if its value is in none
    of them. References to missing tables are skipped, because the missing table is reported itself.
    """
    personal = identifying_columns(column for table in present.values() for column in table)
    for table in schema.tables:
        for column, targets in _pointers(table, present).items():
            if rows := _dangling_rows(database, table.name, column, targets):
                names = tuple(f"{where}.{target}" for where, target in targets)
                yield DanglingReference(table.name, column, names, rows, column in personal)


def _pointers(table: Table, present: Columns) -> dict[str, list[tuple[str, str]]]:
    pointers: dict[str, list[tuple[str, str]]] = {}
    for key in table.foreign_keys:
        if key.column in present.get(table.name, {}):
            pointers.setdefault(key.column, []).append((key.table, key.target))
    return {
        column: targets
        for column, targets in pointers.items()
        if all(target in present.get(where, {}) for where, target in targets)
    }


def _dangling_rows(
    database: Database, table: str, column: str, targets: list[tuple[str, str]]
) -> int:
    # Joins instead of EXISTS, so that SQLite builds an automatic index of the other side once.
    joins = "".join(
        f" LEFT JOIN (SELECT DISTINCT {quoted(target)} AS k{n} FROM {quoted(where)}) AS t{n}"  # noqa: S608
        f" ON t{n}.k{n} = given.{quoted(column)}"
        for n, (where, target) in enumerate(targets)
    )
    in_no_target = "".join(f" AND t{n}.k{n} IS NULL" for n in range(len(targets)))
    return query_number(
        database,
        f"SELECT count(*) FROM {quoted(table)} AS given{joins}"  # noqa: S608
        f" WHERE given.{quoted(column)} IS NOT NULL{in_no_target}",
    )


def query_row(database: Database, sql: str) -> tuple[Cell, ...]:
    """The single row of a query."""
    return database.execute(sql, rows=1, seconds=_SECONDS).rows[0]


def query_number(database: Database, sql: str) -> int:
    """The single number of a query."""
    return int(str(query_row(database, sql)[0]))


def table_facts(
    database: Database, table: str, times: Collection[str], current_time: str | None
) -> TableFacts:
    """The row count and time ranges of a table.

    Args:
        database: The database.
        table: The table's name in the database.
        times: Its time columns.
        current_time: The time after which rows count as late, if any.
    """
    ends = "".join(f", min({quoted(c)}), max({quoted(c)})" for c in times)
    rows, *limits = query_row(database, f"SELECT count(*){ends} FROM {quoted(table)}")  # noqa: S608
    spans = (
        _span(database, table, column, first, last, current_time)
        for column, first, last in zip(times, limits[::2], limits[1::2], strict=True)
    )
    return TableFacts(table, int(str(rows)), tuple(spans))


def _span(
    database: Database, table: str, column: str, first: Cell, last: Cell, now: str | None
) -> TimeSpan:
    if first is None or last is None:
        return TimeSpan(table, column, None, None)
    late = 0
    if now and str(last) > now:
        which = f"{quoted(column)} > {quote_text(now)}"
        sql = f"SELECT count(*) FROM {quoted(table)} WHERE {which}"  # noqa: S608
        late = query_number(database, sql)
    return TimeSpan(table, column, str(first), str(last), late)
