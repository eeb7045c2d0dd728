"""Builds the SQL query for a request."""

# Queries hold only quoted texts, numbers and names that the database returned.
# ruff: noqa: S608

from collections.abc import Iterable, Iterator

from wardround.agents.parser.talk.record_tests import containing, length, tests
from wardround.agents.parser.talk.records import is_by_visit, membership_tests, records
from wardround.agents.parser.talk.request import Condition, Goal, Kind, Request
from wardround.agents.parser.talk.schema import Schema
from wardround.ehr.database import quote_text

# Names of what is charged for, in the records of costs.
_CHARGED = {
    "procedure": ("procedure", "treatment"),
    "lab": ("lab",),
    "drug": ("prescri", "medication"),
    "diagnosis": ("diagnos", "condition"),
}
_AGGREGATES = {"max": "MAX", "min": "MIN", "average": "AVG", "sum": "SUM"}


def kinds_used(request: Request) -> list[str]:
    """The kinds of record whose views the request needs."""
    found = [request.target_kind(), *(k for c in request.all_conditions() for k in _kinds(c))]
    found += ["admission"] if request.visit else []
    found += ["icu"] if request.stay or request.hours else []
    return list(dict.fromkeys(kind for kind in found if kind))


def missing_tables(kinds: Iterable[str], schema: Schema) -> list[str]:
    """The tables of these kinds whose columns are not known yet."""
    found = [table for kind in kinds for table in schema.needed(kind)]
    return list(dict.fromkeys(found))


def build_query(request: Request, goal: Goal, schema: Schema, now: str) -> str:
    """The query for a request whose conditions are linked.

    Args:
        request: The request.
        goal: Its goal.
        schema: With the columns of every kind that `kinds_used` returns.
        now: The current time of the records.
    """
    body = _SHAPES[goal.shape](request, goal, schema).replace("{now}", quote_text(now))
    known = dict.fromkeys([*kinds_used(request), "admission", "patient"])
    used = [kind for kind in known if f"{kind}_view" in body]
    views = ", ".join(f"{kind}_view AS ({schema.view(kind)})" for kind in used)
    return f"WITH {views} {body}"


def _kinds(condition: Condition) -> Iterator[str]:
    yield condition.kind
    if condition.relation:
        yield from _kinds(condition.relation.anchor)


def _unit(request: Request) -> tuple[Kind, str]:
    """The kind of record to count, and the key to count distinct values of."""
    kind = request.target_kind() or "patient"
    if kind == "patient":
        return ("admission" if is_by_visit(request) else "patient"), "t.patient"
    keys = {"admission": "t.admission", "icu": "t.stay"}
    return kind, keys.get(kind, "")


def _count(request: Request, goal: Goal, schema: Schema) -> str:
    kind, key = _unit(request)
    counted = f"DISTINCT {key}" if key else "*"
    return f"SELECT COUNT({counted}) {records(request, schema, kind)}"


def _share(request: Request, goal: Goal, schema: Schema) -> str:
    """The share that meets the conditions on the part, among those that meet the others."""
    kind, key = _unit(request)
    part = " AND ".join(membership_tests(request, schema, kind, request.part)) or "1 = 1"
    counted = f"COUNT(DISTINCT CASE WHEN {part} THEN {key} END)"
    whole = records(request, schema, kind)
    return f"SELECT ROUND({goal.scale}.0 * {counted} / COUNT(DISTINCT {key}), 4) {whole}"


def _top(request: Request, goal: Goal, schema: Schema) -> str:
    counted = "DISTINCT t.patient" if goal.by == "patient" else "*"
    column = f"t.{goal.column}"
    ranked = (
        f"SELECT {column} AS name, DENSE_RANK() OVER (ORDER BY COUNT({counted}) DESC) AS place "
        f"{records(request, schema, request.target_kind())} AND {column} IS NOT NULL "
        f"GROUP BY {column}"
    )
    return f"SELECT name FROM ({ranked}) WHERE place <= {goal.top}"


def _value(request: Request, goal: Goal, schema: Schema) -> str:
    found = f"{records(request, schema, request.target_kind())} AND t.value IS NOT NULL"
    if goal.which in _AGGREGATES:
        return f"SELECT {_aggregate(goal.which, 't.value')} {found}"
    return f"SELECT t.value {found} {_in_time(goal.which)}"


def _time(request: Request, goal: Goal, schema: Schema) -> str:
    column = f"t.{goal.column}"
    kind = request.target_kind() or "admission"
    found = f"{records(request, schema, kind)} AND {column} IS NOT NULL"
    if goal.which in ("max", "min"):
        order = "DESC" if goal.which == "max" else "ASC"
        return f"SELECT {column} {found} AND t.value IS NOT NULL ORDER BY t.value {order} LIMIT 1"
    distinct = "DISTINCT " if goal.which == "all" else ""
    return f"SELECT {distinct}{column} {found} {_in_time(goal.which, column)}"


def _elapsed(request: Request, goal: Goal, schema: Schema) -> str:
    end = "MAX" if goal.which == "last" else "MIN"
    passed = f"julianday({{now}}) - julianday({end}(t.time))"
    found = records(request, schema, request.target_kind() or "admission")
    return f"SELECT ROUND({passed}, 4) {found}"


def _length(request: Request, goal: Goal, schema: Schema) -> str:
    found = f"{records(request, schema, request.target_kind())} AND t.finish IS NOT NULL"
    span = length("t") if goal.scale == 1 else f"{goal.scale} * {length('t')}"
    if goal.which in _AGGREGATES:
        return f"SELECT ROUND({_AGGREGATES[goal.which]}({span}), 4) {found}"
    return f"SELECT ROUND({span}, 4) {found} {_in_time(goal.which)}"


def _cost(request: Request, goal: Goal, schema: Schema) -> str:
    """Costs of the part if there is one, else of all care."""
    which = goal.which if goal.which in _AGGREGATES else "sum"
    found = records(request, schema, "cost")
    for charged in request.part:
        where = " AND ".join(tests(charged, "x")) or "1 = 1"
        words = _CHARGED[charged.kind]
        named = " OR ".join(f"t.name LIKE {containing(word)}" for word in words)
        found += f" AND ({named})"
        found += f" AND t.event IN (SELECT x.record FROM {charged.kind}_view x WHERE {where})"
    if goal.per:
        summed = f"SELECT SUM(t.value) AS value {found} GROUP BY t.{goal.per}"
        return f"SELECT ROUND({_AGGREGATES[which]}(value), 4) FROM ({summed})"
    return f"SELECT ROUND({_AGGREGATES[which]}(t.value), 4) {found}"


def _list(request: Request, goal: Goal, schema: Schema) -> str:
    kind, key = _unit(request)
    asks_ids = goal.column == "name" and bool(key) and kind in ("patient", "admission")
    column = key if asks_ids else f"t.{goal.column}"
    base = kind if asks_ids else request.target_kind() or "patient"
    found = f"{records(request, schema, base)} AND {column} IS NOT NULL"
    if goal.which in ("first", "last"):
        return f"SELECT {column} {found} {_in_time(goal.which)}"
    return f"SELECT DISTINCT {column} {found}"


def _in_time(which: str, column: str = "t.time") -> str:
    ends = {"last": " DESC LIMIT 1", "first": " LIMIT 1"}
    return f"ORDER BY {column}{ends.get(which, '')}"


def _aggregate(which: str, column: str) -> str:
    plain = f"{_AGGREGATES[which]}({column})"
    return plain if which in ("max", "min") else f"ROUND({plain}, 4)"


_SHAPES = {
    "count": _count,
    "exists": _count,
    "share": _share,
    "top": _top,
    "value": _value,
    "time": _time,
    "elapsed": _elapsed,
    "length": _length,
    "cost": _cost,
    "list": _list,
}
