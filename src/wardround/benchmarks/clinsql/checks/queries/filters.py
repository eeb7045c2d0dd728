"""Checks of filters: conditions are tried on a row for each person or value that may be kept."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, lru_cache

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.queries.probes import Rows, masks, selected
from wardround.benchmarks.clinsql.items.checks import Age, ExcludesNull, Sex, Survival, ValueBounds
from wardround.benchmarks.kit.checks import Finding

_LOWEST, _HIGHEST, _YEARS = 15, 100, 3
_CONVENTIONS = {"anchor": "anchor_age", "admission": "the age computed at admission"}
# Distances from a bound at which values are tried.
_BESIDE = (-1e4, -1, -0.01, 0, 0.01, 1, 1e4)
_KEPT = 256


@dataclass(frozen=True, slots=True)
class _Choice:
    """Two kinds of people of whom a query may keep one.

    Attributes:
        rows: a row for each kind.
        names: their names.
        both: their name together.
        columns: the columns by which a query filters them.
        others: further columns by which it may tell them apart.
    """

    rows: Rows
    names: tuple[str, str]
    both: str
    columns: tuple[str, ...]
    others: tuple[str, ...] = ()


_SEXES = _Choice(Rows({"gender": ["F", "M"]}), ("F", "M"), "both sexes", ("gender",))
_ENDS = _Choice(
    Rows({"hospital_expire_flag": [0, 1], "deathtime": [None, datetime(2150, 6, 20)]}),
    ("survivors", "deaths"),
    "deaths and survivors",
    ("hospital_expire_flag", "deathtime"),
    ("dod", "discharge_location"),
)


def decide_sex(check: Sex, facts: QueryFacts) -> Finding:
    """Passed if every row that is kept is of the sex."""
    return _chosen(_SEXES, [check.value == "F", check.value == "M"], facts)


def decide_survival(check: Survival, facts: QueryFacts) -> Finding:
    """Passed if only those are kept who died in hospital, or who did not."""
    return _chosen(_ENDS, [not check.died, check.died], facts)


def _chosen(choice: _Choice, wanted: list[bool], facts: QueryFacts) -> Finding:
    rows_kept = _kept(facts, choice.rows, choice.columns, choice.others)
    if isinstance(rows_kept, Finding):
        return rows_kept
    names = [name for name, keeps in zip(choice.names, rows_kept, strict=True) if keeps]
    if not names:
        return Finding("undecided", f"the query keeps {choice.both} in different places")
    return Finding(
        "passed" if rows_kept == wanted else "failed", f"the query keeps {' and '.join(names)}"
    )


def decide_age(check: Age, facts: QueryFacts) -> Finding:
    """Passed if the ages kept are those within the bounds, by the convention that is named."""
    rows_kept = _kept(facts, _ages(), ("anchor_age",))
    if isinstance(rows_kept, Finding):
        return rows_kept
    if not any(rows_kept):
        return Finding("undecided", "the query keeps no age at all: it filters in several places")
    for convention, age in _AGE_OF.items():
        if rows_kept == [_is_within(age(row), check) for row in range(len(rows_kept))]:
            is_named = check.convention in (None, convention)
            used = f"the query uses {_CONVENTIONS[convention]}"
            return Finding("passed" if is_named else "failed", used)
    if any(c.reads("anchor_age") and c.expression.find(exp.Div) for c in facts.filters()):
        return Finding("undecided", "the age is a fraction of years")
    bounds = [b for age in _AGE_OF.values() if (b := _bounds(rows_kept, age)) is not None]
    if not bounds:
        return Finding("undecided", "the age is computed in another way")
    return Finding("failed", f"the query keeps ages from {bounds[0][0]} to {bounds[0][1]}")


def _kept(
    facts: QueryFacts, rows: Rows, columns: tuple[str, ...], others: tuple[str, ...] = ()
) -> list[bool] | Finding:
    """True for each row that passes all filters on the columns."""
    filters = [condition for condition in facts.filters() if condition.reads(*columns)]
    if not filters:
        return _without_filter(facts, columns, others)
    rows_kept = selected(filters, rows)
    if rows_kept is None:
        return Finding("undecided", f"a condition on {columns[0]} holds more than it")
    return rows_kept


def _without_filter(
    facts: QueryFacts, columns: tuple[str, ...], others: tuple[str, ...]
) -> Finding:
    if any(condition.reads(*columns, *others) for condition in facts.conditions):
        return Finding("undecided", f"{columns[0]} decides a value, or filters one side of a join")
    if facts.has_untraced:
        return Finding("undecided", "a condition cannot be traced to a table")
    return Finding("failed", f"nothing filters by {columns[0]}")


def _anchor(row: int) -> int:
    return _LOWEST + row // _YEARS


def _admission(row: int) -> int:
    return _anchor(row) + row % _YEARS


_AGE_OF: dict[str, Callable[[int], int]] = {"anchor": _anchor, "admission": _admission}


def _is_within(age: int, check: Age) -> bool:
    return (check.low is None or age >= check.low) and (check.high is None or age <= check.high)


def _bounds(rows_kept: list[bool], age: Callable[[int], int]) -> tuple[int, int] | None:
    """The lowest and highest age kept, if it alone decides."""
    ages = {age(row) for row, keeps in enumerate(rows_kept) if keeps}
    left = {age(row) for row, keeps in enumerate(rows_kept) if not keeps}
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


def decide_null(check: ExcludesNull, facts: QueryFacts) -> Finding:
    """Passed if a filter leaves out rows in which the column is NULL."""
    column = check.column.lower()
    related = [c for c in facts.conditions if c.reads(column) and not _spares(c, column, facts)]
    tried = masks(related, _rows_of(column, (None,)))
    for condition, row_mask in zip(related, tried, strict=True):
        leaves_out = row_mask is not None and not row_mask.any()
        if leaves_out and condition.role in ("filter", "optional", "flag"):
            return Finding("passed", f"a condition leaves out rows without {column}")
    filters = [c for c in related if c.role != "flag"]
    if facts.has_untraced or any(len(c.names) > 1 for c in filters):
        return Finding("undecided", f"a condition on {column} holds more than it")
    return Finding("failed", f"no condition leaves out rows without {column}")


def _spares(condition: Condition, column: str, facts: QueryFacts) -> bool:
    """True if a condition of an outer join is about a column of a table whose rows all stay."""
    required = {x.db for c in facts.filters() for x in c.expression.find_all(exp.Column)}
    read = {x.db for x in condition.expression.find_all(exp.Column) if x.name == column}
    return condition.role == "optional" and read <= required


def decide_bounds(check: ValueBounds, facts: QueryFacts) -> Finding:
    """Passed if conditions keep the values of the column within the bounds."""
    column = check.column.lower() or "valuenum"
    related = [c for c in facts.conditions if c.reads(column)]
    alone = [c for c in related if c.names == {column}]
    ends = [end for end in (check.low, check.high) if end is not None]
    values = tuple(v for v in sorted({end + d for end in ends for d in _BESIDE}) if v not in ends)
    wanted = [
        (check.low is None or v > check.low) and (check.high is None or v < check.high)
        for v in values
    ]
    groups: dict[tuple[str, int], list[Condition]] = {}
    for condition in alone:
        table = next(x.db for x in condition.expression.find_all(exp.Column))
        groups.setdefault((table, condition.flag), []).append(condition)
    rows_kept = [selected(group, _rows_of(column, values)) for group in groups.values()]
    if wanted in rows_kept:
        return Finding("passed", f"{column} is kept within the bounds")
    if len(alone) < len(related) or None in rows_kept or facts.has_untraced:
        return Finding("undecided", f"a condition on {column} cannot be tried")
    return Finding("failed", f"{column} is not kept within the bounds")


@lru_cache(_KEPT)
def _rows_of(column: str, values: tuple[float | None, ...]) -> Rows:
    """A row for each value of a column; the conditions tried on it are remembered."""
    return Rows({column: values})
