"""A progress bar with pass rate, cost and remaining time, for a run on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from wardround.apps.command_line.run_lines import headlines, status_line
from wardround.core.record import TrialRecord
from wardround.runs.start import Listener, Started


@contextmanager
def bar() -> Iterator[Listener]:
    """A listener that shows a run on standard error."""
    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[standing]}"),
        TimeRemainingColumn(),
        console=console,
    )
    records: list[TrialRecord] = []
    trials = progress.add_task("trials", total=None, standing="")

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    def started(run: Started) -> None:
        for line in headlines(run):
            say(line)
        records.extend(run.done)
        total = run.jobs + len(run.done)
        progress.update(trials, total=total, completed=len(run.done), standing=status_line(records))
        progress.start()

    def finished(record: TrialRecord) -> None:
        records.append(record)
        progress.update(trials, advance=1, standing=status_line(records))

    try:
        yield Listener(started, finished, say)
    finally:
        progress.stop()
