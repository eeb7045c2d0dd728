"""Shows the progress of a run and the time that remains: as lines; on a terminal, as a bar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import typer

from wardround.core.record import TrialRecord
from wardround.runs.batch import pass_rate
from wardround.runs.start import Listener, Started

_LINE_EVERY = 60.0  # seconds


@contextmanager
def watched(*, quiet: bool) -> Iterator[Listener]:
    """A listener that shows a run on standard error, or only its cost when `quiet`."""
    if quiet:
        yield Listener(_say_notices, lambda record: None)
    elif sys.stderr.isatty():
        yield from _bar()
    else:
        yield from _lines()


def _lines() -> Iterator[Listener]:
    records: list[TrialRecord] = []
    before, total, begun, last = 0, 0, monotonic(), monotonic()

    def started(run: Started) -> None:
        nonlocal before, total, begun, last
        records.extend(run.done)
        before, total = len(run.done), run.jobs + len(run.done)
        begun = last = monotonic()
        for line in headlines(run):
            _say(line)

    def finished(record: TrialRecord) -> None:
        nonlocal last
        records.append(record)
        now = monotonic()
        if now - last >= _LINE_EVERY and len(records) < total:
            last = now
            seconds = (now - begun) / (len(records) - before) * (total - len(records))
            left = f"about {max(1, round(seconds / 60)):,} min left"
            _say(f"{len(records)} of {total} trials done, {status_line(records)}, {left}")

    try:
        yield Listener(started, finished, _say)
    finally:
        if records:
            _say(f"{len(records)} trials done, {status_line(records)}")


def _bar() -> Iterator[Listener]:
    # Imported late: these take a tenth of the start-up time.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[status]}"),
        TimeRemainingColumn(),
        console=console,
    )
    records: list[TrialRecord] = []
    trials = progress.add_task("trials", total=None, status="")

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    def started(run: Started) -> None:
        for line in headlines(run):
            say(line)
        records.extend(run.done)
        total = run.jobs + len(run.done)
        progress.update(trials, total=total, completed=len(run.done), status=status_line(records))
        progress.start()

    def finished(record: TrialRecord) -> None:
        records.append(record)
        progress.update(trials, advance=1, status=status_line(records))

    try:
        yield Listener(started, finished, say)
    finally:
        progress.stop()


def _say_notices(run: Started) -> None:
    for line in notices(run):
        _say(line)


def _say(line: str) -> None:
    typer.echo(line, err=True)


def headlines(run: Started) -> Iterator[str]:
    """The lines before the first trial."""
    for defect in run.defects:
        yield f"Left out {defect.where}: {defect.reason}"
    yield from notices(run)
    finished = f", {len(run.done)} done before" if run.done else ""
    yield f"{run.jobs} trials to run in {run.folder}{finished}"


def status_line(records: list[TrialRecord]) -> str:
    """Pass rate, cost and number of uncounted trials, in a few words."""
    rate = pass_rate(records)
    words = ["no trial scored" if rate is None else f"{rate:.1%} passed"]
    costs = [use.cost for record in records for use in record.use.values()]
    if costs:
        unknown = any(cost is None for cost in costs)
        words.append("cost unknown" if unknown else f"${sum(c or 0 for c in costs):.2f}")
    if uncounted := sum(not record.outcome.scored for record in records):
        words.append(f"{uncounted} not counted")
    return ", ".join(words)


def notices(run: Started) -> Iterator[str]:
    """The lines on the current times and the cost of a run."""
    yield from run.times
    if run.cost:
        yield run.cost
