"""Scores published result folders beside each other and beside runs: `wardround score assist`."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter

from wardround.benchmarks.assist.comparison import compare
from wardround.benchmarks.assist.declaration import BENCHMARK, PAPER, ScoreOptions
from wardround.benchmarks.assist.report.session_runs import names_of
from wardround.benchmarks.assist.report.summary import summarize
from wardround.benchmarks.assist.results.result_folders import (
    SHOWN,
    PublishedRun,
    load_run,
    published_means,
    write_results,
)
from wardround.benchmarks.assist.scorer import AssistMeasures, TurnMeasures
from wardround.benchmarks.kit.compared_runs import Settings, file_name
from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.published_results import (
    ScoredRun,
    defect_lines,
    own_run,
    scored_result,
    summary_of,
)
from wardround.core.benchmark import Table
from wardround.core.record import TrialRecord
from wardround.core.work import WorkContext, WorkResult

_MEASURES = TypeAdapter(AssistMeasures)
# The name of a published folder: language, model, time.
_FOLDER = re.compile(r"results_(?:en|zh)_(?P<model>.+?)_\d[\d_T:.-]*")


def score(options: ScoreOptions, context: WorkContext[object]) -> WorkResult:
    """Aggregates published turns again, and compares them.

    Raises:
        UserError: a folder cannot be read.
    """
    published = [load_run(folder, options.threshold) for folder in options.folders]
    runs = [ScoredRun(_described(run), run.records) for run in published]
    runs += [own_run(folder, BENCHMARK.name) for folder in options.run]
    if options.to:
        for name, run in zip(names_of([run.settings for run in runs]), runs, strict=True):
            _write(options.to / file_name(name), run.records)
    return scored_result(
        summary_of(runs, partial(summarize, grading=PAPER), partial(compare, grading=PAPER)),
        _published_table(published) if published else None,
        written=options.to,
        plots=options.plots,
        problems=_problems(published),
        values={"sessions": [len(run.records) for run in runs]},
    )


def _published_table(runs: Sequence[PublishedRun]) -> Table:
    """Each run by the published rule, which leaves out turns without a score, and by ours."""
    rows = tuple(_published_row(run) for run in runs)
    columns = (
        "Run", "Turns", "Without a score", "mRS, published rule", "mRS, lower", "mRS, upper",
        *SHOWN,
    )  # fmt: skip
    note = (
        "Percent. The published rule leaves out turns whose judge failed; lower counts their items "
        "as failed, upper as passed. The last columns are read as published, not computed."
    )
    return Table("Published results, aggregated again", columns, rows, note)


def _published_row(run: PublishedRun) -> tuple[Cell, ...]:
    mean, missing = published_means(run)
    measures = (_MEASURES.validate_python(record.measures) for record in run.records)
    turns = [turn for each in measures for turn in each.turns]
    shares = ([of(turn, PAPER) for turn in turns] for of in (TurnMeasures.low, TurnMeasures.high))
    bounds = (round(100 * float(fmean(each)), 1) if each else None for each in shares)
    shown = (_shown(run, name) for name in SHOWN)
    return (run.name, len(run.turns), missing, mean, *bounds, *shown)


def _shown(run: PublishedRun, name: str) -> float | None:
    values = [value for turn in run.turns if (value := getattr(turn, name)) is not None]
    return round(fmean(values), 3) if values else None


def _described(run: PublishedRun) -> Settings:
    """A published run's settings, as far as its turns and the name of its folder tell them.

    Runs of a model in two languages have one agent, so that they are compared as a pair.
    """
    measures = run.records[0].measures if run.records else {}
    match = _FOLDER.fullmatch(run.name)
    agent = match["model"] if match else run.name
    return {"agent": agent, "language": measures.get("settings", {}).get("language", "")}


def _write(folder: Path, records: Sequence[TrialRecord]) -> None:
    sessions = (
        (each.task, each.labels, _MEASURES.validate_python(each.measures))
        for each in records
        if each.trial == 0 and each.measures
    )
    write_results(folder, sessions)


def _problems(runs: Sequence[PublishedRun]) -> Iterator[str]:
    for run in runs:
        yield from (f"{run.name}: {line}" for line in defect_lines(run.defects))
        _, missing = published_means(run)
        if missing:
            yield f"{run.name} has {missing} turns without a score; their sessions are bounds."
