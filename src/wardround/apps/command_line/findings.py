"""Findings of `wardround doctor` on benchmarks, record maps and FHIR records."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import typer

from wardround.core import plugins
from wardround.core.benchmark_check import method_faults
from wardround.core.declared import benchmark_declaration, layouts_by_benchmark
from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.ehr.records import MapFacts

FHIR_LAYOUT = "fhir_r4"


def show_benchmarks(as_json: bool) -> None:
    """Prints each installed benchmark with its faults; exits 1 if one has any."""
    faults = {name: _faults(name) for name in plugins.names(plugins.BENCHMARKS)}
    if as_json:
        typer.echo(orjson.dumps({"benchmarks": faults}, option=orjson.OPT_INDENT_2).decode())
    else:
        for name, found in faults.items():
            typer.echo(f"{name}: {'; '.join(found) or 'has the methods of a benchmark'}")
    if any(faults.values()):
        raise typer.Exit(1)


def _faults(name: str) -> list[str]:
    try:
        return method_faults(plugins.implementation(benchmark_declaration(name).implementation))
    except UserError as error:
        return [str(error)]


def show_map(database: str, record_map: str, as_json: bool) -> None:
    """Print what a map finds in a database.

    Args:
        database: The database.
        record_map: A file, or the name of a packaged map.
        as_json: True to print JSON.

    Raises:
        Exit: With 1, the map and the database do not fit.
    """
    from wardround.ehr.database import open_database
    from wardround.ehr.records import examine_records, named_map

    records, text = named_map(record_map)
    with closing(open_database(database)) as opened:
        facts = examine_records(records, opened, text, record_map)
    if as_json:
        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode())
    else:
        for line in _map_lines(facts, database):
            typer.echo(line)
    if facts.faults:
        raise typer.Exit(1)


def _map_lines(facts: "MapFacts", database: str) -> Iterator[str]:
    yield f"{database}, read as {facts.layout}"
    yield f"{'kind':16}{'records':>12}{'patients':>10}{'outside stay':>14}  columns"
    for each in facts.kinds:
        patients = "" if each.patients is None else f"{each.patients:,}"
        outside = "" if each.outside is None else f"{each.outside:,}"
        columns = ", ".join(each.columns)
        yield f"{each.kind:16}{each.records:>12,}{patients:>10}{outside:>14}  {columns}"
    if facts.absent:
        yield f"Not in this layout: {', '.join(facts.absent)}."
    yield from facts.faults


def show_record(path: Path, as_json: bool) -> None:
    """Prints the facts about a record, and the benchmarks that run on one."""
    from wardround.ehr.fhir.inspection import inspect_record

    facts = inspect_record(path)
    if as_json:
        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode())
        return
    typer.echo(f"{facts.location}: FHIR R4 record, {facts.bytes:,} bytes")
    typer.echo(f"From {facts.source or 'an unnamed source'}; times in {facts.zone}")
    typer.echo(f"{'Type':28}{'Resources':>10}  {'Known from':12}{'to':12}")
    for each in facts.types:
        typer.echo(f"{each.type:28}{each.count:>10,}  {each.first:12}{each.last:12}".rstrip())
    for pair, count in facts.dangling.items():
        typer.echo(f"{count:,} references from {pair} lead to resources that are not here.")
    suited = [
        name
        for name, layouts in layouts_by_benchmark().items()
        if any(layout.name == FHIR_LAYOUT for layout in layouts)
    ]
    if suited:
        typer.echo(f"Suitable for: {', '.join(sorted(suited))}.")
