"""Tables of errors by class: how many trials, and a failed item of each class (5.3, Figs 12-14)."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.benchmarks.clinsql.analysis.item_scores import CohortTrial
from wardround.benchmarks.clinsql.errors.classes import CLASSES
from wardround.benchmarks.kit.groups import Cell, grouped_by
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.record import Outcome


def failed_trials(
    trials: Sequence[CohortTrial], a_scenario: int | None = None, seed: int = 0
) -> list[CohortTrial]:
    """The failed trials, or a seeded sample of so many for each scenario."""
    failed = [trial for trial in trials if _has_failed(trial)]
    failed.sort(key=lambda trial: trial.record.key)
    if a_scenario is None:
        return failed
    groups = grouped_by(failed, lambda trial: trial.labels.get("scenario", ""))
    draw = random.Random(seed)
    return [
        trial
        for name in sorted(groups)
        for trial in draw.sample(groups[name], min(a_scenario, len(groups[name])))
    ]


def errors_table(failed: Sequence[CohortTrial]) -> Table:
    """Failed trials and failed leaves by class of error."""
    mains = Counter(trial.measures.error for trial in failed)
    leaves = Counter(
        name for trial in failed for name, items in trial.measures.failed.items() for _ in items
    )
    rows = tuple(
        (name, mains[name], percent(mains[name] / len(failed)), leaves[name])
        for name in CLASSES
        if mains[name] or leaves[name]
    )
    return Table(
        "Errors of failed trials (5.3)",
        ("Class", "Trials", "Share", "Failed leaves"),
        rows,
        f"Of {len(failed)} failed trials. A trial's class is that whose failed leaves weigh "
        "most in their rubric; values of a result count only where nothing else failed. All "
        "leaves of a query that fails or gives no "
        "row are execution errors.",
    )


def examples_table(failed: Sequence[CohortTrial]) -> Table:
    """A failed item of each class; `wardround report` and `trace` show it whole."""
    columns = ("Class", "Item", "Trial", "Failed leaves")
    note = "The first item of each class with the fewest failed leaves."
    return Table("A failed item of each class (C)", columns, tuple(_examples(failed)), note)


def examples_by_class(failed: Sequence[CohortTrial]) -> dict[str, CohortTrial]:
    """The first failed trial of each class with the fewest failed leaves."""
    groups = grouped_by(failed, lambda trial: trial.measures.error)
    return {name: min(groups[name], key=_failed_leaves) for name in CLASSES if name in groups}


def _examples(failed: Sequence[CohortTrial]) -> Iterator[tuple[Cell, ...]]:
    for name, trial in examples_by_class(failed).items():
        leaves = trial.measures.failed[name]
        yield name, trial.record.task, trial.record.trial, ", ".join(leaves)


def _failed_leaves(trial: CohortTrial) -> int:
    return sum(map(len, trial.measures.failed.values()))


def _has_failed(trial: CohortTrial) -> bool:
    return trial.record.outcome is Outcome.FAILED and bool(trial.measures.error)
