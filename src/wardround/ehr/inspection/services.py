"""Suitability of a database for each benchmark.

A benchmark runs on a database with one of its layouts, or on a converted one. The database degrades
the benchmark if it would run, but some questions have no correct answer:

- the build of the database was interrupted;
- a required table is missing or empty, or lacks a column;
- a key of such a table is not unique;
- a reference of such a table to a person or stay dangles, or more than 5% of its references to a
  dictionary do: published releases contain some codes without a title (one diagnosis of forty in
  the MIMIC-III demo), incomplete dictionaries lack many more;
- a time in such a table is after the current time of the questions.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from wardround.core.declaration import Layout
from wardround.ehr.ingest.release.needs import needed_tables
from wardround.ehr.inspection.findings import Diagnosis, Service, Standing
from wardround.ehr.schema import load_renaming, load_schema

# Tolerated share of a table's rows with a code that is in no dictionary.
_TOLERATED_SHARE = 0.05
_INTERRUPTED = "its build was interrupted"


def services(
    diagnosis: Diagnosis,
    layouts: Mapping[str, Sequence[Layout]],
    any_schema: Collection[str] = (),
) -> tuple[Service, ...]:
    """The suitability of a database for each benchmark.

    Args:
        diagnosis: The findings.
        layouts: The layouts of each benchmark; one with databases of its own has none and is
            omitted.
        any_schema: The benchmarks whose tasks, written by a user, run on any schema.
    """
    all_services = (
        _service(name, layouts_of, diagnosis) for name, layouts_of in layouts.items() if layouts_of
    )
    return tuple(
        _with_own_tasks(service, diagnosis) if service.benchmark in any_schema else service
        for service in all_services
    )


def _with_own_tasks(service: Service, diagnosis: Diagnosis) -> Service:
    """The service of a benchmark that needs another layout for all but a user's own tasks."""
    if service.standing is not Standing.OTHER_LAYOUT or diagnosis.schema is not None:
        return service
    advice = "name the tasks that you wrote with --tasks (see docs/make-tasks.md)"
    missing = f"for tasks that it ships or makes, {'; '.join(service.reasons)}"
    return replace(service, standing=Standing.OWN_TASKS, reasons=(advice, missing))


def current_time_of(schema: str | None, layouts: Mapping[str, Sequence[Layout]]) -> str | None:
    """The current time of the questions on a schema, if any."""
    every = (layout for listed in layouts.values() for layout in listed)
    times = (layout.current_time for layout in every if layout.name == schema)
    return next((time for time in times if time), None)


def _service(benchmark: str, layouts: Sequence[Layout], diagnosis: Diagnosis) -> Service:
    if diagnosis.schema is None:
        return Service(benchmark, Standing.OTHER_LAYOUT, (_layouts_needed(layouts),))
    schema = load_schema(diagnosis.schema)
    if diagnosis.schema in (layout.name for layout in layouts):
        faults = list(_faults(diagnosis, needed_tables(schema, layouts)))
        standing = Standing.DEGRADED if faults else Standing.SERVED
        reasons = tuple(sentence for _, sentence in faults)
        return Service(benchmark, standing, reasons, tuple(dict.fromkeys(w for w, _ in faults)))
    source = next((each for each in layouts if diagnosis.schema in each.made_with), None)
    if source is None:
        return Service(benchmark, Standing.OTHER_LAYOUT, (_layouts_needed(layouts),))
    absent = _absent(diagnosis)
    empty_after = [table for table in needed_tables(schema, layouts) if table in absent]
    after = [f"{', '.join(empty_after)} would be empty"] if empty_after else []
    if diagnosis.half_built:
        after.append(_INTERRUPTED)
    standing = Standing.DEGRADED if after else Standing.OTHER_LAYOUT
    if late := _late_times(diagnosis, source):
        return Service(benchmark, standing, (late, *after))
    command = source.made_with[schema.name]
    return Service(benchmark, standing, (f"it runs after {command}", *after))


def _layouts_needed(layouts: Sequence[Layout]) -> str:
    return f"it runs on {' or '.join(layout.name for layout in layouts)}"


def _late_times(diagnosis: Diagnosis, layout: Layout) -> str:
    """Describes times after the current time of the renamed layout, which a renaming leaves."""
    renaming = load_renaming(layout.name)
    if renaming is None or renaming.of != diagnosis.schema:
        return ""
    last = max((s.last for facts in diagnosis.tables for s in facts.spans if s.last), default="")
    if not layout.current_time or last <= layout.current_time:
        return ""
    return (
        f"its times go to {last}, and those of {layout.name} to {layout.current_time}: prepare the "
        f'release again with --now "{layout.current_time}", then rename it'
    )


def _absent(diagnosis: Diagnosis) -> list[str]:
    empty = (table.name.lower() for table in diagnosis.tables if not table.rows)
    return [*diagnosis.missing_tables, *empty]


def _faults(diagnosis: Diagnosis, tables: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each fault that lowers scores: the table, and a sentence."""
    if diagnosis.half_built:
        yield "the build", _INTERRUPTED
    if missing := [table for table in diagnosis.missing_tables if table in tables]:
        yield ", ".join(missing), f"missing: {', '.join(missing)}"
    empty = [facts.name.lower() for facts in diagnosis.tables if not facts.rows]
    if empty_after := [table for table in empty if table in tables]:
        yield ", ".join(empty_after), f"empty: {', '.join(empty_after)}"
    for column in diagnosis.missing_columns:
        if (table := column.partition(".")[0]) in tables:
            yield table, f"column {column} is missing"
    for key in diagnosis.repeated:
        if key.table in tables:
            repeated = f"{key.rows:,} rows of {key.table} repeat its key {', '.join(key.columns)}"
            yield key.table, repeated
    rows = {facts.name.lower(): facts.rows for facts in diagnosis.tables}
    for loose in diagnosis.dangling:
        many = loose.personal or loose.rows > _TOLERATED_SHARE * rows[loose.table]
        if loose.table in tables and many:
            targets = " or ".join(loose.targets)
            where = f"{loose.table}.{loose.column}"
            yield loose.table, f"{loose.rows:,} rows of {where} are not in {targets}"
    for span in (span for facts in diagnosis.tables for span in facts.spans if span.late):
        if span.table.lower() in tables:
            late = f"{span.late:,} rows of {span.table}.{span.column}"
            yield span.table.lower(), f"{late} are later than {diagnosis.current_time}"
