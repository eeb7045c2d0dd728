"""EHRSQL's results as tables: the paper's figures, what was answered, and the breakdowns."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

from wardround.benchmarks.ehrsql.figures import risk_area, risk_curve
from wardround.benchmarks.ehrsql.gold import known_among
from wardround.benchmarks.ehrsql.scorer import Scored, scored_trial
from wardround.benchmarks.kit.tables import (
    Cell,
    cost_table,
    fewest_trials,
    outcome_table,
    reliability_cells,
    reliability_columns,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.record import TrialRecord
from wardround.scoring.abstention import (
    PENALTIES,
    Estimate,
    Judged,
    Paired,
    estimates,
    figures,
)

DIMENSIONS = {
    "time": "Time expression",
    "time_filters": "Time filters",
    "scope": "Patient scope",
    "department": "Department",
    "importance": "Importance",
}
TEMPLATES = {"template": "Template"}
# The table that is too long for a screen.
LONG = "by_template"
BROKEN_DOWN = ("F1_ans", "RS(0)", "RS(10)")
ALL = "all"


def summarize(trials: Sequence[TrialRecord]) -> Summary:
    """The results of a run; a question's trials are drawn together for the intervals."""
    scored = [scored_trial(trial) for trial in trials if trial.outcome.scored]
    modes = modes_of(scored)
    k = fewest_trials(trials)
    found = tables(scored) if scored else {}
    if k > 1 and scored:
        found["by_trials"] = _by_trials(trials, modes, k)
    found["outcomes"] = outcome_table({ALL: trials}, "Questions")
    found["cost"] = cost_table({ALL: trials}, "Questions")
    sure = any(one.confidence is not None for one in scored)
    return Summary(found, {"risk_coverage": risk_curve(scored, modes)} if sure else {})


def tables(scored: Sequence[Scored], penalties: Sequence[float] = PENALTIES) -> dict[str, Table]:
    """The tables of answered questions, the paper's figures first, RS(c) for these penalties."""
    modes = modes_of(scored)
    found = {
        "scores": _scores(scored, modes, penalties),
        "answers": _answers(scored, modes),
        "breakdown": _breakdown(scored, modes, DIMENSIONS, "Scores by group"),
        LONG: _breakdown(scored, modes, TEMPLATES, "Scores by question template"),
    }
    return {name: table for name, table in found.items() if table.rows}


def modes_of(scored: Iterable[Scored]) -> list[str]:
    """The ways of grading that occur, as published first."""
    return list(dict.fromkeys(mode for one in scored for mode in one.judged))


def paired_table(found: Paired, mode: str, first: str, second: str) -> Table:
    """Two systems on the same questions.

    Args:
        found: what came of the comparison.
        mode: how both were graded.
        first: the first system's name.
        second: the second's.
    """
    rows = [(name, *_cells(estimate)) for name, estimate in found.differences.items()]
    return Table(
        f"{first} less {second}, {mode}",
        ("Figure", *_ends("Difference")),
        tuple(rows),
        f"Percentage points, with 95% bootstrap intervals over the same questions. Only {first} "
        f"did right on {found.only_first} questions, only {second} on {found.only_second}; were "
        f"both as good, so uneven a split had a chance of {found.chance:.3g} (McNemar, exact).",
    )


def _scores(scored: Sequence[Scored], modes: Sequence[str], penalties: Sequence[float]) -> Table:
    columns = {mode: estimates(by_question(scored, mode), penalties) for mode in modes}
    names = list(figures([], penalties))
    rows: list[tuple[Cell, ...]] = [
        (name, *(cell for mode in modes for cell in _cells(columns[mode][name]))) for name in names
    ]
    if any(one.confidence is not None for one in scored):
        areas = [(_rounded(risk_area(scored, mode)), None, None) for mode in modes]
        rows.append(("Area under risk", *(cell for cells in areas for cell in cells)))
    return Table(
        f"Scores of {len(scored):,} answers",
        ("Figure", *(end for mode in modes for end in _ends(mode))),
        tuple(rows),
        "Percent, with 95% bootstrap intervals over questions. P, R and F1 are of answering what "
        "can be answered (ans) and of answering it rightly (exe); RS(c) takes c for each wrong "
        "answer, RS(N) as much as there are questions.",
    )


def _answers(scored: Sequence[Scored], modes: Sequence[str]) -> Table:
    counted = {mode: Counter(_fate(one.judged[mode]) for one in scored) for mode in modes}
    rows: list[tuple[Cell, ...]] = [
        (fate, *(counted[mode][fate] for mode in modes)) for fate in _FATES
    ]
    problems = Counter(one.problem for one in scored if one.problem)
    for problem in sorted(problems):
        rows.append((f"no result: {problem}", *([problems[problem]] * len(modes))))
    known = len(known_among({one.id for one in scored}))
    rows.append(("known defects", *([known] * len(modes))))
    return Table(
        "What came of the questions",
        ("Question", *modes),
        tuple(rows),
        "An answer without a result is wrong. Known defects are questions whose gold is known not "
        "to give the published answer on the databases that can be had; they are scored as well.",
    )


def _breakdown(
    scored: Sequence[Scored], modes: Sequence[str], dimensions: Mapping[str, str], title: str
) -> Table:
    rows = [
        (dimension, value, mode, len(group), *_group_cells(group, mode))
        for label, dimension in dimensions.items()
        for value, group in _split(scored, label).items()
        for mode in modes
    ]
    return Table(
        title,
        ("Group", "Value", "Grading", "Answers", *_ends("F1_exe"), *BROKEN_DOWN),
        tuple(rows),
        "Percent, as above. A question that several departments would ask counts for each.",
    )


def _by_trials(trials: Sequence[TrialRecord], modes: Sequence[str], k: int) -> Table:
    rows = [(mode, *reliability_cells(trials, mode, k)) for mode in modes]
    return Table(
        f"Done right over {k} trials a question",
        ("Grading", *reliability_columns(k)),
        tuple(rows),
        "Percent. Right is the right answer, or none where there is none.",
    )


_FATES = (
    "answerable, answered right",
    "answerable, answered wrong",
    "answerable, refused",
    "unanswerable, refused",
    "unanswerable, answered",
)


def _fate(judged: Judged) -> str:
    if judged.answerable:
        answered = "answered right" if judged.correct else "answered wrong"
        return f"answerable, {answered if judged.answered else 'refused'}"
    return f"unanswerable, {'answered' if judged.answered else 'refused'}"


def _group_cells(scored: Sequence[Scored], mode: str) -> list[Cell]:
    found = estimates(by_question(scored, mode))
    return [*_cells(found["F1_exe"]), *(_rounded(found[name].value) for name in BROKEN_DOWN)]


def by_question(scored: Iterable[Scored], mode: str) -> list[list[Judged]]:
    """What came of each question, all its answers together."""
    groups = defaultdict[str, list[Judged]](list)
    for one in scored:
        groups[one.id].append(one.judged[mode])
    return list(groups.values())


def _split(scored: Iterable[Scored], label: str) -> dict[str, list[Scored]]:
    groups = defaultdict[str, list[Scored]](list)
    for one in scored:
        for value in _values(one.labels, label):
            groups[value].append(one)
    return dict(sorted(groups.items()))


def _values(labels: Mapping[str, str], label: str) -> list[str]:
    value = labels.get(label, "")
    return value.split(", ") if label == "department" and value else [value] if value else []


def _ends(name: str) -> tuple[str, str, str]:
    return (name, f"{name} low", f"{name} high")


def _cells(estimate: Estimate) -> tuple[Cell, Cell, Cell]:
    if estimate.interval is None:
        return (_rounded(estimate.value), None, None)
    low, high = astuple(estimate.interval)
    return (_rounded(estimate.value), _rounded(low), _rounded(high))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
