"""ClinSQL's results: mean scores by level, scenario and grading; attempts, verdicts and errors."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.clinsql.declaration import PAPER, STRICT
from wardround.benchmarks.clinsql.failures.error_classes import CLASSES
from wardround.benchmarks.clinsql.item_scores import (
    CohortTrial,
    divergence_table,
    diverging_sample,
)
from wardround.benchmarks.clinsql.items.item import LEVELS
from wardround.benchmarks.clinsql.scorer import GRADINGS, CohortMeasures, TreeScore
from wardround.benchmarks.kit.groups import ALL, Cell, Trials, grouped_by, label_groups
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.tables import common_tables, filled, percent
from wardround.core.benchmark import Summary, Table
from wardround.core.record import Outcome

Bound: TypeAlias = Callable[[TreeScore], float]
BOUNDS: dict[str, Bound] = {"lower": lambda score: score.low, "upper": lambda score: score.high}
ATTEMPTS = 3
OWN_BANDS_NOTE = (
    "The database is not MIMIC-IV 3.1: own bands are those of the gold's result there, and no "
    "score compares with published ones."
)
_BOUNDS_NOTE = (
    "Percent, means over trials. Lower counts undecided leaves as failed, upper as passed."
)

_OPEN_NOTE = (
    "Empty: no verdict bounds a score; name a judge, a database or a folder of leaves' verdicts."
)


def summarize(trials: Trials, sampled: int | None = None, seed: int = 0) -> Summary:
    """The paper's tables of a run (Shen et al. 2026, Tables 4, 8 to 12 and 15).

    Args:
        trials: the trials.
        sampled: how many failed trials of each scenario enter the table of errors; None for all.
        seed: the seed of that sample.
    """
    scored = measured_in_bounds(trials, CohortMeasures)
    tables = {
        "scores": scores_table("Scores by level", scored, "level", LEVELS),
        "scenarios": scores_table("Scores by scenario", scored, "scenario", ()),
        "attempts": attempts_table(scored),
        "verdicts": verdicts_table(scored),
        "cohorts": cohorts_table(scored),
        "divergence": divergence_table({ALL: scored}, (STRICT, PAPER)),
        "diverging": diverging_sample({ALL: scored}, PAPER),
        **error_tables(scored, sampled, seed),
        **common_tables(trials, GRADINGS),
    }
    return Summary(filled(tables))


def error_tables(
    trials: Sequence[CohortTrial], sampled: int | None = None, seed: int = 0
) -> dict[str, Table]:
    """Errors by class, with an example of each; none if nothing failed."""
    failed = failed_trials(trials, sampled, seed)
    if not failed:
        return {}
    return {"errors": errors_table(failed), "failed_examples": examples_table(failed)}


def scores_table(
    title: str, trials: Sequence[CohortTrial], label: str, order: Iterable[str]
) -> Table:
    """Mean SQL and execution score of each group, a row for each grading and bound."""
    groups = label_groups(trials, label, order)
    columns = [f"{name} {tree}" for name in groups for tree in ("SQL", "Exec")]
    rows = tuple(
        (grading, name, *_cells(groups, grading, bound))
        for grading in GRADINGS
        for name, bound in BOUNDS.items()
    )
    open_cells = any(cell is None for row in rows for cell in row)
    note = f"{_BOUNDS_NOTE} {_OPEN_NOTE}" if open_cells else _BOUNDS_NOTE
    return Table(title, ("Grading", "Bound", *columns), rows, note)


def attempts_table(trials: Sequence[CohortTrial]) -> Table:
    """The share of items whose first success is each attempt, by scenario (J)."""
    rows = tuple(
        (name, len(group), *success_shares(group))
        for name, group in label_groups(trials, "scenario").items()
    )
    columns = ("Scenario", "Trials", *(f"A{n}" for n in range(1, ATTEMPTS + 1)), "Success")
    return Table(
        "Execution success by attempt",
        columns,
        rows,
        "Percent of all trials. A query that gives no row is a success.",
    )


def verdicts_table(trials: Sequence[CohortTrial]) -> Table:
    """Counts of leaves: all, undecided, and decided by an unreadable reply of the judge."""
    counts = [
        sum(trial.measures.leaves for trial in trials),
        sum(trial.measures.undecided for trial in trials),
        sum(trial.measures.errored_ones for trial in trials),
        sum(trial.measures.rebased for trial in trials),
    ]
    columns = ("Leaves", "Undecided", "Unreadable, counted 1 in paper", "Own bands")
    note = OWN_BANDS_NOTE if counts[-1] else ""
    return Table("Verdicts on leaves", columns, (tuple(counts),), note)


def cohorts_table(trials: Sequence[CohortTrial]) -> Table:
    """Means of the measures of cohorts and results, over the trials that have them."""
    measures = [trial.measures for trial in trials]
    rows: list[list[float | None]] = [
        [m.precision for m in measures],
        [m.recall for m in measures],
        [m.f1 for m in measures],
        [m.ex for m in measures],
    ]
    known = [[value for value in values if value is not None] for values in rows]
    row = (len(known[0]), *map(_mean, known[:3]), len(known[3]), _mean(known[3]))
    columns = ("Cohorts", "Precision", "Recall", "F1", "Results", "EX")
    note = "Percent; trials whose cohort cannot be derived, or whose gold has no row, are left out."
    return Table("Cohorts and results beside the gold's", columns, (row,), note)


def _cells(groups: dict[str, list[CohortTrial]], grading: str, bound: Bound) -> list[Cell]:
    return [
        mean_score([scores[grading] for scores in scored], bound)
        for group in groups.values()
        for scored in ([t.measures.sql for t in group], [t.measures.results for t in group])
    ]


def mean_score(scores: Sequence[TreeScore], bound: Bound) -> float | None:
    """The mean of a bound in percent; None where every score may still be anything."""
    if all((score.low, score.high) == (0.0, 1.0) for score in scores):
        return None
    return _mean([bound(score) for score in scores])


def _mean(scores: Sequence[float]) -> float | None:
    return round(100 * fmean(scores), 2) if scores else None


def success_shares(trials: Sequence[CohortTrial]) -> list[float | None]:
    """The shares of trials whose first success is each attempt, and of trials with any success."""
    successes = [at for trial in trials if (at := trial.measures.succeeded_at) is not None]
    shares = [[float(at == n) for at in successes] for n in range(1, ATTEMPTS + 1)]
    return [*map(_mean, shares), _mean([float(at > 0) for at in successes])]


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
