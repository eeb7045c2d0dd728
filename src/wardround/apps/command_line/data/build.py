"""`wardround data build`: a published release's CSV files as a database."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wardround.ehr.ingest.release import Outcome, Progress, Report
    from wardround.ehr.schema import Schema

RELEASES = ("mimic-iii", "mimic-iv", "eicu")

_SHOWN_FAULTS = 3
_SHOWN_CHARACTERS = 100


def build(
    release: Annotated[str, typer.Argument(help="mimic-iii, mimic-iv or eicu.")],
    source: Annotated[
        Path, typer.Option("--from", help="The folder of its .csv or .csv.gz files.")
    ],
    to: Annotated[str, typer.Option(help="The database to make: a file or a URL.")],
    faults: Annotated[
        Path | None,
        typer.Option(help="A folder for records that cannot be read. [the database's name.faults]"),
    ] = None,
) -> None:
    """Make a database from a release; exit 1 if a record of it is missing.

    The same command goes on with a build that was cut off: tables that were whole are kept, the
    one that was being read is read from its beginning.
    """
    from wardround.ehr.database import write_database
    from wardround.ehr.ingest.release import build as build_release
    from wardround.ehr.ingest.release import find_sources

    schema = _schema(release)
    layout = find_sources(schema, source)
    folder = faults or _fault_folder(to)
    with closing(write_database(to)) as target:
        with _shown() as listener:
            report = build_release(schema, layout, target, folder, listener)
        _print(schema, report, folder, target.location)
    if not report.whole:
        raise typer.Exit(1)


def _schema(release: str) -> "Schema":
    from wardround.core.errors import UserError
    from wardround.ehr.schema import load_schema

    if release.replace("_", "-") not in RELEASES:
        raise UserError(f"There is no release {release!r}; choose one of {', '.join(RELEASES)}.")
    return load_schema(release.replace("-", "_"))


def _fault_folder(to: str) -> Path:
    """Beside a file; here for a URL, under the database's name."""
    if to.startswith("postgresql:"):
        name = re.split("[/:]", to.partition("?")[0])[-1]
        return Path(name + ".faults")
    return Path(to + ".faults").expanduser()


@contextmanager
def _shown() -> "Iterator[Callable[[Progress], None]]":
    """Shows rows and the time that is left on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<20}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:>13,} rows"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", rows=0)

        def listen(at: "Progress") -> None:
            bar.update(task, description=at.table, total=at.total, completed=at.done, rows=at.rows)

        yield listen


def _print(schema: "Schema", report: "Report", faults: Path, to: str) -> None:
    for outcome in report.outcomes:
        _print_outcome(outcome, faults)
    for table, reason in report.unreadable.items():
        typer.echo(f"{table}: its file cannot be read, so the table is not there: {reason}")
    _print_missing(schema, report)
    _print_version(report)
    rows = sum(outcome.rows for outcome in report.outcomes)
    typer.echo(f"{len(report.outcomes)} tables, {rows:,} rows in {to}.")
    if report.unreadable:
        typer.echo("Once the files can be read, the same command adds these tables.")


def _print_outcome(outcome: "Outcome", folder: Path) -> None:
    from wardround.ehr.ingest.release import first_faults

    typer.echo(f"{outcome.table}: {outcome.rows:,} rows")
    for note in outcome.notes:
        typer.echo(f"  {note}")
    if outcome.faults:
        file = folder / f"{outcome.table}.csv"
        typer.echo(f"  {outcome.faults:,} records cannot be read and are left out; all in {file}")
        for fault in first_faults(file, _SHOWN_FAULTS):
            text = fault.text.strip()[:_SHOWN_CHARACTERS]
            typer.echo(f"    {outcome.file} line {fault.line}: {fault.reason}: {text}")
    if (left := outcome.records - outcome.rows - outcome.faults) != 0:
        typer.echo(
            f"  the file has {outcome.records:,} records by a count of its own, {abs(left):,} "
            f"{'more' if left > 0 else 'fewer'} than were read or left out; look at its quotes"
        )


def _print_missing(schema: "Schema", report: "Report") -> None:
    from wardround.ehr.ingest.release import ruled_out

    missing = report.layout.missing
    if missing:
        typer.echo(f"{len(missing)} tables have no file: {', '.join(missing)}")
    for benchmark, tables in ruled_out(schema, [*missing, *report.unreadable]).items():
        typer.echo(f"  rules out {benchmark}, which needs {', '.join(tables)}")
    if others := report.layout.others:
        typer.echo(f"No table of {schema.name}, so not read: {', '.join(others)}")


def _print_version(report: "Report") -> None:
    if report.version is None:
        return
    typer.echo(
        f"Version {report.version}: "
        + (
            "the files differ from the published counts."
            if report.departures
            else "every table has as many records as were published."
        )
    )
    for table, (own, published) in report.departures.items():
        typer.echo(f"  {table}: {own:,} records, {published:,} published")
