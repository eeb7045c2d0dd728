"""EHRSQL's results: the paper's figures, answers and refusals, risk by coverage, breakdowns."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from math import inf

from wardround.benchmarks.ehrsql.gold import known_among
from wardround.benchmarks.ehrsql.scorer import AnswerMeasures, Scored, scored_trial
from wardround.benchmarks.kit.groups import (
    ALL,
    Cell,
    Dimension,
    breakdown_rows,
    grouped_by,
    label_values,
    listed_values,
)
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.tables import (
    cost_table,
    figure_cells,
    figure_columns,
    filled,
    outcome_table,
    overall_reliability,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.core.record import TrialRecord
from wardround.scoring.abstention import (
    PENALTIES,
    Estimate,
    GradedQuestion,
    PairedComparison,
    Points,
    abstention_scores,
    area_under_curve,
    estimated_scores,
    risk_coverage_curve,
)

# A table too long for the screen.
LONG = "by_template"
_BROKEN_DOWN = ("F1_ans", "RS(0)", "RS(10)")


def summarize(trials: Sequence[TrialRecord]) -> Summary:
    """Builds the results of a run; intervals resample questions, each with all its trials."""
    scored = [scored_trial(trial) for trial in measured(trials, AnswerMeasures)]
    gradings = gradings_of(scored)
    results = tables(scored) if scored else {}
    if scored:
        note = "Percent. Right is the right answer, or none where there is none."
        results["reliability"] = overall_reliability(trials, gradings, note)
    results["outcomes"] = outcome_table({ALL: trials}, "Questions")
    results["cost"] = cost_table({ALL: trials}, "Questions")
    has_confidence = any(answer.confidence is not None for answer in scored)
    return Summary(
        results, {"risk_coverage": risk_curve(scored, gradings)} if has_confidence else {}
    )


def tables(scored: Sequence[Scored], penalties: Sequence[float] = PENALTIES) -> dict[str, Table]:
    """Builds the tables of scored questions, with RS(c) for these penalties."""
    gradings = gradings_of(scored)
    results = {
        "scores": _scores(scored, gradings, penalties),
        "answers": _answers(scored, gradings),
        "breakdown": _breakdown(scored, gradings, _DIMENSIONS, "Scores by group"),
        LONG: _breakdown(scored, gradings, _TEMPLATES, "Scores by question template"),
    }
    return filled(results)


def gradings_of(scored: Iterable[Scored]) -> list[str]:
    """Lists the gradings that occur, the published first."""
    return list(dict.fromkeys(grading for answer in scored for grading in answer.judged))


def paired_table(comparison: PairedComparison, grading: str, first: str, second: str) -> Table:
    """Makes a table that compares two systems on the same questions.

    Args:
        comparison: the paired comparison.
        grading: the grading of both systems.
        first: the first system's name.
        second: the second system's name.
    """
    rows = [(name, *_cells(estimate)) for name, estimate in comparison.differences.items()]
    return Table(
        f"{first} less {second}, {grading}",
        ("Figure", *figure_columns("Difference")),
        tuple(rows),
        f"Percentage points, with 95% bootstrap intervals over the same questions. Only {first} "
        f"did right on {comparison.only_first} questions, only {second} on "
        f"{comparison.only_second}; were both as good, so uneven a split had a chance of "
        f"{comparison.p_value:.3g} (McNemar, exact).",
    )


def _scores(scored: Sequence[Scored], gradings: Sequence[str], penalties: Sequence[float]) -> Table:
    columns = {
        grading: estimated_scores(by_question(scored, grading), penalties) for grading in gradings
    }
    names = list(abstention_scores([], penalties))
    rows: list[tuple[Cell, ...]] = [
        (name, *chain.from_iterable(_cells(columns[grading][name]) for grading in gradings))
        for name in names
    ]
    if any(answer.confidence is not None for answer in scored):
        areas = (
            figure_cells(area_under_curve(_risk_points(scored, grading))) for grading in gradings
        )
        rows.append(("Area under risk", *chain.from_iterable(areas)))
    return Table(
        f"Scores of {len(scored):,} answers",
        ("Figure", *chain.from_iterable(map(figure_columns, gradings))),
        tuple(rows),
        "Percent, with 95% bootstrap intervals over questions. P, R and F1 are of answering what "
        "can be answered (ans) and of answering it rightly (exe); RS(c) takes c for each wrong "
        "answer, RS(N) as much as there are questions.",
    )


def _answers(scored: Sequence[Scored], gradings: Sequence[str]) -> Table:
    counts = {
        grading: Counter(_fate(answer.judged[grading]) for answer in scored) for grading in gradings
    }
    rows: list[tuple[Cell, ...]] = [
        (fate, *(counts[grading][fate] for grading in gradings)) for fate in _FATES
    ]
    problems = Counter(answer.problem for answer in scored if answer.problem)
    for problem in sorted(problems):
        rows.append((f"no result: {problem}", *([problems[problem]] * len(gradings))))
    known = len(known_among({answer.id for answer in scored}))
    rows.append(("known defects", *([known] * len(gradings))))
    return Table(
        "What came of the questions",
        ("Question", *gradings),
        tuple(rows),
        "An answer without a result is wrong. Known defects are questions whose gold is known not "
        "to give the published answer on the databases that can be had; they are scored as well.",
    )


def _breakdown(
    scored: Sequence[Scored],
    gradings: Sequence[str],
    dimensions: Iterable[Dimension[Scored]],
    title: str,
) -> Table:
    def cells(group: Sequence[Scored]) -> list[tuple[Cell, ...]]:
        return [(grading, len(group), *_group_cells(group, grading)) for grading in gradings]

    return Table(
        title,
        ("Group", "Value", "Grading", "Answers", *figure_columns("F1_exe"), *_BROKEN_DOWN),
        breakdown_rows(scored, dimensions, cells),
        "Percent, as above. A question that several departments would ask counts for each.",
    )


_DIMENSIONS: tuple[Dimension[Scored], ...] = (
    Dimension("Time expression", label_values("time"), sorted),
    Dimension("Time filters", label_values("time_filters"), sorted),
    Dimension("Patient scope", label_values("scope"), sorted),
    Dimension("Department", listed_values("department"), sorted),
    Dimension("Importance", label_values("importance"), sorted),
)
_TEMPLATES: tuple[Dimension[Scored], ...] = (
    Dimension("Template", label_values("template"), sorted),
)


def risk_curve(scored: Sequence[Scored], gradings: Sequence[str]) -> Curve:
    """Makes the curve of risk by coverage in percent, a line for each grading."""
    lines = {
        grading: tuple((100 * x, 100 * y) for x, y in _risk_points(scored, grading))
        for grading in gradings
    }
    return Curve("Risk by coverage", "questions answered, %", "answers wrong, %", lines)


def _risk_points(scored: Sequence[Scored], grading: str) -> Points:
    """Risk by coverage as shares; answers without a confidence rank lowest."""
    if all(answer.confidence is None for answer in scored):
        return ()
    confidences = [-inf if answer.confidence is None else answer.confidence for answer in scored]
    return risk_coverage_curve([answer.judged[grading] for answer in scored], confidences)


_FATES = (
    "answerable, answered right",
    "answerable, answered wrong",
    "answerable, refused",
    "unanswerable, refused",
    "unanswerable, answered",
)


def _fate(judged: GradedQuestion) -> str:
    if judged.answerable:
        answered = "answered right" if judged.correct else "answered wrong"
        return f"answerable, {answered if judged.answered else 'refused'}"
    return f"unanswerable, {'answered' if judged.answered else 'refused'}"


def _group_cells(scored: Sequence[Scored], grading: str) -> list[Cell]:
    scores = estimated_scores(by_question(scored, grading))
    return [*_cells(scores["F1_exe"]), *(_cells(scores[name])[0] for name in _BROKEN_DOWN)]


def by_question(scored: Iterable[Scored], grading: str) -> list[list[GradedQuestion]]:
    """Groups the graded answers by question."""
    groups = grouped_by(scored, lambda answer: answer.id).values()
    return [[answer.judged[grading] for answer in group] for group in groups]


def _cells(estimate: Estimate) -> tuple[Cell, Cell, Cell]:
    return figure_cells(estimate.value, estimate.interval, scale=1)
