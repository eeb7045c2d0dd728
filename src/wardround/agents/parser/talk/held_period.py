"""Names the period that records cover, if a question asked about a time outside it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal

import orjson

from wardround.agents.parser.talk.asked_query import asked_query
from wardround.agents.parser.talk.request import Clause, Request, StatedGoal
from wardround.agents.parser.talk.tool_client import Dialogue
from wardround.ehr.query import Between, to_sql
from wardround.ehr.records import Views

_ENDS: tuple[Literal["first", "last"], ...] = ("first", "last")


def held_period(
    timed: Clause, views: Views, run: Callable[[str], Dialogue[str]]
) -> Dialogue[tuple[str, int, int] | None]:
    """The kind of record of a condition with a period, with the first and last year that it has.

    None if some of the period lies between its first and last time.

    Args:
        timed: The condition.
        views: The records that it needs.
        run: Runs a query.
    """
    ends: list[datetime] = []
    for which in _ENDS:
        goal = StatedGoal("time", of=timed.kind, column="time", which=which)
        result = yield from run(to_sql(asked_query(Request(goal), goal, views), views))
        ends += _times(orjson.loads(result)["rows"])
    window = _window(timed)
    if window is None or len(ends) != len(_ENDS) or not _is_outside(window, *ends):
        return None
    return timed.kind, ends[0].year, ends[1].year


def timed_condition(request: Request) -> Clause | None:
    """The first condition with a period; None without one."""
    return next((each for each in request.all_conditions() if _window(each)), None)


def _window(clause: Clause) -> Between | None:
    filters = (period.filter for period in clause.condition.periods)
    return next((each for each in filters if isinstance(each, Between)), None)


def _times(rows: Sequence[Sequence[Any]]) -> list[datetime]:
    return [datetime.fromisoformat(str(row[0])) for row in rows if row[0] is not None]


def _is_outside(window: Between, first: datetime, last: datetime) -> bool:
    """True if a window ends before the first time, or begins after the last.

    >>> window = Between(datetime(2015, 1, 1), datetime(2016, 1, 1))
    >>> _is_outside(window, datetime(2110, 1, 1), datetime(2201, 1, 1))
    True
    """
    is_before = window.until is not None and window.until <= first
    return is_before or (window.since is not None and window.since > last)
