"""Refuses queries that the records do not hold, or whose conditions leave something open."""

from collections.abc import Sequence

from wardround.agents.parser.grammar.condition_state import Clause, NotUnderstoodError
from wardround.agents.parser.grammar.goal_items import EVENTS
from wardround.agents.parser.grammar.records import has_charges
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition, Goal
from wardround.ehr.records import Views

PERSONAL = ("sex", "age", "patient", "alive", "current", "transfer", "length")
_OF_PERSON = {"ethnicity", "marital", "insurance", "language"}
_LENGTHS = ("length", "hours")
_VOLUMES = ("intake", "output")


def check_query(
    goal: Goal, conditions: Sequence[Clause], records: Views, items: Sequence[Item]
) -> None:
    """Refuse what the records do not hold, or what the combination leaves open.

    Raises:
        NotUnderstoodError: A condition or the goal is such.
    """
    _check_goal(goal, conditions, records)
    is_of_people = any(item.means("noun", "patient") or item.means("sex") for item in items)
    is_timed = any(condition.periods for condition in conditions)
    for n, condition in enumerate(conditions):
        if (
            not _is_recorded(condition, goal, records)
            or (condition.relation and not _is_timed(condition, condition.relation.anchor, records))
            or any(_excludes(condition, before) for before in conditions[:n])
            or (_is_icu_stay(condition, goal) and not _is_of_people(goal, conditions))
            or (condition.kind == "current" and is_timed)
            or (condition.count and condition.is_negated)
            or _is_no_event(condition, goal)
            or (_is_unrelated(condition, goal) and not is_of_people)
        ):
            raise NotUnderstoodError(condition_item(items, condition))


def condition_item(items: Sequence[Item], condition: Clause) -> Item:
    """The item that a condition begins with."""
    return next(item for item in items if item.first == condition.first)


def _check_goal(goal: Goal, conditions: Sequence[Clause], records: Views) -> None:
    own = [item for item in conditions if item.kind == goal.of and item.values]
    is_test = goal.column == "value" and goal.of not in ("cost", *_VOLUMES)
    base = goal.base or goal.of
    columns = [goal.per, "" if goal.column in _LENGTHS else goal.column]
    if goal.shape in ("names", "top") and not goal.column:
        columns.append("name")
    if (
        (is_test and len(own) != 1)
        or base not in records.sql
        or not all(records.has(base, column) for column in columns if column)
        or (goal.costs_of and not has_charges(records, goal.costs_of))
        or (goal.column in _LENGTHS and not records.has(base, "finish"))
        or (goal.of == "hospital" and any(item.kind != goal.of for item in conditions))
        or (goal.base not in ("", goal.of) and any(item.kind in EVENTS for item in conditions))
    ):
        raise NotUnderstoodError()


def _is_recorded(condition: Clause, goal: Goal, records: Views) -> bool:
    """True if the records have the columns and the times of a condition."""
    if condition.kind not in records.sql:
        return condition.kind in ("death", *PERSONAL)
    columns = [role.column for role, _ in condition.values]
    if condition.kind != goal.of:
        columns.append("patient")
    if condition.periods:
        columns.append("time")
    is_stay_number = any(role.column == "stay" for role, _ in condition.values)
    if is_stay_number and goal.of in records.sql and not records.has(goal.of, "stay"):
        return False
    return all(records.has(condition.kind, column) for column in columns)


def _is_timed(condition: Condition, anchor: Condition, records: Views) -> bool:
    """True if a record and its anchor both have a patient and a time."""
    kinds = (condition.kind, anchor.kind)
    return all(records.has(kind, column) for kind in kinds for column in ("patient", "time"))


def _is_icu_stay(condition: Clause, goal: Goal) -> bool:
    """True for an ICU stay that what is asked for need not be of."""
    is_numbered = any(role.column == "stay" for role, _ in condition.values)
    return condition.kind == "icu" and not is_numbered and goal.of != "icu"


def _is_no_event(condition: Clause, goal: Goal) -> bool:
    """True for what is asked for not having begun or ended: more was meant than its records say."""
    is_event = any(not texts for _, texts in condition.values)
    return is_event and condition.is_negated and condition.kind == goal.of


def _is_unrelated(condition: Clause, goal: Goal) -> bool:
    """True for an event whose own cost is asked for: costs are of patients and stays here."""
    return goal.of == "cost" and condition.kind in EVENTS


def _is_of_people(goal: Goal, conditions: Sequence[Clause]) -> bool:
    """True if people or stays are asked for, and no condition is on a record of theirs."""
    is_record = goal.of in (*EVENTS, "cost")
    return not is_record and all(map(_is_personal, conditions))


def _is_personal(condition: Clause) -> bool:
    """True for ICU stays and attributes of a person, which are of no time."""
    columns = {role.column for role, _ in condition.values}
    is_attribute = condition.kind == "admission" and bool(columns) and columns <= _OF_PERSON
    return is_attribute or condition.kind in (*PERSONAL, "icu")


def _excludes(condition: Clause, before: Clause) -> bool:
    """True if two conditions are on an attribute that has a single value."""
    if condition.kind != before.kind or condition.kind not in ("sex", "admission", "patient"):
        return False
    columns = {role for role, _ in condition.values} & {role for role, _ in before.values}
    return bool(columns) and not (condition.is_negated or before.is_negated)
