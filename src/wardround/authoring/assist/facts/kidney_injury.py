"""Acute kidney injury that results show: a warning of its risk comes too late then.

Source: KDIGO guideline on acute kidney injury, 2012, definition by creatinine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from wardround.authoring.assist.facts.rules import BoundRule

_INJURY = "acute kidney failure"
_RISE, _RISE_WITHIN = 0.3, timedelta(hours=48)  # mg/dL
_FOLD, _FOLD_WITHIN = 1.5, timedelta(days=7)


def has_kidney_injury(creatinine: Sequence[tuple[datetime, float]]) -> bool:
    """True if the latest creatinine has risen by 0.3 mg/dL in 48 hours, or to 1.5-fold in a week.

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

    def least(within: timedelta) -> float:
        return min(value for time, value in creatinine if now - time <= within)

    rise = round(last - least(_RISE_WITHIN), 6)
    return rise >= _RISE or last >= _FOLD * least(_FOLD_WITHIN)


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
