"""Checks of measures: statistics, their columns, units and denominators."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.facts import QueryFacts
from wardround.benchmarks.clinsql.checks.queries.probes import Rows, evaluated
from wardround.benchmarks.clinsql.checks.queries.times import decide_first
from wardround.benchmarks.clinsql.items.checks import Measure
from wardround.benchmarks.kit.checks import Finding

_SIMPLE: dict[type[exp.Expr], str] = {
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
    exp.Sum: "sum",
    exp.Count: "count",
    exp.CountIf: "count",
    exp.Stddev: "sd",
    exp.StddevSamp: "sd",
    exp.StddevPop: "sd",
}
_LENGTHS = ({"admittime", "dischtime"}, {"intime", "outtime"}, {"los"})
_START = datetime(2150, 3, 10, 10)
_DAYS = 3
_END = _START + timedelta(days=_DAYS)
_STAY = Rows(
    {
        **{name: [_START] for name in ("admittime", "intime", "starttime")},
        **{name: [_END] for name in ("dischtime", "outtime", "stoptime")},
        "los": [float(_DAYS)],
    }
)
_UNITS = {"days": float(_DAYS), "hours": 24.0 * _DAYS, "minutes": 1440.0 * _DAYS}
# A stay of three days and half a day more, from a morning: its dates differ by three days.
_HALF = 0.5
_LONGER = Rows(
    {
        **{name: [_START] for name in ("admittime", "intime", "starttime")},
        **{name: [_END + timedelta(days=_HALF)] for name in ("dischtime", "outtime", "stoptime")},
        "los": [_DAYS + _HALF],
    }
)
_SCALES = {100.0: "percent", 1.0: "fraction"}


@dataclass(frozen=True, slots=True)
class Statistic:
    """An aggregate of a query.

    Attributes:
        name: as in a check; percentile for all quantiles.
        of: the expression that it is taken of.
        argument: the percentile, from 0 to 100.
    """

    name: str
    of: exp.Expr
    argument: float | None = None


def statistics(value: exp.Expr) -> Iterator[Statistic]:
    """The aggregates within an expression."""
    for node in value.find_all(*_SIMPLE, exp.Bracket, exp.PercentileCont, exp.PercentileDisc):
        if isinstance(node, exp.Bracket):
            if (approximation := _approximate(node)) is not None:
                yield approximation
        elif isinstance(node, exp.PercentileCont | exp.PercentileDisc):
            at = _number(node.expression)
            yield Statistic("percentile", node.this, None if at is None else 100 * at)
        else:
            yield Statistic(_SIMPLE[type(node)], node.this)


def _approximate(node: exp.Bracket) -> Statistic | None:
    """An element of APPROX_QUANTILES."""
    array = node.this.unnest()
    if not isinstance(array, exp.ApproxQuantiles) or len(node.expressions) != 1:
        return None
    parts, index = _number(array.args.get("expression")), _number(node.expressions[0])
    of = array.this
    at = None if not parts or index is None else 100 * index / parts
    return Statistic("percentile", of, at)


def _number(node: exp.Expr | None) -> float | None:
    node = node.this if isinstance(node, exp.Offset) else node
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None


def decide_measure(check: Measure, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Passed if the query takes the statistic of the columns, in the unit that is named."""
    if check.name == "rate" and not check.statistic:
        return _scaled_rate(check, facts, gold) if check.unit else _rate(facts, gold)
    if check.statistic in ("first", "last"):
        return decide_first(check.statistic, facts)
    if check.name in ("length_of_stay", "duration"):
        return _length(check, facts)
    if check.name == "rank" and not check.statistic:
        return _rank(facts)
    if not check.statistic or check.statistic == "ntile":
        return _ntile(check, facts)
    computed = [s for v in facts.values for s in statistics(v) if _reads(s.of, check.columns)]
    return _statistic(check, computed, facts)


def _statistic(check: Measure, computed: list[Statistic], facts: QueryFacts) -> Finding:
    quantiles = {s.argument for s in computed if s.name == "percentile"}
    names = {s.name for s in computed}
    wanted = 50.0 if check.statistic == "median" else check.argument
    if check.statistic in ("median", "percentile"):
        if (wanted is None and quantiles) or wanted in quantiles:
            return Finding(
                "passed", f"percentile {wanted if wanted is not None else 'any'} is taken"
            )
        if known := sorted(q for q in quantiles if q is not None):
            return Finding("failed", f"percentiles {', '.join(f'{q:g}' for q in known)} are taken")
    elif check.statistic == "iqr":
        if {25.0, 75.0} <= quantiles:
            return Finding("passed", "percentiles 25 and 75 are taken")
    elif check.statistic in names:
        return Finding("passed", f"the {check.statistic} is taken")
    opaque = (exp.Window, exp.ArrayAgg, exp.Offset, exp.Unnest, exp.ApproxQuantiles)
    if any(s.find(*opaque) for s in facts.selects) and check.statistic != "mean":
        return Finding("undecided", f"the {check.statistic} may be computed in another way")
    if check.statistic == "mean" and {"sum", "count"} <= names:
        return Finding("undecided", "the mean may be a sum over a count")
    if not names:
        return Finding("undecided", "no aggregate of these columns can be traced")
    return Finding("failed", f"the {check.statistic} is not taken: {', '.join(sorted(names))}")


def _length(check: Measure, facts: QueryFacts) -> Finding:
    """A length of stay or a duration, in its unit, and its statistic."""
    values = [v for v in facts.values if _is_length(v, check.name)]
    if not values:
        return Finding("undecided", "no length of stay or duration can be traced")
    if check.statistic:
        lengths = [s for v in values for s in statistics(v) if _is_length(s.of, check.name)]
        finding = _statistic(check, lengths, facts)
        if finding.state != "passed":
            return finding
    if not check.unit:
        return Finding("passed", f"the {check.name.replace('_', ' ')} is computed")
    shown = [value for value in facts.output.values() if _is_length(value, check.name)]
    shown = shown if any(_units(value) for value in shown) else values
    units = {unit for value in shown for unit in _units(value)}
    if check.unit in units and check.parts:
        return _with_parts(shown)
    if check.unit in units:
        return Finding("passed", f"computed in {check.unit}")
    known = ", ".join(sorted(units))
    return Finding("failed" if units else "undecided", f"computed in {known or 'an unknown unit'}")


def _is_length(value: exp.Expr, name: str) -> bool:
    columns = {column.name for column in value.find_all(exp.Column)}
    if name == "duration":
        return {"starttime", "stoptime"} <= columns or {"starttime", "endtime"} <= columns
    return any(both <= columns for both in _LENGTHS)


def _units(value: exp.Expr) -> list[str]:
    """The unit of a value: it is computed for a stay of three days, aggregates taken of it."""
    amount = _amount(value, _STAY)
    return [unit for unit, wanted in _UNITS.items() if amount == wanted]


def _with_parts(values: list[exp.Expr]) -> Finding:
    """Passed if each length in days counts the hours of a part of a day."""
    amounts = {_amount(v, _LONGER) for v in values if "days" in _units(v)}
    if amounts == {_DAYS + _HALF}:
        return Finding("passed", "computed in days with their hours")
    if None in amounts:
        return Finding("undecided", "days may be counted in another way")
    return Finding("failed", "computed in whole days, without their hours")


def _amount(value: exp.Expr, stay: Rows) -> float | None:
    """The value for a stay, with aggregates taken of it."""
    box = exp.Paren(this=value.copy())
    for window in list(box.find_all(exp.Window)):
        window.replace(window.this)
    for node in list(box.find_all(exp.AggFunc)):
        if not isinstance(node, exp.Count) and node.this is not None:
            above = node.parent
            bracket = above if isinstance(above, exp.Bracket) else node
            bracket.replace(node.this.copy())
    computed = evaluated(box.this, stay)
    amount = computed[0] if computed else None
    return float(amount) if isinstance(amount, int | float) else None


def _rank(facts: QueryFacts) -> Finding:
    ranks = (exp.PercentRank, exp.CumeDist, exp.Rank, exp.DenseRank, exp.RowNumber)
    if any(value.find(*ranks) for value in facts.values):
        return Finding("passed", "a rank is computed")
    if any(select.find(exp.Window) for select in facts.selects):
        return Finding("undecided", "the rank may be computed in another way")
    return Finding("failed", "no rank is computed")


def _ntile(check: Measure, facts: QueryFacts) -> Finding:
    if check.statistic != "ntile":
        return Finding("undecided", "the requirement names no statistic")
    tiles = {str(n.this) for value in facts.values for n in value.find_all(exp.Ntile)}
    wanted = f"{check.argument:g}" if check.argument else ""
    if tiles and check.order:
        return _tile_order(check.order, facts)
    if wanted in tiles or (tiles and not wanted):
        return Finding("passed", f"rows are put into {wanted or min(tiles)} groups of equal size")
    if tiles:
        return Finding("failed", f"rows are put into {', '.join(sorted(tiles))} groups")
    return Finding("undecided", "groups may be made in another way")


def _tile_order(wanted: str, facts: QueryFacts) -> Finding:
    """Compares the direction of groups of equal size; arithmetic on their numbers is not read."""
    windows = [
        w for v in facts.values for w in v.find_all(exp.Window) if isinstance(w.this, exp.Ntile)
    ]
    keys = [w.args["order"].expressions[0] for w in windows if w.args.get("order")]
    directions = {"falling" if key.args.get("desc") else "rising" for key in keys}
    if any(key.find(exp.Neg, exp.Sub) for key in keys) or len(directions) != 1:
        return Finding("undecided", "the direction of the groups cannot be told")
    shown = [v for v in facts.output.values() if v.find(exp.Ntile)]
    if directions == {wanted}:
        return Finding("passed", f"groups are {wanted}")
    if any(v.find(exp.Neg, exp.Sub) for v in shown):
        return Finding("undecided", "the numbers of the groups are computed")
    return Finding("failed", f"groups are {directions.pop()}, not {wanted}")


def _scaled_rate(check: Measure, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Compares the factor of a rate, whose numerator is one of the gold's, with its unit."""
    wanted = dict(_divisions(gold)) if gold else {}
    scales = {
        _SCALES.get(_factor(node))
        for value in facts.output.values()
        for node in _rates(value)
        if _text(node.this) in wanted
    }
    if not scales or None in scales:
        return Finding("undecided", "the rate is computed in another way")
    if scales == {check.unit}:
        return Finding("passed", f"given as {check.unit}")
    return Finding("failed", f"given as {', '.join(sorted(s for s in scales if s))}")


def _factor(node: exp.Expr) -> float:
    """The product of the numbers by which a division is multiplied."""
    product = 1.0
    plain = node.this.unnest()
    while isinstance(plain, exp.Mul):
        left, right = plain.this.unnest(), plain.expression.unnest()
        number, plain = (left, right) if isinstance(left, exp.Literal) else (right, left)
        product *= float(number.name) if isinstance(number, exp.Literal) else math.nan
    above = node.parent
    while isinstance(above, exp.Paren | exp.Mul | exp.Round):
        if isinstance(above, exp.Mul):
            sides = (above.this.unnest(), above.expression.unnest())
            product *= next((float(s.name) for s in sides if isinstance(s, exp.Literal)), math.nan)
        above = above.parent
    return product


def _rate(facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Compares divisions with the gold's: the same numerator needs the same denominator."""
    wanted, given = (dict(_divisions(q)) if q else {} for q in (gold, facts))
    if not wanted:
        return Finding("undecided", "the gold computes the rate in another way")
    if all(given.get(over) == under for over, under in wanted.items()):
        return Finding("passed", "numerator and denominator are the gold's")
    for over, under in wanted.items():
        if over in given and given[over] != under:
            return Finding("failed", f"the denominator is {given[over]}, not {under}")
    return Finding("undecided", "the rate is computed in another way")


def _divisions(facts: QueryFacts) -> Iterator[tuple[str, str]]:
    """Numerators and denominators; a division by a number converts a unit and is not a rate."""
    for value in facts.output.values():
        for node in _rates(value):
            yield _text(node.this), _text(node.expression)


def _rates(value: exp.Expr) -> Iterator[exp.Expr]:
    """The divisions by something else than a number."""
    for node in value.find_all(exp.Div, exp.SafeDivide):
        if not isinstance(node.expression.unnest(), exp.Literal):
            yield node


def _text(node: exp.Expr) -> str:
    """An expression without the occurrences of its tables and constant factors."""
    plain = node.copy()
    for column in list(plain.find_all(exp.Column)):
        column.set("db", None)
    while isinstance(plain, exp.Paren | exp.Mul):
        factor = isinstance(plain, exp.Mul) and isinstance(plain.this, exp.Literal)
        plain = plain.expression if factor else plain.this
    return plain.sql("bigquery")


def _reads(of: exp.Expr, columns: tuple[str, ...]) -> bool:
    read = {column.name for column in of.find_all(exp.Column)}
    return {name.lower() for name in columns} <= read
