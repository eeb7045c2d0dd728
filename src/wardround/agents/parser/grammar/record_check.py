"""Names what a query needs and the records of a database do not hold."""

from collections.abc import Iterator, Sequence

from wardround.agents.parser.grammar.condition_state import Clause
from wardround.ehr.query import Condition, Goal, Term
from wardround.ehr.query.model import Measure
from wardround.ehr.records import Role, Views, record_kinds

_CHARGES = Role("cost", "name")
_LENGTHS = ("length", "hours")
_KEYS = {"patient": "patient", "admission": "admission", "icu": "stay", "hospital": "hospital"}
# The columns that a number of a record is read from.
_MEASURED: dict[Measure, tuple[str, ...]] = {
    "value": ("value",),
    "age": ("birth",),
    "length": ("time", "finish"),
}
# The columns that tell of a patient or a stay what a condition of no kind of record says.
_PERSONAL = {
    "sex": (Role("patient", "sex"),),
    "age": (Role("admission", "age"),),
    "death": (Role("patient", "death"),),
    "alive": (Role("patient", "death"),),
    "current": (Role("admission", "finish"),),
    "length": (Role("admission", "time"), Role("admission", "finish")),
}


def missing_roles(
    goal: Goal, clauses: Sequence[Clause], records: Views
) -> Iterator[tuple[Role, Clause | None]]:
    """The columns that are missing, each with the clause that needs it, or None of the goal.

    A role without a column is a kind of record as a whole.
    """
    for role in _of_goal(goal, records):
        if not _has(role, records):
            yield role, None
    if goal.costs_of and not has_charges(records, goal.costs_of):
        yield Role("cost", "name"), None
    base = goal.base or goal.of
    for clause in clauses:
        for role in _of_condition(clause.condition, base, records):
            if not _has(role, records):
                yield role, clause


def has_charges(records: Views, kind: str) -> bool:
    """True if there are costs of a kind."""
    return kind in records.sql and kind in records.written.get(_CHARGES, {})


def _has(role: Role, records: Views) -> bool:
    kind, column = role
    if kind not in records.sql:
        return False
    if column == "sex":
        return records.has(*role) and all(
            records.texts(kind, column, sex) for sex in ("female", "male")
        )
    return not column or records.has(*role)


def _of_goal(goal: Goal, records: Views) -> Iterator[Role]:
    base = goal.base or goal.of
    yield Role(base, "")
    if goal.column == "age" and not records.has(base, "age"):
        yield from (Role(base, "time"), Role("patient", "birth"))
    elif goal.column in _LENGTHS:
        yield from (Role(base, "time"), Role(base, "finish"))
    elif goal.column:
        yield Role(base, goal.column)
    elif goal.shape in ("names", "top"):
        yield Role(base, "name")
    if goal.per:
        yield Role(base, goal.per)
    if goal.shape in ("count", "distinct", "share", "ratio") and goal.of in _KEYS:
        yield Role(base, _KEYS[goal.of])
    if goal.order and goal.shape != "top" and not goal.function:
        yield Role(base, "time")
    if goal.shape == "span":
        yield Role(base, "time")


def _of_condition(condition: Condition, base: str, records: Views) -> Iterator[Role]:
    kind = condition.kind
    if kind in _PERSONAL:
        yield from _PERSONAL[kind]
        if kind == "length" and base == "icu":
            yield Role("icu", "finish")
        return
    yield Role(kind, "")
    if kind != base:
        yield Role(kind, "patient")
        if base == "admission" and kind != "patient":
            yield Role(kind, "admission")
    for role, value in (*condition.values, *condition.also):
        is_told = not isinstance(value, Term) or records.texts(*role, value.name)
        yield role if is_told else Role("admission", "died")
    if condition.periods:
        yield Role(kind, "time")
    if condition.bounds:
        yield from (Role(kind, name) for name in _MEASURED[condition.measured])
    if condition.ages:
        yield from (Role(kind, "time"), Role("patient", "birth"))
    if condition.count and kind in _KEYS:
        yield Role(kind, _KEYS[kind])
    if condition.is_in_icu and not records.has(kind, "stay"):
        yield from (Role(kind, "admission"), Role(kind, "time"), Role("icu", "finish"))
    if condition.relation:
        anchor = condition.relation.anchor
        yield from (Role(kind, condition.relation.at), Role(anchor.kind, "time"))
        if condition.relation.order == "during":
            yield from (Role(kind, condition.relation.scope), Role(anchor.kind, "finish"))
        yield from _of_condition(anchor, "", records)


def missing_text(role: Role, records: Views) -> str:
    """A sentence on the kind of record, or the column of it, that is missing."""
    kind, column = role
    meaning = record_kinds()[_RECORDED.get(kind, kind)].meaning
    if kind not in records.sql:
        return f"The records of this database have no kind {kind!r} ({meaning})."
    if records.has(kind, column):
        return f"It is not known how {column!r} of {kind!r} ({meaning}) is written in the records."
    return f"The records of this database do not have {column!r} of {kind!r} ({meaning})."


_RECORDED = {"treatment": "procedure"}
