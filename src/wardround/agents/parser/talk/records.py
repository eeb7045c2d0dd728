"""SQL for the records that a request is about, over views with uniform column names."""

# Queries hold only quoted texts, numbers and names that the database returned.
# ruff: noqa: S608

from collections.abc import Iterable, Iterator, Sequence

from wardround.agents.parser.talk.record_tests import bounds, tests
from wardround.agents.parser.talk.request import Condition, Kind, Request
from wardround.agents.parser.talk.schema import Schema
from wardround.ehr.database import quote_text

# Kinds of record that belong to one hospital visit.
VISIT_KINDS = ("admission", "icu", "transfer")


def is_by_visit(request: Request) -> bool:
    """True if all conditions must hold for one hospital visit."""
    spoken_of = any(c.kind in VISIT_KINDS and not c.ever for c in request.all_conditions())
    return spoken_of or bool(request.visit or request.same_visit or request.again)


def records(request: Request, schema: Schema, kind: Kind) -> str:
    """FROM and WHERE clauses for the records `t` of a kind that meet all conditions."""
    tests = [
        *membership_tests(request, schema, kind, request.conditions),
        *_setting(request, schema, kind),
    ]
    return f"FROM {kind}_view t WHERE {' AND '.join(tests) or '1 = 1'}"


def membership_tests(
    request: Request, schema: Schema, kind: Kind, conditions: Iterable[Condition]
) -> Iterator[str]:
    """SQL tests of whether a record `t` of a kind meets conditions."""
    conditions = list(conditions)
    mine = [c for c in conditions if c.kind == kind and not (c.negated or c.ever or c.apart)]
    named = [" AND ".join(tests(c, "t")) for c in mine if not _about(c)]
    if stated := [test for test in named if test]:
        # A record is never two things at once, so any of them will do.
        yield f"({' OR '.join(stated)})"
    for condition in (c for c in mine if _about(c)):
        yield from tests(condition, "t")
    others = _on_one_record([c for c in conditions if c not in mine])
    for choice in _choices(others):
        members = [_membership(request, schema, kind, group) for group in choice]
        yield members[0] if len(members) == 1 else f"({' OR '.join(members)})"


def _setting(request: Request, schema: Schema, kind: Kind) -> Iterator[str]:
    """SQL tests of the patient, visit and stay of the request."""
    if request.patient:
        yield f"t.patient = {_literal(request.patient)}"
    if request.visit:
        yield f"t.admission IN ({_visit(request.visit)})"
    if request.again:
        soon = f" AND l.time <= datetime(t.finish, '+{request.again}')"
        soon = "" if request.again == "any" else soon
        later = f"l.patient = t.patient AND l.time > t.finish{soon}"
        yield f"EXISTS (SELECT 1 FROM admission_view l WHERE {later})"
    if request.stay or request.hours:
        yield _in_stay(request, schema, kind)


def _in_stay(request: Request, schema: Schema, kind: Kind) -> str:
    """SQL test of whether a record is of the ICU stay, or of its first hours."""
    stays = "SELECT *, 1 AS place FROM icu_view"
    if request.stay:
        stays = f"SELECT *, {_place('patient', request.stay)} AS place FROM icu_view"
    own = "s.stay = t.stay" if "stay" in schema.parts(kind) else "s.admission = t.admission"
    tests = ["s.place = 1", own]
    if request.hours:
        tests.append(f"t.time <= datetime(s.time, '+{request.hours} hours')")
    if "stay" not in schema.parts(kind):
        tests.append("t.time >= s.time")
    return f"EXISTS (SELECT 1 FROM ({stays}) s WHERE {' AND '.join(tests)})"


def _membership(request: Request, schema: Schema, kind: Kind, group: Sequence[Condition]) -> str:
    """SQL test of whether the patient, visit or stay has a record that meets a group."""
    condition = group[0]
    column = _link(request, schema, kind, condition)
    word = "NOT IN" if condition.negated else "IN"
    return f"t.{column} {word} ({_having(column, group)})"


def _link(request: Request, schema: Schema, kind: Kind, condition: Condition) -> str:
    """The column on which a record joins the records of a condition."""
    if condition.kind == "patient" or condition.ever:
        return "patient"
    if kind == "icu" and "stay" in schema.parts(condition.kind):
        return "stay"
    visits = kind in VISIT_KINDS or condition.kind in VISIT_KINDS or is_by_visit(request)
    return "admission" if visits else "patient"


def _having(column: str, group: Sequence[Condition]) -> str:
    """A query of the patients, visits or stays with a record that meets a group."""
    condition = group[0]
    where = [f"x.{column} IS NOT NULL", *(test for each in group for test in tests(each, "x"))]
    found = f"FROM {condition.kind}_view x WHERE {' AND '.join(where)}"
    limits = " AND ".join(bounds(condition, "x"))
    if condition.total:
        summed = limits.replace("x.value", "SUM(x.value)")
        return f"SELECT x.{column} {found} GROUP BY x.{column} HAVING {summed}"
    if condition.place:
        placed = f"SELECT x.*, {_place(f'x.{column}', condition.place, 'x.time')} AS place {found}"
        return f"SELECT x.{column} FROM ({placed}) x WHERE x.place = 1 AND {limits or '1 = 1'}"
    return f"SELECT x.{column} {found}"


def _place(of: str, which: str, time: str = "time") -> str:
    order = "DESC" if which == "last" else "ASC"
    return f"ROW_NUMBER() OVER (PARTITION BY {of} ORDER BY {time} {order})"


def _visit(which: str) -> str:
    if which == "current":
        return "SELECT admission FROM admission_view WHERE finish IS NULL"
    placed = f"SELECT admission, {_place('patient', which)} AS place FROM admission_view"
    return f"SELECT admission FROM ({placed}) WHERE place = 1"


def _on_one_record(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """Group conditions that a single record meets, such as a specimen and its organism."""
    groups: list[list[Condition]] = []
    for condition in conditions:
        group = next((g for g in groups if _joins(condition, g)), None)
        if group is None:
            groups.append([condition])
        else:
            group.append(condition)
    return groups


def _joins(condition: Condition, group: Sequence[Condition]) -> bool:
    return bool(condition.record) and all(
        (c.kind, c.negated, c.record) == (condition.kind, condition.negated, condition.record)
        and c.column != condition.column
        for c in group
    )


def _choices(groups: Iterable[list[Condition]]) -> list[list[list[Condition]]]:
    """Collect alternative groups, of which one is enough."""
    choices: list[list[list[Condition]]] = []
    for group in groups:
        either = group[0].either
        choice = next((c for c in choices if either and c[0][0].either == either), None)
        if choice is None:
            choices.append([group])
        else:
            choice.append(group)
    return choices


def _about(condition: Condition) -> bool:
    """True if a condition is on an attribute of the record rather than on what it is of."""
    return condition.column not in ("name", "class") or condition.values is None


def _literal(patient: str) -> str:
    return patient if patient.isdigit() else quote_text(patient)
