"""Checks of sex, age and survival, by conditions tried on a row for each possible person."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.probes import Rows, selected
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.sql_checks import Age, Sex, Survival

_SEXES = Rows({"gender": ["F", "M"]})
_ENDS = Rows({"hospital_expire_flag": [0, 1], "deathtime": [None, datetime(2150, 6, 20)]})
_LOWEST, _HIGHEST, _YEARS = 15, 100, 3
CONVENTIONS = {"anchor": "anchor_age", "admission": "the age computed at admission"}


def decide_sex(check: Sex, facts: QueryFacts) -> Finding:
    """Passed if every row that is kept is of the sex."""
    kept = _kept(facts, _SEXES, ("gender",))
    if isinstance(kept, Finding):
        return kept
    sexes = {sex for sex, keeps in zip(_SEXES.columns["gender"], kept, strict=True) if keeps}
    if not sexes:
        return Finding("undecided", "the query keeps both sexes in different places")
    found = " and ".join(sorted(map(str, sexes)))
    return Finding("passed" if sexes == {check.value} else "failed", f"the query keeps {found}")


def decide_survival(check: Survival, facts: QueryFacts) -> Finding:
    """Passed if only those are kept who died in hospital, or who did not."""
    kept = _kept(facts, _ENDS, ("hospital_expire_flag", "deathtime"), ("dod", "discharge_location"))
    if isinstance(kept, Finding):
        return kept
    if not any(kept):
        return Finding("undecided", "the query keeps deaths and survivors in different places")
    names = [name for name, keeps in zip(("survivors", "deaths"), kept, strict=True) if keeps]
    wanted = [not check.died, check.died]
    return Finding(
        "passed" if kept == wanted else "failed", f"the query keeps {' and '.join(names)}"
    )


def decide_age(check: Age, facts: QueryFacts) -> Finding:
    """Passed if the ages kept are those within the bounds, by the convention that is named."""
    kept = _kept(facts, _ages(), ("anchor_age",))
    if isinstance(kept, Finding):
        return kept
    if not any(kept):
        return Finding("undecided", "the query keeps no age at all: it filters in several places")
    for convention, age in _AGE_OF.items():
        if kept == [_within(age(row), check) for row in range(len(kept))]:
            return _with_convention(check, convention)
    if any(c.reads("anchor_age") and c.expression.find(exp.Div) for c in facts.filters()):
        return Finding("undecided", "the age is a fraction of years")
    bounds = [b for age in _AGE_OF.values() if (b := _bounds(kept, age)) is not None]
    if not bounds:
        return Finding("undecided", "the age is computed in another way")
    return Finding("failed", f"the query keeps ages from {bounds[0][0]} to {bounds[0][1]}")


def _kept(
    facts: QueryFacts, rows: Rows, columns: tuple[str, ...], others: tuple[str, ...] = ()
) -> list[bool] | Finding:
    """True for each row that passes all filters on the columns."""
    filters = [found for found in facts.filters() if found.reads(*columns)]
    if not filters:
        return _without_filter(facts.conditions, columns, others)
    kept = selected(filters, rows)
    if kept is None:
        return Finding("undecided", f"a condition on {columns[0]} holds more than it")
    return kept


def _without_filter(
    conditions: list[Condition], columns: tuple[str, ...], others: tuple[str, ...]
) -> Finding:
    if any(found.reads(*columns, *others) for found in conditions):
        return Finding("undecided", f"{columns[0]} decides a value, or filters one side of a join")
    if any(found.reads("_") for found in conditions):
        return Finding("undecided", "a condition cannot be traced to a table")
    return Finding("failed", f"nothing filters by {columns[0]}")


def _with_convention(check: Age, convention: str) -> Finding:
    named = check.convention
    used = f"the query uses {CONVENTIONS[convention]}"
    return Finding("passed" if named in (None, convention) else "failed", used)


def _anchor(row: int) -> int:
    return _LOWEST + row // _YEARS


def _admission(row: int) -> int:
    return _anchor(row) + row % _YEARS


_AGE_OF: dict[str, Callable[[int], int]] = {"anchor": _anchor, "admission": _admission}


def _within(age: int, check: Age) -> bool:
    return (check.low is None or age >= check.low) and (check.high is None or age <= check.high)


def _bounds(kept: list[bool], age: Callable[[int], int]) -> tuple[int, int] | None:
    """The lowest and highest age kept, if it alone decides."""
    ages = {age(row) for row, keeps in enumerate(kept) if keeps}
    left = {age(row) for row, keeps in enumerate(kept) if not keeps}
    return (min(ages), max(ages)) if ages and not ages & left else None


@cache
def _ages() -> Rows:
    """People of each age, admitted in the year of their anchor age and in the two after."""
    rows = range((_HIGHEST - _LOWEST + 1) * _YEARS)
    admitted = [datetime(2150 + row % _YEARS, 6, 15, 10) for row in rows]
    return Rows(
        {
            "anchor_age": [_anchor(row) for row in rows],
            "anchor_year": [2150 for _ in rows],
            "admittime": admitted,
            "intime": [time + timedelta(hours=2) for time in admitted],
            "outtime": [time + timedelta(hours=50) for time in admitted],
            "dischtime": [time + timedelta(hours=72) for time in admitted],
        }
    )
