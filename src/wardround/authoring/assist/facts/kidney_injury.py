"""Acute kidney injury that results show: a warning of its risk comes too late then.

Source: KDIGO guideline on acute kidney injury, 2012, definition by creatinine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations

from wardround.authoring.assist.facts.rules import BoundRule
from wardround.ehr.terms.result_changes import recent_direction

_INJURY, _CREATININE = "acute kidney failure", "creatinine"
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


def without_injury(
    rules: Iterable[BoundRule], creatinine: Sequence[tuple[datetime, float]]
) -> list[BoundRule]:
    """The rules of a patient without acute kidney injury.

    A high creatinine shows no risk of one unless it is steady or has risen in the last two days.

    Args:
        rules: the rules.
        creatinine: the results in mg/dL with their times, in the order of time.
    """
    is_steady = recent_direction(_CREATININE, creatinine, _RISE_WITHIN) == "steady"
    return [each for each in rules if is_steady or not _warns_of_injury(each)]


def _warns_of_injury(bound: BoundRule) -> bool:
    """True if a high creatinine alone is the sign of a rule about the risk of injury."""
    rule = bound.rule
    return rule.risk == _INJURY and rule.test == _CREATININE and rule.sign == "above"
