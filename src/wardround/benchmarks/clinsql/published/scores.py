"""Scores published submissions and verdict files, and writes them: `wardround score clinsql`."""

from asyncio import run
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson

from wardround.benchmarks.clinsql.analysis.item_scores import CohortTrial, items_table
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.comparison import compare
from wardround.benchmarks.clinsql.declaration import BENCHMARK, PAPER, CohortOptions, ScoreOptions
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.grading.error_classifier import ErrorClassifier
from wardround.benchmarks.clinsql.grading.leaf_verdicts import UNREADABLE_ONE, chosen
from wardround.benchmarks.clinsql.published.item_folders import chosen_items, load_items
from wardround.benchmarks.clinsql.published.models import PublishedModel, read_models
from wardround.benchmarks.clinsql.published.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.published.runs import SUMMARY
from wardround.benchmarks.clinsql.published.trials import (
    GradedModel,
    GradedSubmission,
    PublishedResults,
    graded_model,
    graded_run,
)
from wardround.benchmarks.clinsql.published.verdict_files import DETAILS, SCORES
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.benchmarks.clinsql.report import (
    error_tables,
    examples_by_class,
    failed_trials,
    summarize,
)
from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.benchmarks.clinsql.tasks import LEVELS, TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.kit.compared_runs import file_name, system
from wardround.benchmarks.kit.groups import Cell, grouped_by
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.published_results import (
    ScoredRun,
    defect_lines,
    first_ids,
    scored_result,
    summary_of,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.verdict import Verdict
from wardround.core.work import WorkContext, WorkResult
from wardround.models.roles import Models
from wardround.scoring.rubrics.reader import rubric_json

_LONG = ("scenarios", "table_8_9", "table_10_12", "diverging", "items", "failed_items")
_ROWS = 5
_COLUMNS = (
    "Class", "Model", "Item", "Question", "Query", "Gold query", "Failed requirements", "Result",
    "Gold result",
)  # fmt: skip

BY_LEVEL, BY_SCENARIO = "difficulty_scoring_results.json", "scenario_scoring_results.json"


def score(options: ScoreOptions, context: WorkContext[Models]) -> WorkResult:
    """Scores published models and runs on their common items.

    Raises:
        UserError: a folder cannot be read, or no item is common to all.
    """
    tasks = chosen_items(load_items(options.tasks), options)
    published = read_models(options.folders) if options.folders else None
    models = published.models if published else ()
    graded = run(_graded(models, tasks, options, context))
    common = set.intersection(*(model.items for model in graded)) if graded else set()
    if not common:
        raise UserError("The folders have no item in common with the tasks; check --tasks.")
    shown = [model.with_items(common) for model in graded]
    if options.to:
        for model in shown:
            write_model(options.to, file_name(system(model.settings)), model.graded)
    summary = _summary(shown, options)
    items = items_table([tasks[item] for item in sorted(common)])
    return scored_result(
        replace(summary, tables={**summary.tables, "items": items}),
        _published_table(models, tasks),
        written=options.to,
        plots=options.plots,
        problems=(
            *defect_lines(published.defects if published else ()),
            *_missing(graded, set(tasks)),
            *(() if options.database else _ungraded(models, tasks)),
            *_undecided(shown, options),
            *_differences(models, tasks),
        ),
        values={"items": sorted(common)},
        long=_LONG,
    )


async def _graded(
    models: Sequence[PublishedModel],
    tasks: dict[str, ClinTask],
    options: ScoreOptions,
    context: WorkContext[Models],
) -> list[GradedModel]:
    opened = closing(_opened(options, context)) if options.database else nullcontext()
    named = context.models.find("classifier")
    classifier = ErrorClassifier(named) if named else None
    with opened as benchmark, _executions(options) as executions:
        graded, results = [], PublishedResults()
        for number, model in enumerate(models):
            context.progress(number, len(models), model.name)
            graded.append(
                await graded_model(
                    model, tasks, results, benchmark, options.grading or "", classifier
                )
            )
        await context.models.close()
        return graded + [graded_run(path, tasks, executions) for path in options.run]


def _opened(options: ScoreOptions, context: WorkContext[Models]) -> CohortBenchmark:
    shared = CohortOptions.model_fields.keys() & ScoreOptions.model_fields.keys()
    chosen = CohortOptions(**options.model_dump(include=set(shared)))
    databases = {"mimic_iv": options.database or ""}
    return CohortBenchmark.open(Opening(chosen, databases, BENCHMARK.limits, context.models))


@contextmanager
def _executions(options: ScoreOptions) -> Iterator[Executions | None]:
    """Runs the queries of runs again, whose results are written; None if none are."""
    if not (options.database and options.to and options.run):
        yield None
        return
    with closing(open_records(options.database)) as database:
        yield Executions(database, BENCHMARK.limits.statement_seconds)


def _summary(models: Sequence[GradedModel], options: ScoreOptions) -> Summary:
    """The report or comparison, with the errors of all models together."""
    trials = measured_in_bounds((r for m in models for r in m.records), CohortMeasures)
    failed = failed_trials(trials, options.sample, options.seed)
    report = partial(summarize, sampled=options.sample, seed=options.seed)
    summary = summary_of([ScoredRun(m.settings, m.records) for m in models], report, compare)
    errors = error_tables(trials, options.sample, options.seed)
    shown = {"failed_items": shown_examples(models, failed)} if failed else {}
    return replace(summary, tables={**summary.tables, **errors, **shown})


def _published_table(models: Iterable[PublishedModel], tasks: dict[str, ClinTask]) -> Table:
    """Counts of published scores that the published rule gives from the published leaves."""
    rows: list[tuple[Cell, ...]] = []
    for model in models:
        known = [s for id, s in model.samples.items() if id in tasks and s.grades]
        same = sum(not any(sample.differences(tasks[sample.item])) for sample in known)
        if known:
            rows.append((model.name, len(known), same, len(known) - same))
    columns = ("Model", "Samples", "Same score", "Other score")
    note = "Published scores against the published rule over the published verdicts on leaves."
    return Table("Published scores, folded again", columns, tuple(rows), note)


def _differences(models: Iterable[PublishedModel], tasks: dict[str, ClinTask]) -> Iterator[str]:
    for model in models:
        for id, sample in model.samples.items():
            if id in tasks:
                yield from (f"{model.name}/{id}: {text}" for text in sample.differences(tasks[id]))


def _missing(graded: Sequence[GradedModel], ids: set[str]) -> Iterator[str]:
    for model in graded:
        if missing := sorted(ids - model.items):
            yield f"{model.name} lacks {len(missing)} of {len(ids)} items: {first_ids(missing)}"


def _ungraded(models: Iterable[PublishedModel], tasks: Mapping[str, ClinTask]) -> Iterator[str]:
    for model in models:
        left_out = sorted((set(model.items) - set(model.graded_items)) & tasks.keys())
        if left_out:
            yield (
                f"{model.name} has no published grades of {len(left_out)} items, which are left "
                f"out; --database lets programs run them: {first_ids(left_out)}"
            )


def _undecided(graded: Sequence[GradedModel], options: ScoreOptions) -> Iterator[str]:
    for model in graded:
        bare = sorted(each.task.id for each in model.graded if not _has_queries(each.verdicts))
        if bare and not options.database:
            yield (
                f"{model.name} has no verdicts on queries of {len(bare)} items; --database lets "
                f"programs run them: {first_ids(bare)}"
            )


def _has_queries(verdicts: Iterable[Verdict]) -> bool:
    return any(verdict.item.startswith("sql:") for verdict in verdicts)


def shown_examples(models: Sequence[GradedModel], failed: Sequence[CohortTrial]) -> Table:
    """Question, query and result of an example of each class, beside the gold's.

    Args:
        models: the models and runs that the failed trials are of.
        failed: the failed trials.
    """
    graded = {id(each.record): (model.name, each) for model in models for each in model.graded}
    rows = (
        (name, *_example_cells(*graded[id(trial.record)], trial.measures.failed[name]))
        for name, trial in examples_by_class(failed).items()
    )
    note = f"Results are cut to {_ROWS} rows."
    return Table("Failed items shown (Figures 12 to 14)", _COLUMNS, tuple(rows), note)


def _example_cells(model: str, graded: GradedSubmission, items: Iterable[str]) -> Iterator[Cell]:
    gold = graded.task.hidden
    yield from (model, graded.task.id, graded.task.public.question)
    yield from (graded.submission.sql, gold.sql)
    yield "\n".join(_requirements(graded.task, set(items)))
    yield from (_first_rows(graded.submission.result), _first_rows(gold.result))


def _requirements(task: ClinTask, items: set[str]) -> Iterator[str]:
    for tree in TREES:
        for leaf in task.hidden.rubric(tree).leaves():
            if leaf_item(tree, leaf.id) in items:
                yield leaf.requirement


def _first_rows(table: CsvTable) -> str:
    return write_csv(replace(table, rows=table.rows[:_ROWS])).rstrip("\n")


def write_model(folder: Path, model: str, graded: Iterable[GradedSubmission]) -> None:
    """Writes a model's submissions below `inference` and its grades below `evaluation`."""
    by_split = grouped_by(graded, lambda each: each.submission.split or "test")
    for split, group in by_split.items():
        for each in filter(lambda each: each.at_hand, group):
            _write_submission(folder / "inference" / model / split, model, each)
        _write_grades(folder / "evaluation" / model / split, model, split, group)


def item_path(folder: Path, each: GradedSubmission) -> Path:
    """The folder of an item below a split's."""
    scenario, level, number = each.task.id.split("/")
    return folder / scenario / f"{level}_level_queries" / number


def _write_submission(folder: Path, model: str, each: GradedSubmission) -> None:
    path = item_path(folder, each)
    make_folder(path)
    task, submission, number = each.task, each.submission, each.task.id.rpartition("/")[2]
    write_whole(path / f"query_{number}.txt", task.public.question.encode())
    write_whole(path / f"sql_{number}.sql", submission.sql.encode())
    write_whole(path / f"result_{number}.csv", write_csv(submission.result).encode())
    for tree in TREES:
        _write(path / f"{tree}_rubric_tree.json", rubric_json(task.hidden.rubric(tree)))
    last = submission.attempts[-1] if submission.attempts else None
    attempts = [
        {
            "attempt": number,
            "success": attempt.succeeded,
            "row_count": attempt.rows,
            "error": attempt.error or None,
            **({"sql": attempt.sql} if attempt.sql else {}),
        }
        for number, attempt in enumerate(submission.attempts, start=1)
    ]
    summary = {
        "query": task.public.question,
        "final_sql": submission.sql,
        "execution_success": bool(last and last.succeeded),
        "row_count": last.rows if last else 0,
        "final_error": (last.error or None) if last else None,
        "model": model,
        "refinement_attempts": attempts,
    }
    _write(path / SUMMARY, summary)


def _write_grades(folder: Path, model: str, split: str, group: Sequence[GradedSubmission]) -> None:
    make_folder(folder)
    samples = [_sample(split, each) for each in group]
    details = [
        {**sample, **{f"{tree}_evaluations": _grades(each, tree) for tree in TREES}}
        for sample, each in zip(samples, group, strict=True)
    ]
    about = {"experiment_model": model, "split": split}
    everything = {"category": "all_categories", "difficulty": "all"}
    levels = _by_level(group)
    summary = {**about, **everything, **_means(group), "difficulty_breakdown": levels}
    scenarios = grouped_by(group, lambda each: each.task.labels.get("scenario", ""))
    by_scenario = [
        {"category": name, **_means(part), "difficulty_breakdown": _by_level(part)}
        for name, part in sorted(scenarios.items())
    ]
    _write(folder / SCORES, {"summary": summary, "samples": samples})
    _write(folder / DETAILS, {"summary": summary, "detailed_evaluations": details})
    _write(folder / BY_LEVEL, {"summary": {**about, **_means(group)}, "difficulties": levels})
    _write(folder / BY_SCENARIO, {**about, "scenarios": by_scenario})


def _sample(split: str, each: GradedSubmission) -> dict[str, Any]:
    path = item_path(Path(split), each).as_posix()
    return {"sample_path": path, **{f"{t}_score": round(s, 6) for t, s in _scores(each).items()}}


def _scores(each: GradedSubmission) -> Mapping[Tree, float]:
    """The scores of both roots in `paper`; undecided leaves count as failed."""
    low: dict[Tree, float] = {tree: each.record.measures[tree][PAPER]["low"] for tree in TREES}
    return low


def _grades(each: GradedSubmission, tree: Tree) -> dict[str, dict[str, Any]]:
    best = chosen(each.verdicts, PAPER)
    return {
        leaf.id: {
            "score": 1.0 if verdict.passed or _is_unreadable_one(verdict) else 0.0,
            "explanation": verdict.reason.removeprefix(f"{UNREADABLE_ONE}: "),
            "critical": leaf.critical,
            "weight": leaf.weight,
        }
        for leaf in each.task.hidden.rubric(tree).leaves()
        if (verdict := best.get(leaf_item(tree, leaf.id)))
        and (verdict.state != "undecided" or _is_unreadable_one(verdict))
    }


def _is_unreadable_one(verdict: Verdict) -> bool:
    return verdict.reason.startswith(UNREADABLE_ONE)


def _by_level(group: Sequence[GradedSubmission]) -> dict[str, dict[str, Any]]:
    levels = {name: [e for e in group if e.task.labels.get("level") == name] for name in LEVELS}
    return {name: _means(part) for name, part in levels.items() if part}


def _means(group: Sequence[GradedSubmission]) -> dict[str, Any]:
    scores = [_scores(each) for each in group]
    return {
        "total_samples": len(group),
        "average_sql_score": round(fmean(score["sql"] for score in scores), 6),
        "average_results_score": round(fmean(score["results"] for score in scores), 6),
    }


def _write(path: Path, content: Any) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
