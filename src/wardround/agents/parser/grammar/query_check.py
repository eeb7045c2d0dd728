"""Refuses queries that the records do not hold, or whose conditions leave something open."""

from collections.abc import Sequence

from wardround.agents.parser.grammar.condition_state import (
    Clause,
    NotRecordedError,
    NotUnderstoodError,
)
from wardround.agents.parser.grammar.goal_items import EVENTS
from wardround.agents.parser.grammar.record_check import missing_roles
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition, Goal
from wardround.ehr.records import Views

PERSONAL = ("sex", "age", "patient", "alive", "current", "transfer", "length")
_OF_PERSON = {"ethnicity", "marital", "insurance", "language"}
_VOLUMES = ("intake", "output")


def check_query(
    goal: Goal, clauses: Sequence[Clause], records: Views, items: Sequence[Item]
) -> None:
    """Refuse what the records do not hold, or what the combination leaves open.

    Raises:
        NotRecordedError: The records lack what a condition or the goal needs.
        NotUnderstoodError: A condition or the goal is ambiguous in this combination.
    """
    for role, clause in missing_roles(goal, clauses, records):
        raise NotRecordedError(role, *([condition_item(items, clause)] if clause else []))
    conditions = [clause.condition for clause in clauses]
    _check_goal(goal, conditions)
    is_of_people = any(item.means("noun", "patient") or item.means("sex") for item in items)
    is_timed = any(condition.periods for condition in conditions)
    for n, condition in enumerate(conditions):
        if (
            not _is_of_goal(condition, goal, records)
            or any(_excludes(condition, before) for before in conditions[:n])
            or (_is_icu_stay(condition, goal) and not _is_of_people(goal, conditions))
            or (condition.kind == "current" and is_timed)
            or (condition.count and condition.is_negated)
            or _is_no_event(condition, goal)
            or (_is_unrelated(condition, goal) and not is_of_people)
        ):
            raise NotUnderstoodError(condition_item(items, clauses[n]))


def condition_item(items: Sequence[Item], clause: Clause) -> Item:
    """The item that a condition begins with."""
    return next(item for item in items if item.first == clause.first)


def _check_goal(goal: Goal, conditions: Sequence[Condition]) -> None:
    limited = [item for item in conditions if item.kind == goal.of and item.values]
    is_test = goal.column == "value" and goal.of not in ("cost", *_VOLUMES)
    if (
        (is_test and len(limited) != 1)
        or (goal.of == "hospital" and any(item.kind != goal.of for item in conditions))
        or (goal.base not in ("", goal.of) and any(item.kind in EVENTS for item in conditions))
    ):
        raise NotUnderstoodError()


def _is_of_goal(condition: Condition, goal: Goal, records: Views) -> bool:
    """True unless a condition uses the number of an ICU stay, which the goal lacks."""
    is_numbered = any(role.column == "stay" for role, _ in condition.values)
    return not is_numbered or goal.of not in records.sql or records.has(goal.of, "stay")


def _is_icu_stay(condition: Condition, goal: Goal) -> bool:
    """True for an ICU stay that the goal need not belong to."""
    is_numbered = any(role.column == "stay" for role, _ in condition.values)
    return condition.kind == "icu" and not is_numbered and goal.of != "icu"


def _is_no_event(condition: Condition, goal: Goal) -> bool:
    """True for a denied beginning or end of the goal itself, which its records cannot tell."""
    is_event = any(not texts for _, texts in condition.values)
    return is_event and condition.is_negated and condition.kind == goal.of


def _is_unrelated(condition: Condition, goal: Goal) -> bool:
    """True for an event whose own cost is asked for: costs are of patients and stays here."""
    return goal.of == "cost" and condition.kind in EVENTS


def _is_of_people(goal: Goal, conditions: Sequence[Condition]) -> bool:
    """True if people or stays are asked for, and no condition is on a record of theirs."""
    is_record = goal.of in (*EVENTS, "cost")
    return not is_record and all(map(_is_personal, conditions))


def _is_personal(condition: Condition) -> bool:
    """True for ICU stays and attributes of a person, which are of no time."""
    columns = {role.column for role, _ in condition.values}
    is_attribute = condition.kind == "admission" and bool(columns) and columns <= _OF_PERSON
    return is_attribute or condition.kind in (*PERSONAL, "icu")


def _excludes(condition: Condition, before: Condition) -> bool:
    """True if two conditions are on an attribute that has a single value."""
    if condition.kind != before.kind or condition.kind not in ("sex", "admission", "patient"):
        return False
    columns = {role for role, _ in condition.values} & {role for role, _ in before.values}
    return bool(columns) and not (condition.is_negated or before.is_negated)
