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

import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from wardround.ehr.ingest.release.needs import ruled_out
from wardround.ehr.inspection.findings import Diagnosis, Service, Standing
from wardround.ehr.schema import Schema, load_schema

# The share of a table's rows whose code may stand in no dictionary.
_LOOSE = 0.05
_CUT_OFF = "its build was cut off"


def services(found: Diagnosis) -> tuple[Service, ...]:
    """How each benchmark fares."""
    return tuple(_service(benchmark, found) for benchmark in _benchmarks())


def current_time_of(schema: str | None) -> str | None:
    """The current time of the benchmark that runs on a schema, if its questions speak of one."""
    times = (
        each.get("current_time") for each in _benchmarks().values() if schema in each["schemas"]
    )
    return next((str(time) for time in times if time), None)


@cache
def _benchmarks() -> dict[str, dict[str, Any]]:
    text = files("wardround.ehr.inspection").joinpath("services.toml").read_text("utf-8")
    return tomllib.loads(text)


def _service(benchmark: str, found: Diagnosis) -> Service:
    about = _benchmarks()[benchmark]
    if found.schema is None:
        return Service(benchmark, Standing.NOT_SERVED, ("the schema is not known",))
    schema = load_schema(found.schema)
    if found.schema in about["schemas"]:
        faults = tuple(_faults(found, _needed(benchmark, schema)))
        return Service(benchmark, Standing.DEGRADED if faults else Standing.SERVED, faults)
    command = about.get("made_from", {}).get(schema.name)
    if command is None:
        reason = f"it runs on {' or '.join(about['schemas'])}"
        return Service(benchmark, Standing.NOT_SERVED, (reason,))
    lacking = ruled_out(schema, _absent(found)).get(benchmark, ())
    ahead = [f"{', '.join(lacking)} would be empty"] if lacking else []
    if found.half_built:
        ahead.append(_CUT_OFF)
    standing = Standing.DEGRADED if ahead else Standing.NOT_SERVED
    return Service(benchmark, standing, (f"it runs after {command}", *ahead))


def _needed(benchmark: str, schema: Schema) -> Collection[str]:
    every = [table.name for table in schema.tables]
    return ruled_out(schema, every).get(benchmark, every)


def _absent(found: Diagnosis) -> list[str]:
    empty = (table.name.lower() for table in found.tables if not table.rows)
    return [*found.missing_tables, *empty]


def _faults(found: Diagnosis, needed: Collection[str]) -> Iterator[str]:
    if found.half_built:
        yield _CUT_OFF
    if missing := [table for table in found.missing_tables if table in needed]:
        yield f"missing: {', '.join(missing)}"
    empty = [facts.name.lower() for facts in found.tables if not facts.rows]
    if lacking := [table for table in empty if table in needed]:
        yield f"empty: {', '.join(lacking)}"
    for column in found.missing_columns:
        if column.partition(".")[0] in needed:
            yield f"column {column} is missing"
    for key in found.repeated:
        if key.table in needed:
            yield f"{key.rows:,} rows of {key.table} repeat its key {', '.join(key.columns)}"
    rows = {facts.name.lower(): facts.rows for facts in found.tables}
    for loose in found.dangling:
        many = loose.personal or loose.rows > _LOOSE * rows[loose.table]
        if loose.table in needed and many:
            targets = " or ".join(loose.targets)
            yield f"{loose.rows:,} rows of {loose.table}.{loose.column} are not in {targets}"
    for span in (span for facts in found.tables for span in facts.spans if span.late):
        if span.table.lower() in needed:
            late = f"{span.late:,} rows of {span.table}.{span.column}"
            yield f"{late} are later than {found.current_time}"
