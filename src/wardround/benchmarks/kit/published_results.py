"""Published results scored again, as runs that can be compared with one's own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wardround.benchmarks.kit.compared_runs import Settings, run_settings
from wardround.benchmarks.kit.groups import Trials
from wardround.benchmarks.kit.tables import filled
from wardround.core.benchmark import Summary, Table
from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.task import Defect
from wardround.core.work import WorkResult

_SHOWN_IDS = 5
_NOWHERE = ByteRange(0, 0)


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """The settings of a run, own or published, and the records of its trials."""

    settings: Settings
    records: Trials


def own_run(folder: Path, benchmark: str) -> ScoredRun:
    """Reads a run of one's own.

    Raises:
        UserError: the folder is not a run of the benchmark.
    """
    return ScoredRun(run_settings(folder, benchmark), tuple(read_trials(folder)))


def published_trial(
    task: str,
    outcome: Outcome,
    scores: Mapping[str, float],
    labels: Mapping[str, str],
    counts: Mapping[str, int],
    measures: Mapping[str, Any],
    *,
    ending: str,
    reason: str = "",
) -> TrialRecord:
    """The record of a published trial, of which no seed, time, cost or trajectory is known."""
    return TrialRecord(
        task=task,
        trial=0,
        seed=0,
        outcome=outcome,
        reason=reason,
        ending=ending,
        scores=scores,
        labels=labels,
        counts=counts,
        use={},
        seconds=0.0,
        trajectory=_NOWHERE,
        measures=measures,
    )


def summary_of(
    runs: Sequence[ScoredRun],
    summarize: Callable[[Trials], Summary],
    compare: Callable[[Sequence[tuple[Settings, Trials]]], Summary],
) -> Summary:
    """The report of one run, or the comparison of several."""
    if len(runs) == 1:
        return summarize(runs[0].records)
    return compare([(run.settings, run.records) for run in runs])


def scored_result(
    summary: Summary,
    published: Table | None,
    *,
    written: Path | None,
    plots: Path | None,
    problems: Iterable[str],
    values: Mapping[str, Any],
    long: Iterable[str] = (),
) -> WorkResult:
    """The result of `score`: the published figures beside those that are computed again.

    Args:
        summary: tables and figures of the runs.
        published: the published figures beside the recomputed ones; None if nothing was.
        written: the folder below which everything was written in the published form.
        plots: a folder for the figures.
        problems: what could not be read or scored.
        values: more values for `--json`.
        long: the names of tables that come last and are not printed.
    """
    first = filled({"published": published}) if published is not None else {}
    tables = {**first, **summary.tables}
    shown = tuple(name for name in tables if name in set(long))
    ordered = dict(sorted(tables.items(), key=lambda pair: pair[0] in shown))
    return WorkResult(
        replace(summary, tables=ordered),
        notes=(f"Written below {written}.",) if written else (),
        problems=tuple(problems),
        values=values,
        long=shown,
        plots=plots,
    )


def defect_lines(defects: Iterable[Defect]) -> Iterator[str]:
    """Yields each defect as a line."""
    return (f"{defect.where}: {defect.reason}" for defect in defects)


def first_ids(ids: Sequence[str]) -> str:
    """Lists the first ids, and counts the rest.

    >>> first_ids([f"t{n}" for n in range(7)])
    't0, t1, t2, t3, t4 and 2 more'
    """
    more = len(ids) - _SHOWN_IDS
    return ", ".join(ids[:_SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")
