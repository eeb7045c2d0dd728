"""`wardround data build`: a database from a published release's files."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.data.build_report import print_outcome, print_report
from wardround.apps.command_line.data.interrupt import exit_on_interrupt

if TYPE_CHECKING:
    from wardround.ehr.ingest.release import Progress
    from wardround.ehr.schema import Schema


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
