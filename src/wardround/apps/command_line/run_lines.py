"""The lines that describe a run while it goes on."""

from collections.abc import Iterator

from wardround.core.record import TrialRecord
from wardround.runs.batch import pass_rate
from wardround.runs.start import Started


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
