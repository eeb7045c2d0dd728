"""Scores for answering answerable questions and refusing the rest (Lee et al. 2022, 4.2).

With confidences: the risk-coverage curve, and the area under it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from wardround.scoring.statistics.intervals import Interval, percentile_interval, resampled_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PENALTIES = (0, 5, 10)

Points: TypeAlias = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """The graded result of one question.

    Attributes:
        answerable: True if the question has a gold answer.
        answered: True if an answer was given, including one that failed to execute.
        correct: True if the answer equals the gold.
    """

    answerable: bool
    answered: bool
    correct: bool

    @property
    def credited(self) -> bool:
        """True if the answer is correct, or an unanswerable question was refused."""
        return self.correct or not (self.answerable or self.answered)

    @property
    def penalized(self) -> bool:
        """True if an answer was given that is not correct."""
        return self.answered and not self.correct


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score in percent with its 95% bootstrap interval; None if it is undefined."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """A comparison of two systems on the same questions.

    Attributes:
        differences: Each score of the first minus that of the second, resampled in pairs.
        only_first: Number of questions on which only the first system is credited.
        only_second: Number of questions on which only the second system is credited.
        p_value: Two-sided p-value of McNemar's exact test.
    """

    differences: Mapping[str, Estimate]
    only_first: int
    only_second: int
    p_value: float


def abstention_scores(
    questions: Sequence[GradedQuestion], penalties: Sequence[float] = PENALTIES
) -> dict[str, float | None]:
    """P, R and F1 of answering (ans) and of answering correctly (exe), and RS(c), in percent.

    P_ans is the share of answerable questions among the answered, R_ans the share of answered
    questions among the answerable (Lee et al. 2022, 4.2). The numerators of P_exe and R_exe count
    correct answers only. RS(c) is the mean over all questions of 1 for a correct answer or a
    correct refusal, 0 for refusing an answerable question, and -c for anything else; RS(N) uses
    the number of questions as c.

    Args:
        questions: The graded questions.
        penalties: The values of c for RS(c); RS(N) is always included.

    >>> correct, refused = GradedQuestion(True, True, True), GradedQuestion(False, False, False)
    >>> invented = GradedQuestion(False, True, False)
    >>> scores = abstention_scores([correct, refused, invented], penalties=[5])
    >>> scores["P_exe"], scores["R_exe"], scores["RS(5)"]
    (50.0, 100.0, -100.0)
    """
    if not questions:
        return dict.fromkeys(_score_names(penalties))
    import numpy as np

    scores = _scores_of_sums(np.array([_sums(questions)], dtype=float), len(questions), penalties)
    return {name: _nan_to_none(float(values[0])) for name, values in scores.items()}


def estimated_scores(
    groups: Sequence[Sequence[GradedQuestion]], penalties: Sequence[float] = PENALTIES
) -> dict[str, Estimate]:
    """`abstention_scores` with bootstrap intervals over groups (the trials of a question)."""
    values = abstention_scores([question for group in groups for question in group], penalties)
    if len(groups) < 2:
        return {name: Estimate(value) for name, value in values.items()}
    questions = sum(map(len, groups))
    resampled_scores = _scores_of_sums(_resampled(groups), questions, penalties)
    return {
        name: Estimate(values[name], percentile_interval(resampled_scores[name])) for name in values
    }


def compare_paired(
    first: Sequence[GradedQuestion],
    second: Sequence[GradedQuestion],
    penalties: Sequence[float] = PENALTIES,
) -> PairedComparison:
    """Compares two systems on the same questions, in the same order.

    Raises:
        ValueError: The two sequences differ in length.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} questions cannot be paired with {len(second)}")
    first_scores, second_scores = (
        abstention_scores(first, penalties),
        abstention_scores(second, penalties),
    )
    values = {name: _difference(first_scores[name], second_scores[name]) for name in first_scores}
    only_first, only_second = _credited_only(first, second), _credited_only(second, first)
    intervals = _difference_intervals(first, second, penalties)
    differences = {name: Estimate(value, intervals.get(name)) for name, value in values.items()}
    return PairedComparison(
        differences, only_first, only_second, _sign_test(only_first, only_second)
    )


def _score_names(penalties: Sequence[float]) -> list[str]:
    return [*_SHARES, *(f"RS({penalty:g})" for penalty in penalties), "RS(N)"]


# Columns of `_row`. A score is the sum of its first column over the mean of the others.
_COLUMNS = 6
_ANSWERABLE, _ANSWERED, _RECOGNISED, _CORRECT, _CREDITED, _PENALIZED = range(_COLUMNS)
_SHARES: dict[str, tuple[int, tuple[int, ...]]] = {
    "P_ans": (_RECOGNISED, (_ANSWERED,)),
    "R_ans": (_RECOGNISED, (_ANSWERABLE,)),
    "F1_ans": (_RECOGNISED, (_ANSWERED, _ANSWERABLE)),
    "P_exe": (_CORRECT, (_ANSWERED,)),
    "R_exe": (_CORRECT, (_ANSWERABLE,)),
    "F1_exe": (_CORRECT, (_ANSWERED, _ANSWERABLE)),
}


def _row(question: GradedQuestion) -> tuple[int, ...]:
    return (
        question.answerable,
        question.answered,
        question.answerable and question.answered,
        question.correct,
        question.credited,
        question.penalized,
    )


def _sums(questions: Sequence[GradedQuestion]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*map(_row, questions), strict=True)))


def _resampled(groups: Sequence[Sequence[GradedQuestion]]) -> "NDArray[np.float64]":
    return resampled_sums([_sums(group) for group in groups])


def _scores_of_sums(
    sums: "NDArray[np.float64]", questions: int, penalties: Sequence[float]
) -> "dict[str, NDArray[np.float64]]":
    """The scores of many sums at once: shape (resamples, 6) gives (resamples,) each."""
    import numpy as np

    scores = {}
    for name, (above, below) in _SHARES.items():
        total = sums[:, below].sum(axis=1)
        part = 100 * len(below) * sums[:, above]
        # Without answerable questions F1 is undefined, not zero.
        defined = sums[:, below[-1]] > 0
        scores[name] = np.divide(part, total, out=np.full_like(total, np.nan), where=defined)
    reliability = _score_names(penalties)[len(_SHARES) :]
    for name, penalty in zip(reliability, (*penalties, questions), strict=True):
        points = sums[:, _CREDITED] - penalty * sums[:, _PENALIZED]
        scores[name] = 100 * points / questions
    return scores


def _difference_intervals(
    first: Sequence[GradedQuestion], second: Sequence[GradedQuestion], penalties: Sequence[float]
) -> dict[str, Interval | None]:
    if len(first) < 2:
        return {}
    rows = [(*_row(a), *_row(b)) for a, b in zip(first, second, strict=True)]
    sums = resampled_sums(rows)
    ours = _scores_of_sums(sums[:, :_COLUMNS], len(rows), penalties)
    theirs = _scores_of_sums(sums[:, _COLUMNS:], len(rows), penalties)
    return {name: percentile_interval(ours[name] - theirs[name]) for name in ours}


def _credited_only(first: Sequence[GradedQuestion], second: Sequence[GradedQuestion]) -> int:
    return sum(a.credited and not b.credited for a, b in zip(first, second, strict=True))


def _sign_test(only_first: int, only_second: int) -> float:
    """Two-sided p-value of an exact binomial test with equal odds."""
    total, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(total, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**total))


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _nan_to_none(value: float) -> float | None:
    return None if value != value else value


def risk_coverage_curve(
    questions: Sequence[GradedQuestion], confidences: Sequence[float]
) -> Points:
    """The risk-coverage curve: (coverage, risk) with each confidence as the threshold.

    Coverage is the share of all questions that are answered, risk the share of these answers that
    are wrong. A refusal counts as no answer at every threshold.

    Args:
        questions: The graded questions.
        confidences: One number for each question, on any scale; higher is more confident.

    >>> graded = [GradedQuestion(True, True, True), GradedQuestion(False, True, False)]
    >>> risk_coverage_curve(graded, [0.9, 0.4])
    ((0.5, 0.0), (1.0, 0.5))
    """
    answers = sorted(
        (
            (confidence, question.penalized)
            for confidence, question in zip(confidences, questions, strict=True)
            if question.answered
        ),
        reverse=True,
    )
    points, wrong = [], 0
    for count, (confidence, is_wrong) in enumerate(answers, start=1):
        wrong += is_wrong
        if count == len(answers) or answers[count][0] < confidence:
            points.append((count / len(questions), wrong / count))
    return tuple(points)


def area_under_curve(points: Points) -> float | None:
    """The mean risk over the covered range, lower is better; None without answers.

    >>> area_under_curve(((0.5, 0.0), (1.0, 0.5)))
    0.25
    """
    if not points:
        return None
    starts = (0.0, *(coverage for coverage, _ in points))
    widths = [x - start for start, (x, _) in zip(starts, points, strict=False)]
    return sum(w * risk for w, (_, risk) in zip(widths, points, strict=True)) / points[-1][0]
