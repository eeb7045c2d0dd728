"""Shows the progress of a run as lines, or on a terminal as a bar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from wardround.apps.command_line.run_lines import headlines, notices, status_line
from wardround.core.record import TrialRecord
from wardround.runs.start import Listener, Started


@contextmanager
def watched(*, quiet: bool) -> Iterator[Listener]:
    """A listener that shows a run on standard error, or only its cost when `quiet`."""
    if quiet:
        yield Listener(_say_notices, lambda record: None)
    elif sys.stderr.isatty():
        # Imported late: the bar's libraries take a tenth of the start-up time.
        from wardround.apps.command_line.progress_bar import bar

        with bar() as listener:
            yield listener
    else:
        yield from _lines()


def _lines() -> Iterator[Listener]:
    records: list[TrialRecord] = []

    def started(run: Started) -> None:
        records.extend(run.done)
        for line in headlines(run):
            _say(line)

    try:
        yield Listener(started, records.append, _say)
    finally:
        if records:
            _say(f"{len(records)} trials done, {status_line(records)}")


def _say_notices(run: Started) -> None:
    for line in notices(run):
        _say(line)


def _say(line: str) -> None:
    typer.echo(line, err=True)
