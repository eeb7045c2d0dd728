"""Shows the progress of a run as lines, or on a terminal as a bar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from wardround.core.record import TrialRecord
from wardround.runs.batch import pass_rate
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


def headlines(run: Started) -> Iterator[str]:
    """The lines before the first trial."""
    for defect in run.defects:
        yield f"Left out {defect.where}: {defect.reason}"
    yield from _notices(run)
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


def _notices(run: Started) -> Iterator[str]:
    yield from run.times
    if run.cost:
        yield run.cost


def _say_notices(run: Started) -> None:
    for line in _notices(run):
        _say(line)


def _say(line: str) -> None:
    typer.echo(line, err=True)
