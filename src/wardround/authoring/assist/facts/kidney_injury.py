"""Acute kidney injury that results show: a warning of its risk comes too late then.

Source: KDIGO guideline on acute kidney injury, 2012, definition by creatinine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations

from wardround.authoring.assist.facts.rules import BoundRule
from wardround.ehr.terms.result_changes import direction

_INJURY = "acute kidney failure"
_RISE, _RISE_WITHIN = 0.3, timedelta(hours=48)  # mg/dL
_FOLD, _FOLD_WITHIN = 1.5, timedelta(days=7)


def has_kidney_injury(creatinine: Sequence[tuple[datetime, float]]) -> bool:
    """True if creatinine rose by 0.3 mg/dL in 48 hours or to 1.5-fold in a week, and is still up.

    The rise may be some results ago: one that has begun to fall is no recovery while it is as far
    above the result that it rose from.

    Args:
        creatinine: the results in mg/dL with their times, in the order of time.

    >>> day = datetime(2178, 6, 20)
    >>> has_kidney_injury([(day, 1.2), (day + timedelta(hours=40), 1.7)])
    True
    >>> has_kidney_injury([(day, 1.2), (day + timedelta(hours=90), 1.7)])
    False
    """
    if not creatinine:
        return False
    now, last = creatinine[-1]
    week = [each for each in creatinine if now - each[0] <= _FOLD_WITHIN]
    least = min(value for _, value in week)
    rises = (
        value
        for (time, value), (later, risen) in combinations(week, 2)
        if later - time <= _RISE_WITHIN and _is_risen(value, risen)
    )
    return last >= _FOLD * least or any(_is_risen(value, last) for value in rises)


def _is_risen(value: float, later: float) -> bool:
    return round(later - value, 6) >= _RISE


def in_injury(rules: Iterable[BoundRule]) -> Iterator[BoundRule]:
    """The rules of a patient with acute kidney injury.

    Those about its risk say that it has begun. A test is not enough then, unless it is about how
    the creatinine rises.
    """
    for bound in rules:
        if bound.rule.risk != _INJURY:
            yield bound
        elif bound.rule.action != "order" or bound.is_of_course:
            yield replace(bound, has_begun=True)


def out_of_injury(
    rules: Iterable[BoundRule], creatinine: Sequence[tuple[datetime, float]]
) -> list[BoundRule]:
    """The rules of a patient without acute kidney injury.

    A high creatinine that has come down in the last two days shows no risk of one.

    Args:
        rules: the rules.
        creatinine: the results in mg/dL with their times, in the order of time.
    """
    falls = is_falling(creatinine)
    return [each for each in rules if not (falls and _fears_injury_by(each, "creatinine"))]


def is_falling(creatinine: Sequence[tuple[datetime, float]]) -> bool:
    """True if creatinine has come down by more than its variation in the last 48 hours.

    >>> day = datetime(2178, 6, 20)
    >>> is_falling([(day, 1.8), (day + timedelta(hours=24), 1.6)])
    True
    >>> is_falling([(day, 1.7), (day + timedelta(hours=24), 1.6)])
    False
    """
    if not creatinine:
        return False
    now, last = creatinine[-1]
    most = max(value for time, value in creatinine if now - time <= _RISE_WITHIN)
    return direction("creatinine", most, last) != "steady"


def _fears_injury_by(bound: BoundRule, test: str) -> bool:
    rule = bound.rule
    return rule.risk == _INJURY and rule.test == test and rule.sign == "above"
