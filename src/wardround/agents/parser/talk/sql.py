"""From a request to one SQL query, over views whose columns are named alike in every database."""

# Only quoted texts, numbers and names that the database itself showed get into a query.
# ruff: noqa: S608

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wardround.agents.keyword.request import Condition, Request, Window
from wardround.agents.keyword.schema import Schema
from wardround.ehr.database import quote_text

_COSTS = {
    "diagnosis": ("diagnos", "condition"),
    "procedure": ("procedure", "treatment"),
    "lab": ("lab",),
    "drug": ("prescri", "medication"),
}
_AGGREGATES = {"max": "MAX", "min": "MIN", "average": "AVG", "sum": "SUM"}


def kinds_used(request: Request) -> list[str]:
    """The kinds of record that the request needs views of."""
    found = [request.target_kind(), *(k for c in request.conditions for k in _kinds(c))]
    if request.visit:
        found.append("admission")
    return list(dict.fromkeys(kind for kind in found if kind))


def compose(request: Request, schema: Schema, now: str) -> str:
    """The query for a request whose conditions are linked.

    Args:
        request: what is asked; its goal is known.
        schema: the tables behind every kind that `kinds_used` names.
        now: the current time of the records.
    """
    body = _Query(request, schema, now).text()
    kinds = [kind for kind in _viewed(request) if f"{kind}_view" in body]
    views = ", ".join(f"{kind}_view AS ({schema.view(kind)})" for kind in kinds)
    return f"WITH {views} {body}"


def _viewed(request: Request) -> list[str]:
    return list(dict.fromkeys([*kinds_used(request), "admission", "patient"]))


def _kinds(condition: Condition) -> Iterator[str]:
    yield condition.kind
    if condition.relation:
        yield from _kinds(condition.relation.anchor)


@dataclass(frozen=True, slots=True)
class _Query:
    request: Request
    schema: Schema
    now: str

    def text(self) -> str:
        """The query without its views."""
        goal = self.request.goal
        assert goal is not None  # noqa: S101 - compose's callers know the goal
        shapes = {
            "count": self._count,
            "exists": self._count,
            "percent": self._percent,
            "top": self._top,
            "value": self._value,
            "time": self._time,
            "elapsed": self._elapsed,
            "stay": self._stay,
            "cost": self._cost,
            "list": self._list,
        }
        return shapes[goal.shape]()

    def _count(self) -> str:
        kind = self.request.target_kind() or "patient"
        if kind == "patient":
            return f"SELECT COUNT(DISTINCT t.patient) {self._cohort()}"
        counted = "DISTINCT t.admission" if kind == "admission" else "*"
        return f"SELECT COUNT({counted}) {self._records(kind)}"

    def _percent(self) -> str:
        """Of those who meet the earlier conditions, the share that meets the last."""
        *rest, last = self.request.conditions
        whole = replace(self, request=replace(self.request, conditions=tuple(rest)))
        part = self._membership([last], whole._by_visit())
        counted = f"COUNT(DISTINCT CASE WHEN {part} THEN t.patient END)"
        return f"SELECT ROUND(100.0 * {counted} / COUNT(DISTINCT t.patient), 4) {whole._cohort()}"

    def _top(self) -> str:
        goal, kind = self.request.goal, self.request.target_kind()
        assert goal is not None  # noqa: S101
        ranked = (
            f"SELECT t.name, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place "
            f"{self._records(kind)} AND t.name IS NOT NULL GROUP BY t.name"
        )
        return f"SELECT name FROM ({ranked}) WHERE place <= {goal.top}"

    def _value(self) -> str:
        goal, kind = self.request.goal, self.request.target_kind()
        assert goal is not None  # noqa: S101
        records = f"{self._records(kind)} AND t.value IS NOT NULL"
        if goal.which in _AGGREGATES:
            return f"SELECT {_rounded(_AGGREGATES[goal.which], 't.value', goal.which)} {records}"
        return f"SELECT t.value {records} {_in_time(goal.which)}"

    def _time(self) -> str:
        goal, kind = self.request.goal, self.request.target_kind() or "admission"
        assert goal is not None  # noqa: S101
        column = f"t.{goal.column}"
        records = f"{self._records(kind)} AND {column} IS NOT NULL"
        distinct = "DISTINCT " if goal.which == "all" else ""
        return f"SELECT {distinct}{column} {records} {_in_time(goal.which, column)}"

    def _elapsed(self) -> str:
        kind = self.request.target_kind() or "admission"
        goal = self.request.goal
        end = "MAX" if goal and goal.which == "last" else "MIN"
        passed = f"julianday({quote_text(self.now)}) - julianday({end}(t.time))"
        return f"SELECT ROUND({passed}, 4) {self._records(kind)}"

    def _stay(self) -> str:
        goal = self.request.goal
        length = "julianday(t.finish) - julianday(t.time)"
        records = f"{self._records('admission')} AND t.finish IS NOT NULL"
        if goal and goal.which in _AGGREGATES:
            return f"SELECT ROUND({_AGGREGATES[goal.which]}({length}), 4) {records}"
        return f"SELECT ROUND({length}, 4) {records} ORDER BY t.time"

    def _cost(self) -> str:
        """Costs of what is named, else of the patients' whole care."""
        goal = self.request.goal
        which = goal.which if goal and goal.which in _AGGREGATES else "sum"
        priced = next((c for c in self.request.conditions if c.kind in _COSTS), None)
        rest = tuple(c for c in self.request.conditions if c != priced)
        records = replace(self, request=replace(self.request, conditions=rest))._records("cost")
        if priced:
            events = self._within_kind(priced, "record")
            kinds = " OR ".join(f"t.name LIKE '%{word}%'" for word in _COSTS[priced.kind])
            records += f" AND ({kinds}) AND t.event IN ({events})"
        return f"SELECT ROUND({_AGGREGATES[which]}(t.value), 4) {records}"

    def _list(self) -> str:
        goal, kind = self.request.goal, self.request.target_kind() or "patient"
        assert goal is not None  # noqa: S101
        if kind == "patient" and goal.column == "name":
            return f"SELECT DISTINCT t.patient {self._cohort()}"
        column = "admission" if kind == "admission" and goal.column == "name" else goal.column
        if goal.which in ("first", "last"):
            order = _in_time(goal.which)
            return f"SELECT t.{column} {self._records(kind)} AND t.{column} IS NOT NULL {order}"
        return f"SELECT DISTINCT t.{column} {self._records(kind)} AND t.{column} IS NOT NULL"

    def _cohort(self) -> str:
        """The patients, or their visits where the conditions are on one visit."""
        kind = "admission" if self._by_visit() else "patient"
        return self._records(kind)

    def _by_visit(self) -> bool:
        asked = self.request
        named = any(condition.kind == "admission" for condition in asked.conditions)
        return bool(asked.visit) or asked.same_visit or named

    def _records(self, kind: str) -> str:
        """FROM and WHERE of the records that the goal is about, as `t`."""
        asked = self.request
        mine = [c for c in asked.conditions if c.kind == kind and not c.negated]
        by_visit = asked.same_visit or kind == "admission"
        tests = [_either([self._tests(c, "t") for c in mine if not _about(c)])]
        tests += [[test for c in mine if _about(c) for test in self._tests(c, "t")]]
        others = [c for c in asked.conditions if c not in mine]
        tests += [[self._membership(group, by_visit) for group in _on_one_record(others)]]
        if asked.patient:
            tests.append([f"t.patient = {_literal(asked.patient)}"])
        if asked.visit:
            tests.append([f"t.admission IN ({self._visit()})"])
        flat = [test for group in tests for test in group]
        return f"FROM {kind}_view t WHERE {' AND '.join(flat) or '1 = 1'}"

    def _membership(self, group: Sequence[Condition], by_visit: bool) -> str:
        """That the record's patient, or visit, is among those with a record that meets a group."""
        condition = group[0]
        if condition.kind == "admission":
            by_visit = by_visit or self._visits_matter()
        column = "admission" if by_visit and condition.kind != "patient" else "patient"
        word = "NOT IN" if condition.negated else "IN"
        return f"t.{column} {word} ({self._within_kind(condition, column, *group[1:])})"

    def _visits_matter(self) -> bool:
        """Whether the records asked for belong to single visits."""
        return self.request.target_kind() not in ("", "patient")

    def _within_kind(self, condition: Condition, column: str, *more: Condition) -> str:
        met = [test for each in (condition, *more) for test in self._tests(each, "x")]
        tests = [f"x.{column} IS NOT NULL", *met]
        return f"SELECT x.{column} FROM {condition.kind}_view x WHERE {' AND '.join(tests)}"

    def _visit(self) -> str:
        if self.request.visit == "current":
            return "SELECT admission FROM admission_view WHERE finish IS NULL"
        order = "DESC" if self.request.visit == "last" else "ASC"
        place = f"ROW_NUMBER() OVER (PARTITION BY patient ORDER BY time {order})"
        numbered = f"SELECT admission, {place} AS place FROM admission_view"
        return f"SELECT admission FROM ({numbered}) WHERE place = 1"

    def _tests(self, condition: Condition, alias: str) -> list[str]:
        """What a record must be to meet a condition, negation aside."""
        column = "name" if condition.column == "class" else condition.column
        tests = list(_named(condition, f"{alias}.{column}"))
        number = column if condition.column == "age" else "value"
        tests += [f"{alias}.{number} {b.operator} {b.number:g}" for b in condition.bounds]
        if condition.window:
            tests += _during(condition.window, f"{alias}.time")
        if condition.relation:
            tests.append(self._ordered(condition, alias))
        return tests

    def _ordered(self, condition: Condition, alias: str) -> str:
        """That a record lies after, or before, its patient's first record of the anchor."""
        relation = condition.relation
        assert relation is not None  # noqa: S101
        anchor = relation.anchor
        where = " AND ".join([f"a.patient = {alias}.patient", *self._tests(anchor, "a")])
        first = f"(SELECT MIN(a.time) FROM {anchor.kind}_view a WHERE {where})"
        later = relation.order == "after"
        test = f"{alias}.time {'>' if later else '<'} {first}"
        if not relation.within:
            return test
        limit = f"datetime({first}, '{'+' if later else '-'}{relation.within}')"
        return f"{test} AND {alias}.time {'<=' if later else '>='} {limit}"


def _on_one_record(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """Conditions in groups that a single record meets: a specimen and what grew in it."""
    groups: list[list[Condition]] = []
    for condition in conditions:
        fitting = (g for g in groups if condition.kind == "culture" and _joins(condition, g))
        group = next(fitting, None)
        if group is None:
            groups.append([condition])
        else:
            group.append(condition)
    return groups


def _joins(condition: Condition, group: Sequence[Condition]) -> bool:
    same = all(c.kind == condition.kind and c.negated == condition.negated for c in group)
    return same and condition.column not in {c.column for c in group}


def _about(condition: Condition) -> bool:
    """Whether a condition is on the record's attributes, so that all of them must hold."""
    return condition.column not in ("name", "class") or condition.values is None


def _either(groups: list[list[str]]) -> list[str]:
    """Records of one named thing or another: a record is never two things at once."""
    named = [" AND ".join(group) for group in groups if group]
    return [f"({' OR '.join(named)})"] if named else []


def _named(condition: Condition, column: str) -> Iterator[str]:
    values = condition.values
    if values is None:
        if condition.column not in ("name", "class", "age"):
            yield f"{column} IS NOT NULL"
    elif condition.exact:
        yield f"{column} IN ({', '.join(map(quote_text, values))})"
    else:
        yield f"({' OR '.join(f'{column} LIKE {_containing(value)}' for value in values)})"


def _containing(value: str) -> str:
    return quote_text(f"%{value}%")


def _during(window: Window, column: str) -> list[str]:
    since = [f"{column} >= {quote_text(window.since)}"] if window.since else []
    until = [f"{column} < {quote_text(window.until)}"] if window.until else []
    return since + until


def _in_time(which: str, column: str = "t.time") -> str:
    ends = {"last": " DESC LIMIT 1", "first": " LIMIT 1"}
    return f"ORDER BY {column}{ends.get(which, '')}"


def _rounded(aggregate: str, column: str, which: str) -> str:
    plain = f"{aggregate}({column})"
    return plain if which in ("max", "min") else f"ROUND({plain}, 4)"


def _literal(patient: str) -> str:
    return patient if patient.isdigit() else quote_text(patient)


def needed_views(kinds: Iterable[str], schema: Schema) -> list[str]:
    """The tables still to be looked into for these kinds, patients and visits included."""
    found = [table for kind in kinds for table in schema.needed(kind)]
    return list(dict.fromkeys(found))
