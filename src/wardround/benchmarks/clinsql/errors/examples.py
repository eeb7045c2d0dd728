"""A failed item of each class of error, shown whole as in the paper's Figures 12 to 14."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wardround.benchmarks.clinsql.analysis.item_scores import CohortTrial
from wardround.benchmarks.clinsql.errors.tables import examples_by_class
from wardround.benchmarks.clinsql.published.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.published.trials import GradedModel, GradedSubmission
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, leaf_item
from wardround.benchmarks.kit.groups import Cell
from wardround.core.benchmark import Table

_ROWS = 5
_COLUMNS = (
    "Class", "Model", "Item", "Question", "Query", "Gold query", "Failed requirements", "Result",
    "Gold result",
)  # fmt: skip


def shown_examples(models: Sequence[GradedModel], failed: Sequence[CohortTrial]) -> Table:
    """Question, query and result of an example of each class, beside the gold's.

    Args:
        models: The models and runs that the failed trials are of.
        failed: The failed trials.
    """
    graded = {id(each.record): (model.name, each) for model in models for each in model.graded}
    rows = (
        (name, *_cells(*graded[id(trial.record)], trial.measures.failed[name]))
        for name, trial in examples_by_class(failed).items()
    )
    note = f"Results are cut to {_ROWS} rows."
    return Table("Failed items shown (Figures 12 to 14)", _COLUMNS, tuple(rows), note)


def _cells(model: str, graded: GradedSubmission, items: Iterable[str]) -> Iterator[Cell]:
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
