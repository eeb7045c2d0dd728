"""Checks of groups, rounding, distinct counts and conditions on values."""

from functools import lru_cache

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.probes import Rows, masks, selected
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.sql_checks import (
    Distinct,
    ExcludesNull,
    GroupBy,
    Rounding,
    ValueBounds,
)


def decide_group(check: GroupBy, facts: QueryFacts) -> Finding:
    """Passed if the query groups by all columns, in one step or several."""
    found = {x.name for key in facts.groups for x in key.find_all(exp.Column)}
    found |= {k.name for s in facts.selects for k in _group_keys(s)}
    missing = sorted({name.lower() for name in check.columns} - found)
    if not missing:
        return Finding("passed", f"the query groups by {', '.join(check.columns)}")
    named = {name for s in facts.selects for name in s.named_selects}
    unclear = any(name not in named for name in missing) and bool(facts.groups)
    known = not facts.set_operation and not (unclear and not _are_columns(missing))
    return Finding("failed" if known else "undecided", f"no group by {', '.join(missing)}")


def decide_rounding(check: Rounding, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Passed if the named column, or else each that the gold rounds, is rounded to so many places.

    Columns of the gold are found by name; one that is found under another name may be missed, but
    some column has to be rounded.
    """
    column = check.column.lower()
    own = {column: facts.output[column]} if column in facts.output else facts.output
    places = {name: _places(value) for name, value in own.items()}
    expected = {name for name, value in (gold.output if gold else {}).items() if _places(value)}
    unrounded = [name for name in places if name in expected and not places[name]]
    if any(check.digits in digits for digits in places.values()) and not unrounded:
        return Finding("passed", f"rounded to {check.digits} places")
    others = (exp.Format, exp.Cast, exp.Trunc)
    unclear = unrounded or [name for name in places if not places[name]]
    if not any(places.values()) or unrounded:
        if any(own[name].find(*others) for name in unclear):
            return Finding("undecided", "the result may be rounded in another way")
        return Finding("failed", f"{', '.join(unrounded) or 'nothing'} is not rounded")
    found = sorted(set().union(*places.values()))
    return Finding("failed", f"rounded to {found[0]} places")


def decide_distinct(check: Distinct, facts: QueryFacts) -> Finding:
    """Passed if distinct values of the column are counted or selected."""
    column, dedupes = check.column.lower(), False
    for select in facts.selects:
        dedupes |= bool(select.args.get("distinct") or select.args.get("group"))
        if select.args.get("distinct") and select.named_selects == [column]:
            return Finding("passed", f"distinct rows with {column} are selected")
    for value in facts.values:
        for distinct in value.find_all(exp.Distinct):
            if any(x.name == column for x in distinct.find_all(exp.Column)):
                return Finding("passed", f"distinct {column} are counted")
    alone = any([key.name for key in _group_keys(select)] == [column] for select in facts.selects)
    counts = [c.this.unnest() for value in facts.values for c in value.find_all(exp.Count)]
    if not alone and any(isinstance(of, exp.Column) and of.name == column for of in counts):
        return Finding("failed", f"{column} is counted, not its distinct values")
    if dedupes or any(select.find(exp.Window, exp.ApproxDistinct) for select in facts.selects):
        return Finding("undecided", f"rows may be unique by {column} in another way")
    return Finding("failed", f"{column} is not counted or selected as distinct")


def decide_null(check: ExcludesNull, facts: QueryFacts) -> Finding:
    """Passed if a filter leaves out rows in which the column is NULL."""
    column = check.column.lower()
    related = [c for c in facts.conditions if c.reads(column) and not _spares(c, column, facts)]
    tried = masks(related, _without(column))
    for condition, kept in zip(related, tried, strict=True):
        leaves_out = kept is not None and not kept.any()
        if leaves_out and condition.role in ("filter", "optional", "flag"):
            return Finding("passed", f"a condition leaves out rows without {column}")
    filters = [c for c in related if c.role != "flag"]
    if any(c.reads("_") for c in facts.conditions) or any(len(c.names) > 1 for c in filters):
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
    mixed = [c for c in related if c.names != {column}]
    ends = [end for end in (check.low, check.high) if end is not None]
    values = sorted({end + d for end in ends for d in (-1e4, -1, -0.01, 0, 0.01, 1, 1e4)})
    inner = tuple(v for v in values if v not in ends)
    rows = _with_values(column, inner)
    wanted = [
        (check.low is None or v > check.low) and (check.high is None or v < check.high)
        for v in inner
    ]
    groups: dict[tuple[str, int], list[Condition]] = {}
    for c in related:
        if c in mixed:
            continue
        key = next(x.db for x in c.expression.find_all(exp.Column))
        groups.setdefault((key, c.flag), []).append(c)
    found = [selected(group, rows) for group in groups.values()]
    if wanted in found:
        return Finding("passed", f"{column} is kept within the bounds")
    if mixed or any(kept is None for kept in found) or any(c.reads("_") for c in facts.conditions):
        return Finding("undecided", f"a condition on {column} cannot be tried")
    return Finding("failed", f"{column} is not kept within the bounds")


@lru_cache(256)
def _without(column: str) -> Rows:
    """A row that lacks the value."""
    return Rows({column: [None]})


@lru_cache(256)
def _with_values(column: str, values: tuple[float, ...]) -> Rows:
    """A row for each value."""
    return Rows({column: values})


def _group_keys(select: exp.Select) -> list[exp.Expr]:
    group = select.args.get("group")
    return [key for key in (group.expressions if group else ()) if isinstance(key, exp.Column)]


def _are_columns(names: list[str]) -> bool:
    from wardround.benchmarks.clinsql.checks.query_scopes import schema_columns

    return all(name in schema_columns() for name in names)


def _places(value: exp.Expr) -> set[int]:
    """The places to which a value, or a part of it, is rounded."""
    return {_digits(found) for found in value.find_all(exp.Round)}


def _digits(found: exp.Round) -> int:
    places = found.args.get("decimals")
    return int(places.name) if isinstance(places, exp.Literal) and places.is_int else 0
