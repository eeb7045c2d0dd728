"""Answering what can be answered and refusing the rest: EHRSQL's F1 scores and RS(c)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from wardround.scoring.statistics import Interval, percentile_interval, resampled_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PENALTIES = (0, 5, 10)
Points: TypeAlias = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one question.

    Attributes:
        answerable: whether the question has a gold.
        answered: whether an answer was given; an answer that fails is one all the same.
        correct: whether the answer is the gold's.
    """

    answerable: bool
    answered: bool
    correct: bool

    @property
    def right(self) -> bool:
        """Whether this is what should have been done: the right answer, or none where none is."""
        return self.correct or not (self.answerable or self.answered)

    @property
    def wrong(self) -> bool:
        """Whether an answer was given that should not have been."""
        return self.answered and not self.correct


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure in percent with its 95% bootstrap interval; None where nothing defines it."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Paired:
    """Two systems on the same questions.

    Attributes:
        differences: each figure of the first less that of the second, questions drawn together.
        only_first: on how many questions only the first did what it should.
        only_second: on how many only the second did.
        chance: how likely a split as uneven as this is where both are as good (McNemar, exact).
    """

    differences: Mapping[str, Estimate]
    only_first: int
    only_second: int
    chance: float


def figures(
    judged: Sequence[Judged], penalties: Sequence[float] = PENALTIES
) -> dict[str, float | None]:
    """P, R and F1 of answering (ans) and of answering rightly (exe), and RS(c), in percent.

    As the paper defines them (EHRSQL 4.2): P_ans is the share of answerable questions among those
    answered, R_ans the share of answered questions among the answerable; of P_exe and R_exe only
    the right answers count above the line. RS(c) is the mean over all questions of 1 for a right
    answer or a right refusal, 0 for a refusal where there is an answer, and -c for anything
    wrong; RS(N) has the number of questions for c.

    Args:
        judged: what came of each question.
        penalties: the c of RS(c); RS(N) is always given.

    >>> done = [Judged(True, True, True), Judged(False, False, False), Judged(False, True, False)]
    >>> found = figures(done, penalties=[5])
    >>> found["P_exe"], found["R_exe"], found["RS(5)"]
    (50.0, 100.0, -100.0)
    """
    if not judged:
        return dict.fromkeys(_names(penalties))
    import numpy as np

    found = _of_sums(np.array([_sums(judged)], dtype=float), len(judged), penalties)
    return {name: _known(float(values[0])) for name, values in found.items()}


def estimates(
    groups: Sequence[Sequence[Judged]], penalties: Sequence[float] = PENALTIES
) -> dict[str, Estimate]:
    """`figures` with intervals, the groups (a question's trials) being drawn anew."""
    values = figures([one for group in groups for one in group], penalties)
    if len(groups) < 2:
        return {name: Estimate(value) for name, value in values.items()}
    questions = sum(map(len, groups))
    drawn = _of_sums(_drawn(groups), questions, penalties)
    return {name: Estimate(values[name], percentile_interval(drawn[name])) for name in values}


def paired(
    first: Sequence[Judged], second: Sequence[Judged], penalties: Sequence[float] = PENALTIES
) -> Paired:
    """Compares two systems on the same questions, given in the same order.

    Raises:
        ValueError: the two are not equally long.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} questions cannot be paired with {len(second)}")
    ours, theirs = figures(first, penalties), figures(second, penalties)
    values = {name: _less(ours[name], theirs[name]) for name in ours}
    only = [
        sum(a.right and not b.right for a, b in zip(one, other, strict=True))
        for one, other in ((first, second), (second, first))
    ]
    spread = _spread(first, second, penalties)
    differences = {name: Estimate(value, spread.get(name)) for name, value in values.items()}
    return Paired(differences, only[0], only[1], _sign_test(*only))


def risk_coverage(judged: Sequence[Judged], confidences: Sequence[float]) -> Points:
    """How often answers are wrong when only the surest are given (risk by coverage).

    For each confidence as threshold: the share of all questions that is then answered, and the
    share of those answers that are wrong, refusals being no answers at any threshold.

    Args:
        judged: what came of each question.
        confidences: one a question; a greater number is surer, whatever its scale.

    >>> done = [Judged(True, True, True), Judged(False, True, False)]
    >>> risk_coverage(done, [0.9, 0.4])
    ((0.5, 0.0), (1.0, 0.5))
    """
    answers = sorted(
        ((sure, one.wrong) for sure, one in zip(confidences, judged, strict=True) if one.answered),
        reverse=True,
    )
    points, wrong = [], 0
    for place, (sure, is_wrong) in enumerate(answers, start=1):
        wrong += is_wrong
        if place == len(answers) or answers[place][0] < sure:
            points.append((place / len(judged), wrong / place))
    return tuple(points)


def area_under(points: Points) -> float | None:
    """The mean risk over the coverage that was reached: lower is better; None without answers.

    >>> area_under(((0.5, 0.0), (1.0, 0.5)))
    0.25
    """
    if not points:
        return None
    starts = (0.0, *(coverage for coverage, _ in points))
    widths = [x - start for start, (x, _) in zip(starts, points, strict=False)]
    return sum(w * risk for w, (_, risk) in zip(widths, points, strict=True)) / points[-1][0]


def _names(penalties: Sequence[float]) -> list[str]:
    return [*_SHARES, *(f"RS({penalty:g})" for penalty in penalties), "RS(N)"]


# Columns of `_row`: a figure is the first's sum over the mean of the others'.
_COLUMNS = 6
_ANSWERABLE, _ANSWERED, _RECOGNISED, _CORRECT, _RIGHT, _WRONG = range(_COLUMNS)
_SHARES: dict[str, tuple[int, tuple[int, ...]]] = {
    "P_ans": (_RECOGNISED, (_ANSWERED,)),
    "R_ans": (_RECOGNISED, (_ANSWERABLE,)),
    "F1_ans": (_RECOGNISED, (_ANSWERED, _ANSWERABLE)),
    "P_exe": (_CORRECT, (_ANSWERED,)),
    "R_exe": (_CORRECT, (_ANSWERABLE,)),
    "F1_exe": (_CORRECT, (_ANSWERED, _ANSWERABLE)),
}


def _row(one: Judged) -> tuple[int, ...]:
    recognised = one.answerable and one.answered
    return (one.answerable, one.answered, recognised, one.correct, one.right, one.wrong)


def _sums(judged: Sequence[Judged]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*map(_row, judged), strict=True)))


def _drawn(groups: Sequence[Sequence[Judged]]) -> "NDArray[np.float64]":
    return resampled_sums([_sums(group) for group in groups])


def _of_sums(
    sums: "NDArray[np.float64]", questions: int, penalties: Sequence[float]
) -> "dict[str, NDArray[np.float64]]":
    """The figures of many sums at once: shape (resamples, 6) gives (resamples,) each."""
    import numpy as np

    found = {}
    for name, (above, below) in _SHARES.items():
        whole = sums[:, below].sum(axis=1)
        part = 100 * len(below) * sums[:, above]
        # Where nothing can be answered F1 is not zero but nothing at all.
        known = sums[:, below[-1]] > 0
        found[name] = np.divide(part, whole, out=np.full_like(whole, np.nan), where=known)
    scores = _names(penalties)[len(_SHARES) :]
    for name, penalty in zip(scores, (*penalties, questions), strict=True):
        found[name] = 100 * (sums[:, _RIGHT] - penalty * sums[:, _WRONG]) / questions
    return found


def _spread(
    first: Sequence[Judged], second: Sequence[Judged], penalties: Sequence[float]
) -> dict[str, Interval | None]:
    if len(first) < 2:
        return {}
    rows = [(*_row(one), *_row(other)) for one, other in zip(first, second, strict=True)]
    drawn = resampled_sums(rows)
    ours, theirs = (
        _of_sums(sums, len(rows), penalties) for sums in (drawn[:, :_COLUMNS], drawn[:, _COLUMNS:])
    )
    return {name: percentile_interval(ours[name] - theirs[name]) for name in ours}


def _sign_test(only_first: int, only_second: int) -> float:
    """The two-sided exact chance of a split at least as uneven, each side being as likely."""
    total, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(total, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**total))


def _less(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _known(value: float) -> float | None:
    return None if value != value else value
