"""Reads turns that change a single part of the last question: "And the lowest?", "In April?".

There is no reading if the intended part is unclear, or if the last question has no such part.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from wardround.agents.parser.talk.numbers import DAYS, NumberLimit, bounds_in_days, find_limits
from wardround.agents.parser.talk.patterns import meaning_of, phrase
from wardround.agents.parser.talk.request import OF_PEOPLE, Clause, Request, StatedGoal
from wardround.agents.parser.talk.times import month_of_year
from wardround.ehr.query import Between, Bound, Period

_Reader: TypeAlias = Callable[[Request, str], "Request | None"]

_MEASURED = ("lab", "vital", "intake", "output")
_LISTED = ("patient", "admission", "icu")  # what is listed by number, each once


def short_turn(request: Request, wording: str) -> Request | None:
    """The request after a turn that changes one part of it; None for other turns.

    Args:
        request: The request that was answered.
        wording: The user's words.
    """
    text = phrase("short_lead").sub("", wording.lower()).strip(" ?.!,")
    for read in _READERS:
        if (after := read(request, text)) is not None:
            return replace(after, turns=request.turns + 1) if after != request else None
    return None


def _statistic(request: Request, text: str) -> Request | None:
    """Another statistic or place in time: "the lowest", "the first time"."""
    match = phrase("short_statistic").fullmatch(text)
    goal, which = request.goal, meaning_of("which", match["which"]) if match else ""
    if goal is None or not which:
        return None
    is_end, stay_or_visit = which in ("first", "last"), request.stay or request.visit
    if is_end and stay_or_visit and goal.which == "all":
        end: Literal["first", "last"] = "first" if which == "first" else "last"
        return replace(request, stay=end) if request.stay else replace(request, visit=end)
    if stay_or_visit and is_end and goal.which in ("first", "last"):
        return None  # the first value of the last stay, or the last value of the first
    if goal.shape not in ("value", "time", "length", "cost") or (is_end and not request.patient):
        return None
    is_valued = goal.shape != "time" or request.target_kind() in _MEASURED
    fits = is_end or (is_valued and (goal.shape != "time" or which in ("max", "min")))
    return replace(request, goal=replace(goal, which=which)) if fits else None


def _bounds(request: Request, text: str) -> Request | None:
    """Another limit in place of the only one: "under 40"."""
    limits = find_limits(text)
    if len(limits) != 1 or text[: limits[0].start].strip() or text[limits[0].end :].strip():
        return None
    limited = [each for each in request.all_conditions() if each.condition.bounds]
    if len(limited) != 1 or not _is_of_unit(limited[0], limits[0]):
        return None
    old, limit = limited[0], limits[0]
    bounds = bounds_in_days(limit) if old.column == "length" else limit.bounds
    if _overlap(old.condition.bounds, bounds):
        return None  # "over 40" and then "under 60" may be both at once
    return request.with_condition(old, old.changed(bounds=bounds))


def _is_of_unit(clause: Clause, limit: NumberLimit) -> bool:
    if clause.column in ("length", "hours"):
        return limit.unit in DAYS and (clause.column == "length") == (limit.unit != "hour")
    return limit.unit in ("", "year") if clause.column == "age" else limit.unit not in DAYS


def _overlap(old: tuple[Bound, ...], new: tuple[Bound, ...]) -> bool:
    """True if limits on both sides can be met by one number."""
    both = {bound.operator[0]: bound.number for bound in (*old, *new)}
    sides = [{bound.operator[0] for bound in each} for each in (old, new)]
    return sides[0].isdisjoint(sides[1]) and both[">"] < both["<"]


def _month(request: Request, text: str) -> Request | None:
    """A month of the year that was asked about."""
    match = phrase("short_month").fullmatch(text)
    timed = [each for each in request.all_conditions() if each.condition.periods]
    if match is None or len(timed) != 1:
        return None
    asked = timed[0].condition.periods[-1].filter
    window = month_of_year(match["month"], asked) if isinstance(asked, Between) else None
    if window is None:
        return None
    return request.with_condition(timed[0], timed[0].changed(periods=(Period(window),)))


def _time(request: Request, text: str) -> Request | None:
    """The time of the value or record that was given."""
    goal = request.goal
    if goal is None or not (request.patient and phrase("short_when").fullmatch(text)):
        return None
    if goal.shape == "value" and goal.which in ("first", "last", "max", "min"):
        timed = StatedGoal("time", of=request.target_kind(), column="time", which=goal.which)
        return replace(request, goal=timed)
    events = {c.kind for c in request.conditions if c.kind != "patient" and not c.is_negated}
    if goal.shape != "exists" or len(events) != 1:
        return None
    return replace(request, goal=StatedGoal("time", of=events.pop(), column="time"))


def _number(request: Request, text: str) -> Request | None:
    """The number of the people or stays that were listed."""
    goal = request.goal
    is_list = goal is not None and goal.shape == "list" and goal.column == "name"
    if goal is None or not (is_list and goal.of in _LISTED):
        return None
    is_asked = phrase("short_number").fullmatch(text)
    return replace(request, goal=StatedGoal("count", of=goal.of)) if is_asked else None


def _names(request: Request, text: str) -> Request | None:
    """The people or stays that were counted."""
    goal = request.goal
    if goal is None or not (goal.shape == "count" and goal.of in _LISTED):
        return None
    is_asked = phrase("short_names").fullmatch(text)
    return replace(request, goal=StatedGoal("list", of=goal.of)) if is_asked else None


def _absence(request: Request, text: str) -> Request | None:
    """The request with its only named condition denied."""
    named = [c for c in request.conditions if c.phrase and c.kind not in OF_PEOPLE]
    if len(named) != 1 or named[0].is_negated or not phrase("short_absence").fullmatch(text):
        return None
    return request.with_condition(named[0], named[0].changed(is_negated=True))


_READERS: tuple[_Reader, ...] = (_statistic, _bounds, _month, _time, _number, _names, _absence)
