"""Checks of windows of time and of first or last stays."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.queries.probes import Rows, selected
from wardround.benchmarks.clinsql.items.checks import Stay, Window
from wardround.benchmarks.kit.checks import Finding

_STARTS = {"admission": ("admittime",), "icu": ("intime",), "discharge": ("dischtime", "outtime")}
_EVENTS = ("charttime", "starttime", "stoptime", "endtime", "chartdate", "ordertime", "storetime")
_ORIGIN, _HALF_HOURS = datetime(2150, 3, 10, 10), range(-2 * 800, 2 * 800 + 1)
_FAR = _HALF_HOURS[-1] / 2
_FIRST_BY = {"icu": {"intime"}, "admission": {"admittime"}, None: {"intime", "admittime"}}


def decide_window(check: Window, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Passed if events are kept up to so many hours after the start, or before it."""
    spans = _spans(facts, check.start)
    if isinstance(spans, Finding):
        return spans
    known = _spans(gold, check.start) if gold else []
    open_ends = not isinstance(known, Finding) and any(_is_open(span) for span in known)
    for low, high in spans:
        near, far = (low, high) if check.hours > 0 else (-high, -low)
        if abs(far - abs(check.hours)) <= 0.5 and (
            abs(near) <= 0.5 or (near == -_FAR and open_ends)
        ):
            return Finding("passed", f"events from {low:g} to {high:g} hours are kept")
    named = "; ".join(f"{low:g} to {high:g}" for low, high in spans)
    return Finding("failed", f"events are kept from {named} hours of the start")


def decide_stay(check: Stay, facts: QueryFacts) -> Finding:
    """Passed if a rank by time within each patient keeps the first, or the last."""
    which = {end for c in facts.filters() if (end := _kept_rank(c, check)) is not None}
    if check.which in which:
        return Finding("passed", f"the query keeps the {check.which} by rank")
    if which:
        return Finding("failed", f"the query keeps the {which.pop()} by rank")
    can_choose = (exp.Window, exp.Min, exp.Max, exp.Limit, exp.ArrayAgg, exp.AnyValue, exp.Distinct)
    if any(select.find(*can_choose) for select in facts.selects):
        return Finding("undecided", "it may choose stays in another way than by rank")
    return Finding("failed", "nothing chooses among a patient's stays")


def decide_first(which: str, facts: QueryFacts) -> Finding:
    """Passed if the first, or the last, measurement of each stay is taken by its time."""
    directions = {_direction(key) for tests in _rank_tests(facts) for key in tests}
    directions |= {_direction(key) for value in facts.values for key in _picked(value)}
    known = directions - {""}
    if known == {which}:
        return Finding("passed", f"the {which} measurement is used")
    if known and which not in known:
        return Finding("failed", f"the {', '.join(sorted(known))} measurement is used")
    return Finding("undecided", f"the {which} measurement may be taken in another way")


def _rank_tests(facts: QueryFacts) -> Iterator[list[exp.Expr]]:
    """The first keys of ranks within stays of which a condition keeps rank 1."""
    for condition in facts.filters():
        window = _first_rank(condition)
        if window is not None and (order := window.args.get("order")):
            yield [order.expressions[0]]


def _picked(value: exp.Expr) -> Iterator[exp.Expr]:
    """The first keys of ordered arrays of which one element is taken, and of FIRST_VALUE."""
    for node in value.find_all(exp.ArrayAgg):
        order = node.find(exp.Order)
        if order is not None and node.find_ancestor(exp.Bracket) is not None:
            yield order.expressions[0]
    for window in value.find_all(exp.Window):
        order = window.args.get("order")
        if isinstance(window.this, exp.FirstValue) and order is not None:
            yield order.expressions[0]


def _direction(key: exp.Expr) -> str:
    """First for rising times of events, last for falling ones; "" for another order."""
    if not isinstance(key, exp.Ordered) or {x.name for x in key.find_all(exp.Column)} - {*_EVENTS}:
        return ""
    return "last" if key.args.get("desc") else "first"


def _is_open(span: tuple[float, float]) -> bool:
    return abs(span[0]) == _FAR or abs(span[1]) == _FAR


def _spans(facts: QueryFacts, start: str | None) -> list[tuple[float, float]] | Finding:
    """The hours after the start at which events are kept, one span for each occurrence."""
    starts = _STARTS[start] if start else ("admittime", "intime")
    all_starts = [name for names in _STARTS.values() for name in names]
    limits = [c for c in facts.conditions if c.reads(*_EVENTS) and c.reads(*all_starts)]
    groups: dict[tuple[str, int], list[Condition]] = {}
    for condition in limits:
        key = next(x.db for x in condition.expression.find_all(exp.Column) if x.name in _EVENTS)
        groups.setdefault((key, condition.flag), []).append(condition)
    spans = [s for name in starts for group in groups.values() for s in _span(group, name)]
    if spans:
        return spans
    if limits and not all(c.reads(*starts) for c in limits):
        return Finding("failed", "events are kept around another time")
    if limits or facts.has_untraced:
        return Finding("undecided", "the window cannot be computed")
    return Finding("failed", "no event is kept by its time after the start")


def _span(group: list[Condition], start: str) -> list[tuple[float, float]]:
    if not any(condition.reads(start) for condition in group):
        return []
    rows = _TIMES[start]
    rows_kept = selected(group, rows)
    hours = [h / 2 for h, keeps in zip(_HALF_HOURS, rows_kept or (), strict=False) if keeps]
    whole = hours and len(hours) == 2 * (hours[-1] - hours[0]) + 1
    return [(hours[0], hours[-1])] if whole else []


def _times(start: str) -> Rows:
    """Events at each half hour around a start; the other times lie far before or after."""
    far = {"admittime": -5000, "intime": -4000, "outtime": 4000, "dischtime": 5000}
    starts = {n: _ORIGIN + timedelta(hours=0 if n == start else h) for n, h in far.items()}
    events = [_ORIGIN + timedelta(hours=half / 2) for half in _HALF_HOURS]
    fixed = {name: [time] * len(events) for name, time in starts.items()}
    return Rows({**fixed, **dict.fromkeys(_EVENTS, events)})


_TIMES = {name: _times(name) for name in ("admittime", "intime", "outtime", "dischtime")}


def _kept_rank(condition: Condition, check: Stay) -> str | None:
    """The place, first or last, if a condition keeps rank 1 of a patient's stays by time."""
    window = _first_rank(condition)
    if window is None:
        return None
    by = {x.name for p in window.args.get("partition_by") or () for x in p.find_all(exp.Column)}
    order = window.args.get("order")
    first = order.expressions[0] if order else None
    if by != {"subject_id"} or not isinstance(first, exp.Ordered):
        return None
    if {x.name for x in first.find_all(exp.Column)} - _FIRST_BY[check.of]:
        return None
    return "last" if first.args.get("desc") else "first"


def _first_rank(condition: Condition) -> exp.Window | None:
    """The rank of which a condition keeps the first."""
    test = condition.expression
    if not isinstance(test, (exp.EQ, exp.LTE)) or test.expression.unnest() != exp.Literal.number(1):
        return None
    window = test.this.unnest()
    ranks = (exp.RowNumber, exp.Rank, exp.DenseRank)
    return window if isinstance(window, exp.Window) and isinstance(window.this, ranks) else None
