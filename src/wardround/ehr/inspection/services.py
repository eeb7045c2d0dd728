"""Judges which benchmarks a database can serve, and which it would degrade unseen.

A benchmark runs on a database that has one of its schemas, or on what is made from one that has
another. It is degraded, and not merely not served, when it would run and some of its questions
could not be answered rightly:

- the build of the database was cut off;
- a table that it needs is missing or empty, or lacks a column;
- a key of such a table is not unique;
- a key of such a table to a person or a stay dangles, or one to a dictionary does in more than one
  row of twenty: the releases are published with codes that their own dictionaries lack (one
  diagnosis of forty in the MIMIC-III demo), and half a dictionary lacks many more;
- a time of such a table is later than the current time that its questions speak of.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from wardround.core.declaration import Layout
from wardround.ehr.ingest.release.needs import needed
from wardround.ehr.inspection.findings import Diagnosis, Service, Standing
from wardround.ehr.schema import load_schema

# The share of a table's rows whose code may stand in no dictionary.
_LOOSE = 0.05
_CUT_OFF = "its build was cut off"


def services(found: Diagnosis, layouts: Mapping[str, Sequence[Layout]]) -> tuple[Service, ...]:
    """How each benchmark fares.

    Args:
        found: What the database is like.
        layouts: The layouts that each benchmark runs on; one that brings its own databases has
            none and is left out.
    """
    return tuple(_service(name, its, found) for name, its in layouts.items() if its)


def current_time_of(schema: str | None, layouts: Mapping[str, Sequence[Layout]]) -> str | None:
    """The current time of the benchmark that runs on a schema, if its questions name one."""
    every = (layout for its in layouts.values() for layout in its)
    times = (layout.current_time for layout in every if layout.name == schema)
    return next((time for time in times if time), None)


def _service(benchmark: str, layouts: Sequence[Layout], found: Diagnosis) -> Service:
    if found.schema is None:
        return Service(benchmark, Standing.NOT_SERVED, ("the schema is not known",))
    schema = load_schema(found.schema)
    if found.schema in (layout.name for layout in layouts):
        faults = tuple(_faults(found, needed(schema, layouts)))
        return Service(benchmark, Standing.DEGRADED if faults else Standing.SERVED, faults)
    source = next((each for each in layouts if found.schema in each.made_with), None)
    if source is None:
        reason = f"it runs on {' or '.join(layout.name for layout in layouts)}"
        return Service(benchmark, Standing.NOT_SERVED, (reason,))
    absent = _absent(found)
    lacking = [table for table in needed(schema, layouts) if table in absent]
    ahead = [f"{', '.join(lacking)} would be empty"] if lacking else []
    if found.half_built:
        ahead.append(_CUT_OFF)
    standing = Standing.DEGRADED if ahead else Standing.NOT_SERVED
    command = source.made_with[schema.name]
    return Service(benchmark, standing, (f"it runs after {command}", *ahead))


def _absent(found: Diagnosis) -> list[str]:
    empty = (table.name.lower() for table in found.tables if not table.rows)
    return [*found.missing_tables, *empty]


def _faults(found: Diagnosis, tables: Collection[str]) -> Iterator[str]:
    if found.half_built:
        yield _CUT_OFF
    if missing := [table for table in found.missing_tables if table in tables]:
        yield f"missing: {', '.join(missing)}"
    empty = [facts.name.lower() for facts in found.tables if not facts.rows]
    if lacking := [table for table in empty if table in tables]:
        yield f"empty: {', '.join(lacking)}"
    for column in found.missing_columns:
        if column.partition(".")[0] in tables:
            yield f"column {column} is missing"
    for key in found.repeated:
        if key.table in tables:
            yield f"{key.rows:,} rows of {key.table} repeat its key {', '.join(key.columns)}"
    rows = {facts.name.lower(): facts.rows for facts in found.tables}
    for loose in found.dangling:
        many = loose.personal or loose.rows > _LOOSE * rows[loose.table]
        if loose.table in tables and many:
            targets = " or ".join(loose.targets)
            yield f"{loose.rows:,} rows of {loose.table}.{loose.column} are not in {targets}"
    for span in (span for facts in found.tables for span in facts.spans if span.late):
        if span.table.lower() in tables:
            late = f"{span.late:,} rows of {span.table}.{span.column}"
            yield f"{late} are later than {found.current_time}"
