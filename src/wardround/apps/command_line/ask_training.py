"""The parser behind `wardround ask`: trained once for each state of a database."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from wardround.ehr.database import Database

# The share of the training that is done when a step begins, in percent.
STEPS = {"making questions": 0, "reading": 22, "learning": 42, "checking": 51}

# The agent that answers; it declares how in the group `wardround.answers`.
AGENT = "parser"


def trained(database: "Database", record_map: Path | None) -> Path:
    """The file trained on questions about the database, or else on its records alone."""
    from wardround.core.declared import agent_declaration
    from wardround.core.errors import NoPairsError
    from wardround.ehr.records import records_of
    from wardround.runs.training import Training, is_trained, trained_file

    agent, fingerprint = agent_declaration(AGENT), database.fingerprint()

    def of(pairs: str) -> Training:
        return Training(agent.name, agent.train, pairs, format=agent.trained_format)

    made = of("made")
    records = of(f"records={record_map.resolve()}" if record_map else "records")
    with _training_bar() as progress:
        if not record_map and is_trained(made, fingerprint):
            return trained_file(made, database.url, fingerprint, progress)
        if not is_trained(records, fingerprint):
            records_of(database, record_map)  # a mistake is reported before the training begins
        if not record_map and not is_trained(records, fingerprint):
            try:
                return trained_file(made, database.url, fingerprint, progress)
            except NoPairsError as error:
                progress(f"{error} The grammar alone reads questions.")
        return trained_file(records, database.url, fingerprint, progress)


@contextmanager
def _training_bar() -> Iterator[Callable[[str], None]]:
    """Shows the steps of training: in a bar with the time left, or as lines without a terminal."""
    if not sys.stderr.isatty():
        yield lambda line: typer.echo(line, err=True)
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=100, visible=False)
        begun = monotonic()

        def show(line: str) -> None:
            done = STEPS.get(line.removesuffix(" …"))
            if done is None:
                bar.console.print(line, soft_wrap=True)
                return
            total = total_seconds(done, monotonic() - begun)
            description = f"{line} about {total} s in all" if total else line
            bar.update(task, description=description, completed=done, visible=True)

        yield show


def total_seconds(done: int, seconds: float) -> int | None:
    """The seconds of a whole training, by what has been done of it; None before the first step.

    >>> total_seconds(20, 12.5)
    62

    Args:
        done: What has been done, in percent.
        seconds: How long that took.
    """
    return round(seconds * 100 / done) if done else None
