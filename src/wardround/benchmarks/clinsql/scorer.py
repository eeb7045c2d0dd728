"""Scores a trial: folds the verdicts on both rubrics' leaves by every grading."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from wardround.benchmarks.clinsql.checks.leaf_verdicts import (
    MEASURES,
    QUERY,
    REBASED,
    RESULT,
    UNREADABLE_ONE,
    chosen,
    error_classes,
    failed_items,
)
from wardround.benchmarks.clinsql.declaration import ALGORITHM, PAPER, PAPER_17, STRICT
from wardround.benchmarks.clinsql.failures.error_classes import OTHER, failed_by_class, main_class
from wardround.benchmarks.clinsql.gold.cohorts import CohortOverlap
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, CohortGold, Tree, leaf_item
from wardround.benchmarks.clinsql.tools import attempts, final_sql
from wardround.benchmarks.kit.measures import measured
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.scoring.rubrics.bounds import FAILED, Bounds, score_bounds
from wardround.scoring.rubrics.folds import Rule

GRADINGS = (STRICT, PAPER, PAPER_17, ALGORITHM)
FILE_LEAF = "csv-file-exists"
NOTHING = "no query was submitted"


@dataclass(frozen=True, slots=True)
class TreeScore:
    """The bounds of a rubric's score; they are equal if every leaf that counts is decided."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CohortMeasures:
    """Measures of a trial.

    Attributes:
        sql: the SQL score by grading.
        results: the execution score by grading.
        attempts: number of submissions.
        succeeded_at: number of the first submission that ran, from 1; 0 if none did; None if
            submissions are not at hand.
        leaves: number of leaves of both rubrics.
        undecided: number of leaves without a verdict.
        errored_ones: number of leaves that count as 1 in `paper` because an unreadable answer of
            the judge contains a 1.
        failed: items of the failed leaves by class of error.
        rebased: number of leaves whose value band is the gold's result on this database.
        precision: share of the query's cohort that is in the gold's; None if not derivable.
        recall: share of the gold's cohort that is in the query's.
        error: the class of error whose failed leaves weigh most; "" if nothing failed.
        ex: 1 if the result equals the gold's, columns matched, within 1 percent; otherwise 0.
    """

    sql: Mapping[str, TreeScore]
    results: Mapping[str, TreeScore]
    attempts: int
    succeeded_at: int | None
    leaves: int
    undecided: int
    errored_ones: int
    failed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rebased: int = 0
    precision: float | None = None
    recall: float | None = None
    ex: float | None = None
    error: str = ""

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        if self.precision is None or self.recall is None:
            return None
        return CohortOverlap(self.precision, self.recall).f1


def score(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grades of a trial; it passes where both roots score 1.

    In `strict` a task that wardround made asks for the gold's result besides.
    """
    gold, submitted = task.hidden, final_sql(trajectory)
    bounds = {
        grading: {tree: _root(gold, tree, grading, submitted, verdicts) for tree in TREES}
        for grading in GRADINGS
    }
    passed = {name: all(b.passes for b in trees.values()) for name, trees in bounds.items()}
    if gold.is_made:
        passed[STRICT] &= _gave_the_golds(verdicts)
    return Score(
        passed,
        {name: _reward(trees) for name, trees in bounds.items()},
        _note(submitted, verdicts),
        asdict(_measures(gold, trajectory, verdicts, bounds)),
    )


def tree_bounds(
    gold: CohortGold, tree: Tree, grading: str, verdicts: Sequence[Verdict]
) -> dict[str, Bounds]:
    """The bounds of every node of a rubric in a grading, by its id."""
    best = chosen(verdicts, grading)
    leaves: dict[str, bool] = {}
    for leaf in gold.rubric(tree).leaves():
        passed = _passed(best.get(leaf_item(tree, leaf.id)), leaf.id, grading)
        if passed is not None:
            leaves[leaf.id] = passed
    return score_bounds(gold.rubric(tree), leaves, _rule(grading))


def explanation(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The question and gold beside the graded query and the leaves that failed."""
    best = chosen(verdicts, STRICT)
    failed = [f"{item}: {v.reason}" for item, v in best.items() if v.state == "failed"]
    evidence = [verdict.evidence for verdict in verdicts if verdict.evidence]
    return Explanation(
        task.public.question,
        task.hidden.sql,
        final_sql(trajectory),
        "\n".join([*failed, *evidence]),
    )


def _root(
    gold: CohortGold, tree: Tree, grading: str, submitted: str, verdicts: Sequence[Verdict]
) -> Bounds:
    if not submitted or (grading == STRICT and _gave_nothing(verdicts)):
        return FAILED
    return tree_bounds(gold, tree, grading, verdicts)[gold.rubric(tree).id]


def _passed(verdict: Verdict | None, leaf: str, grading: str) -> bool | None:
    """A grading's reading of the verdict on a leaf; None if it is undecided."""
    if grading == PAPER_17 and leaf == FILE_LEAF:
        return True
    if verdict is None:
        return None
    if grading in (PAPER, PAPER_17) and verdict.reason.startswith(UNREADABLE_ONE):
        return True
    return None if verdict.state == "undecided" else verdict.passed


def _rule(grading: str) -> Rule:
    return "algorithm" if grading == ALGORITHM else "published"


def _gave_nothing(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.item == QUERY and verdict.state == "failed" for verdict in verdicts)


def _gave_the_golds(verdicts: Sequence[Verdict]) -> bool:
    """True if the result is the gold's; False where nobody compared it."""
    return any(verdict.item == RESULT and verdict.passed for verdict in verdicts)


def _reward(trees: Mapping[Tree, Bounds]) -> float:
    return sum(bounds.low for bounds in trees.values()) / len(trees)


def _measures(
    gold: CohortGold,
    trajectory: Trajectory,
    verdicts: Sequence[Verdict],
    bounds: Mapping[str, Mapping[Tree, Bounds]],
) -> CohortMeasures:
    made, best = attempts(trajectory), chosen(verdicts, STRICT)
    failed = _failed(gold, verdicts, ran=bool(made) and not _gave_nothing(verdicts))
    items = [leaf_item(tree, leaf.id) for tree in TREES for leaf in gold.rubric(tree).leaves()]
    scores = {
        tree: {name: TreeScore(trees[tree].low, trees[tree].high) for name, trees in bounds.items()}
        for tree in TREES
    }
    ran = [number for number, attempt in enumerate(made, start=1) if attempt.succeeded]
    return CohortMeasures(
        sql=scores["sql"],
        results=scores["results"],
        attempts=len(made),
        succeeded_at=ran[0] if ran else 0,
        leaves=len(items),
        undecided=sum(i not in best or best[i].state == "undecided" for i in items),
        errored_ones=sum(v.reason.startswith(UNREADABLE_ONE) for v in verdicts),
        failed=failed,
        error=main_class(gold, failed),
        rebased=sum(best[item].reason.startswith(REBASED) for item in items if item in best),
        **_further_measures(verdicts),
    )


def _failed(gold: CohortGold, verdicts: Sequence[Verdict], *, ran: bool) -> dict[str, list[str]]:
    """The failed items by class of error; the whole result where it fails and no leaf does."""
    items = failed_items(verdicts)
    by_class = failed_by_class(gold, items, ran=ran, classed=error_classes(verdicts))
    compared = chosen(verdicts, STRICT).get(RESULT)
    if ran and not by_class and compared is not None and compared.state == "failed":
        return {OTHER: [RESULT]}
    return by_class


def _further_measures(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """The measures of the cohort and the result that stand beside the scores."""
    return {MEASURES[v.item]: v.points for v in verdicts if v.item in MEASURES}


def _note(submitted: str, verdicts: Sequence[Verdict]) -> str:
    if not submitted:
        return NOTHING
    best = chosen(verdicts, STRICT)
    for item in (QUERY, RESULT):
        if item in best and best[item].state == "failed":
            return best[item].reason
    failed = len(failed_items(verdicts))
    return f"{failed} leaves failed" if failed else ""


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial: a result that is compared with the gold's misleads if wrong.

    A submission that gives no result misleads nobody.
    """
    return {
        each.record.key: {Harm.CONFIDENTLY_WRONG: each.measures.ex == 0}
        for each in measured(trials, CohortMeasures)
        if each.measures.ex is not None or each.measures.succeeded_at == 0
    }
