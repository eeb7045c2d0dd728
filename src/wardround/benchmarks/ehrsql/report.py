"""EHRSQL's results: the paper's figures, what was answered, risk by coverage, and breakdowns."""

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
    fewest_trials,
    grouped_by,
    label_values,
    listed_values,
)
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.tables import (
    cost_table,
    figure_cells,
    figure_columns,
    outcome_table,
    reliability_table,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.core.record import TrialRecord
from wardround.scoring.abstention import (
    PENALTIES,
    Estimate,
    GradedQuestion,
    PairedComparison,
    abstention_scores,
    estimated_scores,
)
from wardround.scoring.risk_coverage import Points, area_under_curve, risk_coverage_curve

# The table that is too long for a screen.
LONG = "by_template"
_BROKEN_DOWN = ("F1_ans", "RS(0)", "RS(10)")


def summarize(trials: Sequence[TrialRecord]) -> Summary:
    """The results of a run; a question's trials are drawn together for the intervals."""
    scored = [scored_trial(trial) for trial in measured(trials, AnswerMeasures)]
    modes = modes_of(scored)
    k = fewest_trials(trials)
    found = tables(scored) if scored else {}
    if k > 1 and scored:
        found["by_trials"] = reliability_table(
            f"Done right over {k} trials a question",
            {ALL: trials},
            modes,
            k,
            note="Percent. Right is the right answer, or none where there is none.",
        )
    found["outcomes"] = outcome_table({ALL: trials}, "Questions")
    found["cost"] = cost_table({ALL: trials}, "Questions")
    sure = any(answer.confidence is not None for answer in scored)
    return Summary(found, {"risk_coverage": risk_curve(scored, modes)} if sure else {})


def tables(scored: Sequence[Scored], penalties: Sequence[float] = PENALTIES) -> dict[str, Table]:
    """The tables of answered questions, the paper's figures first, RS(c) for these penalties."""
    modes = modes_of(scored)
    found = {
        "scores": _scores(scored, modes, penalties),
        "answers": _answers(scored, modes),
        "breakdown": _breakdown(scored, modes, _DIMENSIONS, "Scores by group"),
        LONG: _breakdown(scored, modes, _TEMPLATES, "Scores by question template"),
    }
    return {name: table for name, table in found.items() if table.rows}


def modes_of(scored: Iterable[Scored]) -> list[str]:
    """The ways of grading that occur, as published first."""
    return list(dict.fromkeys(mode for answer in scored for mode in answer.judged))


def paired_table(found: PairedComparison, mode: str, first: str, second: str) -> Table:
    """Two systems on the same questions.

    Args:
        found: the comparison of the two.
        mode: the grading of both.
        first: the first system's name.
        second: the second's.
    """
    rows = [(name, *_cells(estimate)) for name, estimate in found.differences.items()]
    return Table(
        f"{first} less {second}, {mode}",
        ("Figure", *figure_columns("Difference")),
        tuple(rows),
        f"Percentage points, with 95% bootstrap intervals over the same questions. Only {first} "
        f"did right on {found.only_first} questions, only {second} on {found.only_second}; were "
        f"both as good, so uneven a split had a chance of {found.p_value:.3g} (McNemar, exact).",
    )


def _scores(scored: Sequence[Scored], modes: Sequence[str], penalties: Sequence[float]) -> Table:
    columns = {mode: estimated_scores(by_question(scored, mode), penalties) for mode in modes}
    names = list(abstention_scores([], penalties))
    rows: list[tuple[Cell, ...]] = [
        (name, *chain.from_iterable(_cells(columns[mode][name]) for mode in modes))
        for name in names
    ]
    if any(answer.confidence is not None for answer in scored):
        areas = (figure_cells(area_under_curve(_risk_points(scored, mode))) for mode in modes)
        rows.append(("Area under risk", *chain.from_iterable(areas)))
    return Table(
        f"Scores of {len(scored):,} answers",
        ("Figure", *chain.from_iterable(map(figure_columns, modes))),
        tuple(rows),
        "Percent, with 95% bootstrap intervals over questions. P, R and F1 are of answering what "
        "can be answered (ans) and of answering it rightly (exe); RS(c) takes c for each wrong "
        "answer, RS(N) as much as there are questions.",
    )


def _answers(scored: Sequence[Scored], modes: Sequence[str]) -> Table:
    counted = {mode: Counter(_fate(answer.judged[mode]) for answer in scored) for mode in modes}
    rows: list[tuple[Cell, ...]] = [
        (fate, *(counted[mode][fate] for mode in modes)) for fate in _FATES
    ]
    problems = Counter(answer.problem for answer in scored if answer.problem)
    for problem in sorted(problems):
        rows.append((f"no result: {problem}", *([problems[problem]] * len(modes))))
    known = len(known_among({answer.id for answer in scored}))
    rows.append(("known defects", *([known] * len(modes))))
    return Table(
        "What came of the questions",
        ("Question", *modes),
        tuple(rows),
        "An answer without a result is wrong. Known defects are questions whose gold is known not "
        "to give the published answer on the databases that can be had; they are scored as well.",
    )


def _breakdown(
    scored: Sequence[Scored],
    modes: Sequence[str],
    dimensions: Iterable[Dimension[Scored]],
    title: str,
) -> Table:
    def cells(group: Sequence[Scored]) -> list[tuple[Cell, ...]]:
        return [(mode, len(group), *_group_cells(group, mode)) for mode in modes]

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


def risk_curve(scored: Sequence[Scored], modes: Sequence[str]) -> Curve:
    """Risk by coverage, a line for each way of grading, in percent."""
    lines = {
        mode: tuple((100 * x, 100 * y) for x, y in _risk_points(scored, mode)) for mode in modes
    }
    return Curve("Risk by coverage", "questions answered, %", "answers wrong, %", lines)


def _risk_points(scored: Sequence[Scored], mode: str) -> Points:
    """Risk by coverage as shares; an answer without a confidence is taken for the least sure."""
    if all(answer.confidence is None for answer in scored):
        return ()
    sure = [-inf if answer.confidence is None else answer.confidence for answer in scored]
    return risk_coverage_curve([answer.judged[mode] for answer in scored], sure)


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


def _group_cells(scored: Sequence[Scored], mode: str) -> list[Cell]:
    found = estimated_scores(by_question(scored, mode))
    return [*_cells(found["F1_exe"]), *(_cells(found[name])[0] for name in _BROKEN_DOWN)]


def by_question(scored: Iterable[Scored], mode: str) -> list[list[GradedQuestion]]:
    """The judgements of each question, all its answers together."""
    groups = grouped_by(scored, lambda answer: answer.id).values()
    return [[answer.judged[mode] for answer in group] for group in groups]


def _cells(estimate: Estimate) -> tuple[Cell, Cell, Cell]:
    return figure_cells(estimate.value, estimate.interval, scale=1)
