"""`wardround tasks make ehrsql`: questions about a database, and a table of what they are like."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.authoring.ehrsql.questions import MadeSet

_COLUMNS = (
    ("questions", "questions"),
    ("answerable", "answerable"),
    ("templates", "templates"),
    ("tables/Q", "tables"),
    ("nesting/Q", "nesting"),
    ("% time", "time_used"),
    ("% Spider", "in_spider"),
)


def ehrsql(
    database: Annotated[str, typer.Option(help="A database in one of EHRSQL's forms.")],
    to: Annotated[Path, typer.Option(help="The folder to make.")],
    seed: Annotated[int, typer.Option(help="Same seed, same questions.")] = 0,
    size: Annotated[
        float, typer.Option(min=0.001, help="How large the set is beside the paper's.")
    ] = 1.0,
    current_time: Annotated[
        str | None,
        typer.Option(help="What the word current_time stands for. [end of the records' last year]"),
    ] = None,
    paraphrases: Annotated[
        Path | None,
        typer.Option(
            help="A review file of `wardround tasks paraphrase`: accepted lines are used."
        ),
    ] = None,
) -> None:
    """Make questions about a database, with queries that were run."""
    from rich.console import Console
    from rich.progress import Progress

    from wardround.apps.command_line.data.interrupt import told_when_stopped
    from wardround.authoring.ehrsql.paraphrases import accepted_wordings
    from wardround.authoring.ehrsql.questions import make_ehrsql

    now = None if current_time is None else _time(current_time)
    more = accepted_wordings(paraphrases) if paraphrases else {}
    stopped = told_when_stopped(f"Stopped; {to} is not made.")
    with stopped, Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("questions", total=None)
        made = make_ehrsql(
            database,
            to,
            seed,
            size,
            now,
            lambda wanted: progress.update(bar, advance=1, total=wanted),
            more,
        )
    _show(made)
    typer.echo(f"Written to {to}.")


def _show(made: "MadeSet") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table("split", *(title for title, _ in _COLUMNS), box=SIMPLE_HEAD)
    for split, figures in made.statistics.items():
        row = figures.as_json()
        table.add_row(split, *(f"{row[name]:,}" for _, name in _COLUMNS))
    Console().print(table)
    if made.tied:
        typer.echo(
            f"{made.tied:,} questions leave the choice among rows of one time to the engine."
        )
    if made.short:
        names = ", ".join(f"{id} ({count:,})" for id, count in made.short.items())
        typer.echo(f"Not enough in the records for: {names}.")


def _time(text: str) -> datetime:
    from wardround.core.option_types import EXAMPLE_TIME, TIME_FORMAT, is_time

    if not is_time(text):
        raise UserError(f"{text!r} is no time written as {EXAMPLE_TIME}.")
    return datetime.strptime(text, TIME_FORMAT)
