"""Composes the items of a question into a query, or names what it does not understand."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import NotUnderstoodError
from wardround.agents.parser.grammar.conditions import read_conditions
from wardround.agents.parser.grammar.goals import find_goal
from wardround.agents.parser.grammar.groups import find_group, grouped
from wardround.agents.parser.grammar.lexicon import HARMLESS
from wardround.agents.parser.grammar.query import Condition, Goal, Query
from wardround.agents.parser.grammar.records import Records
from wardround.agents.parser.grammar.tagger import Item

_OF_PERSON = {"ethnicity", "marital", "insurance", "language"}
_BLANK = {HARMLESS: ("",)}
_PERSONAL = ("sex", "age", "patient", "alive", "current", "unit", "length")


def compose(items: Sequence[Item], first_word: str, records: Records) -> Query:
    """The query of a question.

    Args:
        items: The tagged question.
        first_word: Its first word that is no frame of a request.
        records: The records of the database.

    Raises:
        NotUnderstoodError: A word of the question fits nowhere.
    """
    if unknown := [item for item in items if item.is_unknown]:
        raise NotUnderstoodError(*unknown)
    group = find_group(items)
    if group:
        items = [replace(i, meanings=_BLANK) if n in group.used else i for n, i in enumerate(items)]
    found = find_goal(items, first_word, group, records)
    if found is None:
        raise NotUnderstoodError()
    goal = grouped(found.goal, group, records) if group and not found.goal.per else found.goal
    conditions = read_conditions(items, found.used, goal.of)
    conditions = _on_one_record(_with_times(conditions, goal, items))
    query = _placed(goal, conditions, items)
    _check(query, records, items)
    return query


def _with_times(
    conditions: Sequence[Condition], goal: Goal, items: Sequence[Item]
) -> list[Condition]:
    """Attach each time to the condition before it, or to the one after it."""
    placed = [condition for condition in conditions if condition.kind != "time"]
    for time in (condition for condition in conditions if condition.kind == "time"):
        able = [n for n, item in enumerate(placed) if item.kind not in _PERSONAL]
        before = [n for n in able if placed[n].first < time.first]
        if not able and goal.of not in ("patient", ""):
            own = Condition(goal.of, periods=time.periods, first=time.first, last=time.last)
            placed.append(own)
            continue
        if not able:
            raise NotUnderstoodError(_item_at(items, time))
        at = before[-1] if before else able[0]
        placed[at] = replace(placed[at], periods=(*placed[at].periods, *time.periods))
    return placed


def _on_one_record(conditions: Sequence[Condition]) -> list[Condition]:
    """Merge conditions on two columns of one record, such as a drug and its route."""
    merged: list[Condition] = []
    for condition in conditions:
        before = merged[-1] if merged else None
        if before and _may_be_one_record(before, condition):
            merged[-1] = replace(
                before, also=condition.values, last=max(before.last, condition.last)
            )
        elif not any(_is_repeated(condition, one) for one in merged):
            merged.append(condition)
    return merged


def _is_repeated(condition: Condition, before: Condition) -> bool:
    """True for a test that is named again: "how heavy was the heaviest patient"."""
    is_test = condition.kind in ("lab", "vital")
    return is_test and replace(condition, first=before.first, last=before.last) == before


def _may_be_one_record(one: Condition, other: Condition) -> bool:
    columns = [role.column for part in (one, other) for role, _ in part.values]
    is_plain = not (other.is_negated or other.count or other.bounds or one.also)
    return one.kind == other.kind == "drug" and len(columns) == len(set(columns)) and is_plain


def _placed(goal: Goal, conditions: Sequence[Condition], items: Sequence[Item]) -> Query:
    if goal.shape in ("share", "ratio"):
        if not conditions:
            raise NotUnderstoodError()
        if len(conditions) > 1 and not _begins_predicate(conditions, items):
            raise NotUnderstoodError(_item_at(items, conditions[-1]))
        return Query(goal, tuple(conditions[:-1]), tuple(conditions[-1:]))
    if goal.of == "":
        events = [
            condition.kind
            for condition in conditions
            if condition.kind not in (*_PERSONAL, "death")
        ]
        if len(set(events)) != 1:
            raise NotUnderstoodError()
        goal = replace(goal, of=events[0])
    return Query(goal, tuple(_of_goal(condition, goal) for condition in conditions))


def _begins_predicate(conditions: Sequence[Condition], items: Sequence[Item]) -> bool:
    """True if a verb, and no "and", sets the last condition apart: "of women over 65 who died"."""
    before, last = conditions[-2], conditions[-1]
    between = [item for item in items if before.last <= item.first < last.last]
    is_joined = any(item.means("link") for item in between)
    own = [item for item in between if item.means("verb") or item.means("event") or item.is_finite]
    return bool(own) and not is_joined


def _of_goal(one: Condition, goal: Goal) -> Condition:
    """The beginning and end of ICU stays where these are asked for."""
    columns = {role.column for role, texts in one.values if not texts}
    is_event = one.kind == "admission" and bool(columns & {"time", "finish"})
    if goal.of != "icu" or not is_event:
        return one
    return replace(one, kind="icu")


def _check(query: Query, records: Records, items: Sequence[Item]) -> None:
    """Refuse what the records do not hold, or what the combination leaves open.

    Raises:
        NotUnderstoodError: A condition is one of those.
    """
    conditions = (*query.conditions, *query.part)
    for one in conditions:
        is_stay = one.kind == "icu" and not any(role.column == "stay" for role, _ in one.values)
        is_combined = is_stay and query.goal.of != "icu" and not all(map(_is_personal, conditions))
        columns = [role.column for role, _ in one.values]
        is_absent = one.kind in records.views and not all(
            records.has(one.kind, column) for column in columns
        )
        is_absent = is_absent or _is_of_other_stay(one, query.goal, records)
        is_recorded = one.kind in records.views or one.kind in ("death", *_PERSONAL)
        if is_combined or is_absent or not is_recorded or (one.count and one.is_negated):
            raise NotUnderstoodError(_item_at(items, one))
    for n, one in enumerate(conditions):
        if any(_excludes(one, condition) for condition in conditions[:n]):
            raise NotUnderstoodError(_item_at(items, one))
    own = [
        condition
        for condition in conditions
        if condition.kind == query.goal.of and condition.values
    ]
    if query.goal.column == "value" and query.goal.of != "cost" and len(own) != 1:
        raise NotUnderstoodError()
    if query.goal.of not in (*records.views, "patient"):
        raise NotUnderstoodError()
    if query.goal.column and not _has_column(query.goal, records):
        raise NotUnderstoodError()
    if query.goal.shape in ("names", "top") and not records.has(query.goal.of, "name"):
        raise NotUnderstoodError()
    for one in conditions:
        is_timed = bool(one.periods) and one.kind in records.views
        if is_timed and not records.has(one.kind, "time"):
            raise NotUnderstoodError(_item_at(items, one))


def _is_personal(one: Condition) -> bool:
    """True for ICU stays and attributes of a person, which are of no time."""
    columns = {role.column for role, _ in one.values}
    is_attribute = one.kind == "admission" and bool(columns) and columns <= _OF_PERSON
    return is_attribute or one.kind in (*_PERSONAL, "icu")


def _excludes(one: Condition, other: Condition) -> bool:
    """True if two conditions are on an attribute that has a single value."""
    if one.kind != other.kind or one.kind not in ("sex", "admission", "patient"):
        return False
    columns = {role for role, _ in one.values} & {role for role, _ in other.values}
    return bool(columns) and not (one.is_negated or other.is_negated)


def _is_of_other_stay(one: Condition, goal: Goal, records: Records) -> bool:
    """True for an ICU stay's number where the records asked for do not tell their ICU stay."""
    is_number = any(role.column == "stay" for role, _ in one.values)
    return is_number and goal.of in records.views and not records.has(goal.of, "stay")


def _has_column(goal: Goal, records: Records) -> bool:
    return goal.column == "length" or records.has(goal.of, goal.column)


def _item_at(items: Sequence[Item], condition: Condition) -> Item:
    return next(item for item in items if item.first == condition.first)
