"""Scores published result folders beside each other and beside runs: `wardround score assist`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter

from wardround.benchmarks.assist.comparison import compare
from wardround.benchmarks.assist.declaration import BENCHMARK, PAPER, ScoreOptions
from wardround.benchmarks.assist.published.results import (
    SHOWN,
    PublishedRun,
    load_run,
    published_means,
    write_results,
)
from wardround.benchmarks.assist.report import summarize
from wardround.benchmarks.assist.scorer import AssistMeasures, TurnMeasures
from wardround.benchmarks.assist.tables.compared_runs import Settings, names_of
from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.run_names import file_name
from wardround.benchmarks.kit.run_settings import run_settings
from wardround.core.benchmark import Table
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.work import WorkContext, WorkResult

_MEASURES = TypeAdapter(AssistMeasures)
# The name of a published folder: language, model, time.
_FOLDER = re.compile(r"results_(?:en|zh)_(?P<model>.+?)_\d[\d_T:.-]*")


def score(options: ScoreOptions, context: WorkContext[object]) -> WorkResult:
    """Aggregates published turns again, and compares them.

    Raises:
        UserError: a folder cannot be read.
    """
    runs = [load_run(folder, options.threshold) for folder in options.folders]
    published_runs = [(_described(run), run.records) for run in runs]
    own_runs = ((run_settings(f, BENCHMARK.name), tuple(read_trials(f))) for f in options.run)
    named = [*published_runs, *own_runs]
    one = len(named) == 1
    summary = summarize(named[0][1], PAPER) if one else compare(named, PAPER)
    published = {"published": _published_table(runs)} if runs else {}
    if options.to:
        names = names_of([settings for settings, _ in named])
        for name, (_, records) in zip(names, named, strict=True):
            _write(options.to / file_name(name), records)
    return WorkResult(
        replace(summary, tables={**published, **summary.tables}),
        notes=(f"Written below {options.to}.",) if options.to else (),
        problems=tuple(_problems(runs)),
        values={"sessions": [len(records) for _, records in named]},
        plots=options.plots,
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
    found = _FOLDER.fullmatch(run.name)
    agent = found["model"] if found else run.name
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
        yield from (f"{run.name}: {defect.where}: {defect.reason}" for defect in run.defects)
        _, missing = published_means(run)
        if missing:
            yield f"{run.name} has {missing} turns without a score; their sessions are bounds."
