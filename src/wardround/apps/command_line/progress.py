"""A progress bar for a run, with pass rate, cost and time left."""

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

from wardround.core.record import TrialRecord
from wardround.runs.batch import pass_rate
from wardround.runs.start import Listener, Started


@contextmanager
def watched(*, quiet: bool) -> Iterator[Listener]:
    """A listener that shows a run on standard error; silent when `quiet`."""
    console = Console(stderr=True, quiet=quiet)
    progress = Progress(
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[standing]}"),
        TimeRemainingColumn(),
        console=console,
    )
    records: list[TrialRecord] = []
    bar = progress.add_task("trials", total=None, standing="")

    def started(run: Started) -> None:
        for defect in run.defects:
            console.print(f"Left out {defect.where}: {defect.reason}", markup=False, soft_wrap=True)
        console.print(
            f"{run.jobs} trials to run in {run.folder}"
            + (f", {len(run.done)} done before" if run.done else ""),
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        records.extend(run.done)
        total = run.jobs + len(run.done)
        progress.update(bar, total=total, completed=len(run.done), standing=standing(records))
        progress.start()

    def finished(record: TrialRecord) -> None:
        records.append(record)
        progress.update(bar, advance=1, standing=standing(records))

    def training(step: str) -> None:
        console.print(step, markup=False, highlight=False, soft_wrap=True)

    try:
        yield Listener(started, finished, training)
    finally:
        progress.stop()


def standing(records: list[TrialRecord]) -> str:
    """Pass rate, cost, and what did not count, in a few words."""
    rate = pass_rate(records)
    words = ["no trial scored" if rate is None else f"{rate:.1%} passed"]
    costs = [use.cost for record in records for use in record.use.values()]
    if costs:
        unknown = any(cost is None for cost in costs)
        words.append("cost unknown" if unknown else f"${sum(c or 0 for c in costs):.2f}")
    if uncounted := sum(not record.outcome.scored for record in records):
        words.append(f"{uncounted} not counted")
    return ", ".join(words)
