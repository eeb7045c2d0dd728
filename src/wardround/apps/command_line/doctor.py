"""`wardround doctor`: a database's schema, its faults, and the benchmarks it is suitable for."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from wardround.ehr.inspection import Diagnosis, TableFacts


def doctor(
    database: Annotated[
        str | None,
        typer.Argument(
            help="A database, by file or URL, or a FHIR record. [none: the installed benchmarks]",
            show_default=False,
        ),
    ] = None,
    current_time: Annotated[
        datetime | None,
        typer.Option(
            help="The latest time allowed in the records. [that of the benchmark for the schema]"
        ),
    ] = None,
    record_map: Annotated[
        str | None,
        typer.Option(
            "--map",
            help="Read the records by a record map instead, a file or the name of a layout, and "
            "check both.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a database; exit 1 if it would silently lower a benchmark's scores.

    Without a database, check that the installed benchmarks have the methods of one.
    """
    if database is None:
        from wardround.apps.command_line.findings import show_benchmarks

        show_benchmarks(as_json)
        return
    from contextlib import closing

    from rich.console import Console

    from wardround.core.declared import benchmarks_of_any_schema, layouts_by_benchmark
    from wardround.ehr.database import open_database
    from wardround.ehr.fhir.store.file_format import is_record
    from wardround.ehr.inspection import examine
    from wardround.sandbox.confinement import available

    if record_map:
        from wardround.apps.command_line.findings import show_map

        show_map(database, record_map, as_json)
        return
    if is_record(path := Path(database).expanduser()):
        from wardround.apps.command_line.findings import show_record

        show_record(path, as_json)
        return
    console = Console(stderr=True)
    now = current_time.isoformat(" ", "seconds") if current_time else None
    with closing(open_database(database)) as opened, console.status("looking") as status:
        diagnosis = examine(
            opened,
            layouts_by_benchmark(),
            now,
            lambda what: status.update(f"looking at {what}"),
            benchmarks_of_any_schema(),
        )
    if as_json:
        import orjson

        found = {**orjson.loads(orjson.dumps(diagnosis)), "confinement": available()}
        typer.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
    else:
        _show(diagnosis)
    if diagnosis.degraded:
        raise typer.Exit(1)


def _show(diagnosis: "Diagnosis") -> None:
    from rich.console import Console

    from wardround.apps.command_line.output import WIDTH

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    for line in _head(diagnosis):
        console.print(line, markup=False)
    console.print(_tables(diagnosis))
    for line in (*_faults(diagnosis), *_services(diagnosis), _confinement()):
        console.print(line, markup=False)


def _head(diagnosis: "Diagnosis") -> Iterator[str]:
    size = f", {diagnosis.bytes:,} bytes" if diagnosis.bytes is not None else ""
    yield f"{diagnosis.location}: {diagnosis.engine}{size}"
    if diagnosis.schema:
        yield f"Schema: {diagnosis.schema}"
    else:
        yield "Schema: your own; only its tables are counted, keys and times are not checked"
    spans = [span for facts in diagnosis.tables for span in facts.spans]
    first = min((span.first for span in spans if span.first), default=None)
    last = max((span.last for span in spans if span.last), default=None)
    if first:
        yield f"Times: {first} to {last}"
    if diagnosis.current_time:
        yield f"Current time: {diagnosis.current_time}"


def _tables(diagnosis: "Diagnosis") -> "RenderableType":
    """The tables, without empty columns."""
    from rich.table import Table

    rows = [_row(facts) for facts in diagnosis.tables]
    titles = ("table", "rows", "earliest", "latest")
    columns = [n for n in range(len(titles)) if n < 2 or any(row[n] for row in rows)]
    grid = Table()
    for n in columns:
        grid.add_column(titles[n], justify="right" if n == 1 else "left")
    for row in rows:
        grid.add_row(*(row[n] for n in columns))
    return grid


def _row(facts: "TableFacts") -> tuple[str, ...]:
    first = min((span.first for span in facts.spans if span.first), default="")
    last = max((span.last for span in facts.spans if span.last), default="")
    rows = f"{facts.rows:,}" if facts.rows else "empty"
    return facts.name, rows, first, last


def _faults(diagnosis: "Diagnosis") -> Iterator[str]:
    if diagnosis.half_built:
        yield "Half built: give its `wardround data build` command again, and it goes on"
    for what, names in (
        ("Missing tables", diagnosis.missing_tables),
        ("Missing columns", diagnosis.missing_columns),
        ("Tables without a header", diagnosis.headless_tables),
        ("Tables that the schema does not have", diagnosis.other_tables),
    ):
        if names:
            yield f"{what}: {', '.join(names)}"
    for key in diagnosis.repeated:
        yield f"Not unique: {key.table} ({', '.join(key.columns)}), {key.rows:,} rows repeat it"
    for loose in diagnosis.dangling:
        targets = " or ".join(loose.targets)
        yield f"Dangling: {loose.table}.{loose.column}, {loose.rows:,} rows are not in {targets}"
    for span in (span for facts in diagnosis.tables for span in facts.spans if span.late):
        yield f"Later than now: {span.table}.{span.column}, {span.late:,} rows, to {span.last}"


def _services(diagnosis: "Diagnosis") -> Iterator[str]:
    """Each benchmark's standing with its reasons, except findings already listed by table."""
    for service in diagnosis.services:
        yield f"{service.benchmark}: {service.standing}"
        if service.faulty:
            yield f"  for what is found above in {', '.join(service.faulty)}"
        else:
            yield from (f"  {reason}" for reason in service.reasons)


def _confinement() -> str:
    """The mechanisms that confine agents from elsewhere on this machine."""
    from wardround.core.confinement import listed
    from wardround.sandbox.confinement import available

    if mechanisms := available():
        return f"Agents from elsewhere run confined by {listed(mechanisms)}"
    return "Agents from elsewhere cannot be confined here: they need --unconfined"
