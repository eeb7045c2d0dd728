"""Scores published submissions and verdict files: `wardround score clinsql`."""

from asyncio import run
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace

from wardround.benchmarks.clinsql.analysis.item_statistics import statistics_table
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.comparison import compare
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions, ScoreOptions
from wardround.benchmarks.clinsql.errors.classifier import ErrorClassifier
from wardround.benchmarks.clinsql.errors.examples import shown_examples
from wardround.benchmarks.clinsql.errors.tables import failed_trials
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.published.checks import PublishedResults
from wardround.benchmarks.clinsql.published.item_folders import load_items
from wardround.benchmarks.clinsql.published.models import PublishedModel, read_models
from wardround.benchmarks.clinsql.published.trials import GradedModel, graded_model, graded_run
from wardround.benchmarks.clinsql.published.writer import write_model
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.benchmarks.clinsql.report import error_tables, summarize
from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.benchmarks.clinsql.tasks import ClinTask
from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.run_names import file_name, system
from wardround.core.benchmark import Summary, Table
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.task import Defect
from wardround.core.verdict import Verdict
from wardround.core.work import WorkContext, WorkResult
from wardround.models.roles import Models

SHOWN = 5
_LONG = ("scenarios", "table_8_9", "table_10_12", "diverging", "items", "failed_items")
_CHOICES = {"split", "scenario", "level"}


def score(options: ScoreOptions, context: WorkContext[Models]) -> WorkResult:
    """Scores published models and runs on their common items.

    Raises:
        UserError: A folder cannot be read, or no item is common to all.
    """
    tasks = _tasks(options)
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
    summary, checked = _summary(shown, options), _published_table(models, tasks)
    items = statistics_table([tasks[item] for item in sorted(common)])
    tables = {"published": checked, **summary.tables, "items": items}
    if not checked.rows:
        del tables["published"]
    long = tuple(name for name in tables if name in _LONG)
    return WorkResult(
        # Long tables come last, and are not printed.
        replace(summary, tables=dict(sorted(tables.items(), key=lambda pair: pair[0] in long))),
        notes=(f"Written below {options.to}.",) if options.to else (),
        problems=(
            *_defects(published.defects if published else ()),
            *_missing(graded, set(tasks)),
            *(() if options.database else _ungraded(models, tasks)),
            *_undecided(shown, options),
            *_differences(models, tasks),
        ),
        values={"items": sorted(common)},
        long=long,
        plots=options.plots,
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


def _tasks(options: ScoreOptions) -> dict[str, ClinTask]:
    wanted = options.model_dump(include=_CHOICES, exclude_none=True)
    suite = load_items(options.tasks)
    found = {task.id: task for task in suite.tasks if wanted.items() <= task.labels.items()}
    if not found:
        raise UserError(f"{options.tasks} has no item of that choice; check the options.")
    return found


def _summary(models: Sequence[GradedModel], options: ScoreOptions) -> Summary:
    trials = measured_in_bounds((r for m in models for r in m.records), CohortMeasures)
    failed = failed_trials(trials, options.sample, options.seed)
    shown = {"failed_items": shown_examples(models, failed)} if failed else {}
    if len(models) == 1:
        summary = summarize(models[0].records, options.sample, options.seed)
        return replace(summary, tables={**summary.tables, **shown})
    compared = compare([(model.settings, model.records) for model in models])
    errors = error_tables(trials, options.sample, options.seed)
    return replace(compared, tables={**compared.tables, **errors, **shown})


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
            yield f"{model.name} lacks {len(missing)} of {len(ids)} items: {_first(missing)}"


def _ungraded(models: Iterable[PublishedModel], tasks: Mapping[str, ClinTask]) -> Iterator[str]:
    for model in models:
        left_out = sorted((set(model.items) - set(model.graded_items)) & tasks.keys())
        if left_out:
            yield (
                f"{model.name} has no published grades of {len(left_out)} items, which are left "
                f"out; --database lets programs run them: {_first(left_out)}"
            )


def _undecided(graded: Sequence[GradedModel], options: ScoreOptions) -> Iterator[str]:
    for model in graded:
        bare = sorted(each.task.id for each in model.graded if not _has_queries(each.verdicts))
        if bare and not options.database:
            yield (
                f"{model.name} has no verdicts on queries of {len(bare)} items; --database lets "
                f"programs run them: {_first(bare)}"
            )


def _has_queries(verdicts: Iterable[Verdict]) -> bool:
    return any(verdict.item.startswith("sql:") for verdict in verdicts)


def _defects(defects: Iterable[Defect]) -> Iterator[str]:
    return (f"{defect.where}: {defect.reason}" for defect in defects)


def _first(ids: Sequence[str]) -> str:
    more = len(ids) - SHOWN
    return ", ".join(ids[:SHOWN]) + (f" and {more} more" if more > 0 else "")
