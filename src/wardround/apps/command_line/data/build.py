"""`wardround data build`: a database from a published release's files."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Collection

    from wardround.ehr.ingest.release import BuildReport, LoadedTable
    from wardround.ehr.schema import Schema
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

from wardround.apps.command_line.data.interrupt import exit_on_interrupt

if TYPE_CHECKING:
    from wardround.ehr.ingest.release import Progress
    from wardround.ehr.schema import Schema

_SHOWN_FAULTS = 3
_SHOWN_CHARACTERS = 100


def build(
    release: Annotated[str, typer.Argument(help="mimic-iii, mimic-iv or eicu.")],
    source: Annotated[
        Path, typer.Option("--from", help="The folder with the release's .csv or .csv.gz files.")
    ],
    to: Annotated[str, typer.Option(help="The database to write: a file or a URL.")],
    faults: Annotated[
        Path | None,
        typer.Option(help="A folder for unreadable records. [the database's name.faults]"),
    ] = None,
) -> None:
    """Build a database from a release; exit 1 if one of its records is missing.

    The same command resumes an interrupted build: complete tables are kept, and the interrupted
    table is read again from its start.
    """
    from wardround.ehr.database import write_database
    from wardround.ehr.ingest.release import build as build_release
    from wardround.ehr.ingest.release import find_sources

    schema = _schema(release)
    layout = find_sources(schema, source)
    folder = faults or _fault_folder(to)
    width = max(len(each.table.name) for each in layout.sources)
    stopped = exit_on_interrupt("Stopped; the same command goes on with it.")
    with stopped, closing(write_database(to)) as target:
        with _progress_bar() as listener:
            report = build_release(
                schema,
                layout,
                target,
                folder,
                listener,
                lambda outcome: print_outcome(outcome, folder, width),
            )
        print_report(schema, report, target.location)
    if not report.whole:
        raise typer.Exit(1)


def _schema(release: str) -> "Schema":
    from wardround.core.errors import UserError
    from wardround.ehr.ingest.release import RELEASES
    from wardround.ehr.schema import load_schema

    name = release.lower().replace("-", "_")
    if name not in RELEASES:
        releases = ", ".join(each.replace("_", "-") for each in RELEASES)
        raise UserError(f"There is no release {release!r}; choose one of {releases}.")
    return load_schema(name)


def _fault_folder(to: str) -> Path:
    """The folder of faults: next to a file, or for a URL in the current folder by its name."""
    if to.startswith(("postgresql:", "postgres:")):
        name = re.split("[/:]", to.partition("?")[0])[-1]
        return Path(name + ".faults")
    return Path(to + ".faults").expanduser()


@contextmanager
def _progress_bar() -> "Iterator[Callable[[Progress], None]]":
    """Shows rows and remaining time on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda at: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<20}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:>13,} rows"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task("", rows=0)

        def listen(at: "Progress") -> None:
            bar.update(task, description=at.table, total=at.total, completed=at.done, rows=at.rows)

        yield listen


def print_outcome(outcome: "LoadedTable", faults: Path, width: int) -> None:
    """Print a loaded table and the faults of its file.

    Args:
        outcome: The loaded table.
        faults: The folder of unreadable records.
        width: The width of the longest table name.
    """
    typer.echo(f"{outcome.table:<{width}} {outcome.rows:>13,} rows")
    for note in outcome.notes:
        typer.echo(f"  {note}")
    if outcome.faults:
        _print_faults(outcome, faults / f"{outcome.table}.csv")
    if (excess := outcome.records - outcome.rows - outcome.faults) != 0:
        typer.echo(
            f"  the file has {outcome.records:,} records by a count of its own, {abs(excess):,} "
            f"{'more' if excess > 0 else 'fewer'} than were read or left out; look at its quotes"
        )


def print_report(schema: "Schema", report: "BuildReport", to: str) -> None:
    """Print the summary of a build."""
    for table, reason in report.unreadable.items():
        typer.echo(f"{table}: its file cannot be read, so the table is not there: {reason}")
    _print_missing(schema, report)
    if report.outcomes:
        _print_version(schema, report)
    rows = sum(outcome.rows for outcome in report.outcomes)
    typer.echo(f"{_tables(len(report.outcomes))}, {rows:,} rows in {to}.")
    if report.unreadable:
        typer.echo("Once the files can be read, the same command adds these tables.")


def _print_faults(outcome: "LoadedTable", file: Path) -> None:
    from wardround.ehr.ingest.release import first_faults

    records = "1 record" if outcome.faults == 1 else f"{outcome.faults:,} records"
    typer.echo(f"  left out as unreadable: {records}, with line numbers in {file}")
    for fault in first_faults(file, _SHOWN_FAULTS):
        # Remove control characters, which could control the terminal.
        text = "".join(c if c.isprintable() else "\ufffd" for c in fault.text.strip())
        excerpt = text[:_SHOWN_CHARACTERS]
        typer.echo(f"    {outcome.file} line {fault.line}: {fault.reason}: {excerpt}")


def _print_missing(schema: "Schema", report: "BuildReport") -> None:
    from wardround.core.declared import layouts_by_benchmark
    from wardround.ehr.ingest.release import missing_tables

    missing = report.layout.missing
    if missing:
        typer.echo(f"{_tables(len(missing))} without a file: {', '.join(missing)}")
    absent = [*missing, *report.unreadable]
    for benchmark, tables in missing_tables(schema, absent, layouts_by_benchmark()).items():
        typer.echo(f"  rules out {benchmark}, which needs {_listed(tables, absent)}")
    if unknown_files := report.layout.others:
        typer.echo(f"No table of {schema.name}, so not read: {', '.join(unknown_files)}")


def _print_version(schema: "Schema", report: "BuildReport") -> None:
    if report.version is None:
        typer.echo(f"No published version of {schema.name} has these numbers of records.")
        return
    if not report.departures:
        typer.echo(
            f"Version {report.version}: as many records as were published, in "
            f"{_tables(len(report.outcomes))} of {len(schema.tables)}."
        )
        return
    typer.echo(f"Nearest to version {report.version}, with other numbers of records than its own:")
    for table, (ours, published) in report.departures.items():
        typer.echo(f"  {table}: {ours:,} records, {published:,} published")


def _listed(tables: "Collection[str]", absent: "Collection[str]") -> str:
    return "all of these" if set(tables) == set(absent) and len(tables) > 1 else ", ".join(tables)


def _tables(count: int) -> str:
    return "1 table" if count == 1 else f"{count} tables"
