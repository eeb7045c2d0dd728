"""Scores published submissions and verdict files: `wardround score clinsql`."""

from asyncio import run
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial

from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.comparison import compare
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions, ScoreOptions
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.failures.error_classifier import ErrorClassifier
from wardround.benchmarks.clinsql.item_scores import CohortTrial, items_table
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, leaf_item
from wardround.benchmarks.clinsql.items.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.benchmarks.clinsql.report import (
    error_tables,
    examples_by_class,
    failed_trials,
    summarize,
)
from wardround.benchmarks.clinsql.results.model_writer import write_model
from wardround.benchmarks.clinsql.results.models import PublishedModel, read_models
from wardround.benchmarks.clinsql.results.trials import (
    GradedModel,
    GradedSubmission,
    PublishedResults,
    graded_model,
    graded_run,
)
from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.benchmarks.clinsql.tasks import chosen_items, load_tasks
from wardround.benchmarks.kit.compared_runs import file_name, system
from wardround.benchmarks.kit.groups import Cell
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
from wardround.core.verdict import Verdict
from wardround.core.work import WorkContext, WorkResult
from wardround.models.roles import Models

_LONG = ("scenarios", "table_8_9", "table_10_12", "diverging", "items", "failed_items")
_ROWS = 5
_COLUMNS = (
    "Class", "Model", "Item", "Question", "Query", "Gold query", "Failed requirements", "Result",
    "Gold result",
)  # fmt: skip


def score(options: ScoreOptions, context: WorkContext[Models]) -> WorkResult:
    """Scores published models and runs on their common items.

    Raises:
        UserError: a folder cannot be read, or no item is common to all.
    """
    tasks = chosen_items(load_tasks(options.tasks), options)
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
    """Opens the database for running a run's queries again; None if no results are written."""
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
