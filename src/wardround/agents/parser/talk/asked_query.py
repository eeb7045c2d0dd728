"""The query of a request before its words are linked: the record and owner of each condition."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wardround.agents.parser.talk.request import VISIT_KINDS, Clause, Kind, Request, StatedGoal
from wardround.agents.parser.talk.schema import recorded
from wardround.ehr.query import Condition, Goal, Query, Relation, Span
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role, Views

# Names of what is charged for, in the records of costs.
_CHARGED = {
    "procedure": ("procedure", "treatment"),
    "lab": ("lab",),
    "drug": ("prescri", "medication"),
    "diagnosis": ("diagnos", "condition"),
}
_FUNCTIONS = {"max": "MAX", "min": "MIN", "average": "AVG", "median": "MEDIAN", "sum": "SUM"}
_ORDERS = {"first": "ASC", "last": "DESC"}
_KEYS = {"patient": "patient", "admission": "admission"}
# Columns that name no text of a record.
_MEASURED = ("name", "class", "age", "length", "hours")


def asked_query(request: Request, goal: StatedGoal, views: Views) -> Query:
    """The query of a request, with the user's words for what was looked up.

    Args:
        request: The request.
        goal: Its goal.
        views: The records of every kind that the request needs.
    """
    usual = "admission" if goal.shape in ("time", "elapsed") else "patient"
    kind = "cost" if goal.shape == "cost" else request.target_kind() or usual
    asked = _goal(goal, recorded(kind, goal.column), kind)
    base = asked.base or asked.of
    is_of_visit = asked.column in ("", "patient") or views.has("admission", asked.column)
    if base == "patient" and request.is_by_visit() and is_of_visit:
        base = "admission"
    if base in _KEYS and (request.stay or request.hours):
        base = "icu"
    asked = replace(asked, base=base)
    if not goal.of:
        request = _with_plain_event(request, base)
    reader = _Scopes(request, base, views)
    conditions = [*reader.of(request.conditions), *reader.setting(), *_on_record(asked)]
    if goal.shape == "cost":
        conditions += [each for clause in request.part for each in _charges(clause)]
    any_record = Condition(base, scope="record")
    stated = dict.fromkeys(each for each in conditions if each != any_record)
    part = reader.of(request.part) if goal.shape == "share" else ()
    return Query(asked, tuple(stated), tuple(part))


def _with_plain_event(request: Request, kind: Kind) -> Request:
    """The request without "ever" on the only event that is asked about: its records are meant."""
    named = [each for each in request.conditions if each.kind == kind]
    if len(named) != 1 or request.is_by_visit() or named[0].is_negated:
        return request
    return request.with_condition(named[0], replace(named[0], ever=False))


def _goal(goal: StatedGoal, column: str, kind: Kind) -> Goal:
    """The goal over a column of the records of a kind."""
    function, order = _FUNCTIONS.get(goal.which, ""), _ORDERS.get(goal.which, "")
    match goal.shape:
        case "share":
            return Goal("ratio" if goal.scale == 1 else "share", kind)
        case "top":
            of = "patient" if goal.ranked == "patient" else kind
            return Goal("top", of, column=column, top=goal.top, base=kind)
        case "cost":
            return Goal("aggregate", "cost", function or "SUM", "value", per=goal.per)
        case "elapsed":
            return Goal("elapsed", kind, order="DESC" if goal.which == "last" else "ASC")
        case "time" if goal.which in ("max", "min"):
            end = "DESC" if goal.which == "max" else "ASC"
            return Goal("value", kind, column=column, order=end, ordered_by="value")
        case "time":
            top, first = (1, order) if order else (0, "ASC")
            return Goal("value", kind, column=column, top=top, order=first, ordered_by=column)
        case "value" | "length":
            column = "value" if goal.shape == "value" else "length" if goal.scale == 1 else "hours"
            if function:
                return Goal("aggregate", kind, function, column)
            return Goal("value", kind, column=column, top=1 if order else 0, order=order or "ASC")
        case "list" if function and column == "age":
            return Goal("aggregate", kind, function, column)
        case "list":
            named = _KEYS.get(kind, column) if column == "name" else column
            return Goal("value", kind, column=named, order=order)
    return Goal("count", kind)


def _on_record(goal: Goal) -> Iterator[Condition]:
    """A condition that what is asked for is on record."""
    columns = ["finish" if goal.column in ("length", "hours") else goal.column]
    if goal.ordered_by == "value":
        columns.append("value")
    for column in columns if goal.shape in ("value", "aggregate") else ():
        yield Condition(goal.base, ((Role(goal.base, column), ()),), scope="record")


def _charges(clause: Clause) -> Iterator[Condition]:
    """The conditions on a cost that it is charged for a record."""
    name = Role("cost", "name")
    yield Condition("cost", containing=((name, _CHARGED[clause.kind]),), scope="record")
    yield replace(_plain(clause), scope="record")


class _Scopes:
    """The scopes of a request's conditions, where records of one kind are asked for."""

    def __init__(self, request: Request, base: Kind, views: Views) -> None:
        self._request = request
        self._base = base
        self._views = views

    def of(self, clauses: Sequence[Clause]) -> Iterator[Condition]:
        """The conditions of clauses: on the record itself, or on its stay or patient.

        A value without any record need not be excluded.
        """
        clauses = [c for c in clauses if c.stored != ()]
        base = [c for c in clauses if c.kind == self._base and not _is_elsewhere(c)]
        stated = [_plain(c, "record") for c in base if not _is_about(c)]
        if stated:
            # A record is never two things at once, so any of them will do.
            yield replace(stated[0], alternatives=tuple(stated[1:]))
        for choice in _choices([c] for c in base if _is_about(c)):
            first, *others = [_plain(group[0], "record") for group in choice]
            yield replace(first, alternatives=tuple(others))
        for choice in _choices(_on_one_record(c for c in clauses if c not in base)):
            first, *others = [self._condition(group) for group in choice]
            yield replace(first, alternatives=(*first.alternatives, *others))

    def setting(self) -> Iterator[Condition]:
        """The conditions of the patient, visit and stay of the request."""
        request = self._request
        if request.patient:
            number = ((Role("patient", "patient"), (request.patient,)),)
            yield Condition("patient", number)
        if request.visit == "current":
            yield Condition("current", scope="admission")
        elif request.visit:
            yield Condition("admission", which=request.visit, scope="admission")
        if request.again:
            within = request.again if isinstance(request.again, Span) else None
            later = Relation("before", Condition("admission"), within=within, at="finish")
            yield Condition("admission", relation=later, scope="admission")
        if request.stay or request.hours:
            yield from self._in_stay()

    def _in_stay(self) -> Iterator[Condition]:
        """The conditions that a record is of an ICU stay, or of its first hours."""
        request = self._request
        hours = Span(request.hours, "hour") if request.hours else None
        stay = Condition("icu", which=request.stay or "any")
        if not self._views.has(self._base, "stay"):
            during = Relation("during", stay, within=hours)
            yield Condition(self._base, relation=during, scope="record")
            return
        if request.stay:
            yield replace(stay, scope="record" if self._base == "icu" else "stay")
        if hours and self._base != "icu":
            early = Relation("from", Condition("icu"), scope="stay", within=hours)
            yield Condition(self._base, relation=early, scope="record")

    def _condition(self, group: Sequence[Clause]) -> Condition:
        """The condition of clauses that a single record meets."""
        scope = self._scope(group[0])
        plain = [_plain(clause, scope) for clause in group]
        first, *rest = plain
        merged = replace(
            first,
            also=tuple(value for each in rest for value in each.values),
            bounds=tuple(bound for each in plain for bound in each.bounds),
            measured=next((each.measured for each in plain if each.bounds), "value"),
            periods=tuple(period for each in plain for period in each.periods),
            relation=next((each.relation for each in plain if each.relation), None),
        )
        if not (merged.is_negated and merged.kind == _UNITS.get(scope)):
            return merged
        # A stay of which something is not recorded is not known to be so either.
        unknown = tuple(
            Condition(merged.kind, ((role, ()),), is_negated=True, scope=scope)
            for role, value in (*merged.values, *merged.also)
            if value
        )
        return replace(merged, alternatives=unknown)

    def _scope(self, clause: Clause) -> Scope:
        if clause.kind == "patient" or clause.ever:
            return "patient"
        if self._base == "icu" and self._views.has(clause.kind, "stay"):
            return "stay"
        of_visit = self._base in VISIT_KINDS or clause.kind in VISIT_KINDS
        return "admission" if of_visit or self._request.is_by_visit() else "patient"


_UNITS = {"stay": "icu", "admission": "admission", "patient": "patient"}


def _is_elsewhere(clause: Clause) -> bool:
    """True if a condition of the kind that is asked for is on other records."""
    return clause.is_negated or clause.ever or clause.on_other_records


def _is_about(clause: Clause) -> bool:
    """True if a condition is on an attribute of the record, not on the thing recorded."""
    return clause.column not in ("name", "class") or clause.stored is None


def _plain(clause: Clause, scope: Scope = "patient") -> Condition:
    """The condition of a clause by itself, with its words."""
    condition, column = clause.condition, clause.column
    role = Role(clause.kind, recorded(clause.kind, column))
    if clause.stored:
        condition = replace(condition, values=((role, clause.words),))
    elif column not in _MEASURED or clause.kind == "culture":
        condition = replace(condition, values=((role, ()),))
    if column == "age":
        condition = replace(condition, measured="age")
    elif column in ("length", "hours"):
        unit = "hour" if column == "hours" else ""
        bounds = tuple(replace(bound, unit=unit) for bound in condition.bounds)
        condition = replace(condition, measured="length", bounds=bounds)
    if condition.relation and clause.anchor:
        relation = replace(condition.relation, anchor=_plain(clause.anchor))
        condition = replace(condition, relation=relation)
    return replace(condition, scope=scope)


def _on_one_record(clauses: Iterable[Clause]) -> list[list[Clause]]:
    """Group conditions that a single record meets, such as a specimen and its organism."""
    groups: list[list[Clause]] = []
    for clause in clauses:
        group = next((g for g in groups if _joins(clause, g)), None)
        if group is None:
            groups.append([clause])
        else:
            group.append(clause)
    return groups


def _joins(clause: Clause, group: Sequence[Clause]) -> bool:
    return bool(clause.record) and all(
        (c.kind, c.is_negated, c.record) == (clause.kind, clause.is_negated, clause.record)
        and c.column != clause.column
        for c in group
    )


def _choices(groups: Iterable[list[Clause]]) -> list[list[list[Clause]]]:
    """Collect alternative groups, of which one is enough."""
    choices: list[list[list[Clause]]] = []
    for group in groups:
        either = group[0].either
        choice = next((c for c in choices if either and c[0][0].either == either), None)
        if choice is None:
            choices.append([group])
        else:
            choice.append(group)
    return choices
