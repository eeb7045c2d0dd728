"""Decides whose each condition of a question is: of the record asked for, its stay or its patient.

Attributes of a hospital stay, such as an age, are met by one stay together with the events that
stand beside them; a negation or a count is of the patient.
"""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import Clause, NotRecordedError
from wardround.agents.parser.grammar.query_check import condition_item
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role, Views

_OF_PATIENT = ("patient", "sex", "death", "alive", "current")
_OF_STAY = ("age", "length")
_STAYS = ("admission", "icu")


def scoped_query(
    goal: Goal,
    conditions: Sequence[Clause],
    part: Sequence[Clause],
    records: Views,
    items: Sequence[Item],
) -> Query:
    """The query of a goal and the conditions read, each with its scope.

    Raises:
        NotRecordedError: The records do not tell the stay or patient of a condition.
    """
    base = Query(goal, ()).base
    clauses = (*conditions, *part)
    has_stay = base == "patient" and any(_is_of_stay(clause.condition) for clause in clauses)
    scoped: tuple[list[Condition], list[Condition]] = ([], [])
    for n, clause in enumerate(clauses):
        scope = _scope(clause.condition, base, has_stay)
        if scope != "record" and base != "patient" and not records.has(base, scope):
            raise NotRecordedError(Role(base, scope), condition_item(items, clause))
        found = _scoped(clause.condition, base, scope)
        is_apart = found.kind == scope == "admission" and found.is_negated and found.values
        scoped[n >= len(conditions)].extend(_with_own_period(found) if is_apart else [found])
    return Query(goal, tuple(scoped[0]), tuple(scoped[1]))


def _with_own_period(condition: Condition) -> list[Condition]:
    """A stay that is not of a type but of a time: only its type is negated."""
    if not condition.periods:
        return [condition]
    when = Condition(condition.kind, periods=condition.periods, scope=condition.scope)
    return [replace(condition, periods=()), when]


def _scope(condition: Condition, base: str, has_stay: bool) -> Scope:
    if _is_of_row(condition, base):
        return "record"
    if base == "patient":
        is_linked = (
            has_stay and _is_record(condition) and not (condition.is_negated or condition.count)
        )
        return "admission" if is_linked or _is_of_stay(condition) else "patient"
    if any(role.column == "stay" for role, _ in condition.values) and not condition.count:
        return "stay"
    is_met_by_stay = _is_record(condition) if base == "admission" else _is_of_stay(condition)
    return "admission" if is_met_by_stay else "patient"


def _is_of_row(condition: Condition, base: str) -> bool:
    """True if a record itself meets a condition, rather than its stay or its patient."""
    own = {"admission": ("current", *_OF_STAY), "icu": ("current", "length")}
    return condition.count is None and condition.kind in (base, *own.get(base, ()))


def _is_record(condition: Condition) -> bool:
    """True if a condition on a stay is met by a record of that stay."""
    return condition.kind not in (*_OF_PATIENT, *_OF_STAY, "admission")


def _is_of_stay(condition: Condition) -> bool:
    """True for attributes of a hospital stay, such as an age or a marital status."""
    if condition.count:
        return False
    if condition.kind in _OF_STAY:
        return True
    is_event = any(not texts for _, texts in condition.values)
    return (
        condition.kind == "admission"
        and bool(condition.values or condition.periods)
        and not (condition.is_negated and is_event)
    )


def _scoped(condition: Condition, base: str, scope: Scope) -> Condition:
    """The condition with its scope, and the kind of record that its age or length is of."""
    if condition.kind == "age":
        return replace(condition, kind="admission", measured="age", scope=scope)
    if condition.kind == "length":
        kind = base if base in _STAYS else "admission"
        return replace(condition, kind=kind, measured="length", scope=scope)
    return replace(condition, scope=scope)
