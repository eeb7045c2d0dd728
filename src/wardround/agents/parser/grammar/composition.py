"""Composes the items of a question into a query, or names what it does not understand."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.conditions import ConditionReader, NotUnderstoodError
from wardround.agents.parser.grammar.goals import find_goal
from wardround.agents.parser.grammar.query import Condition, Goal, Query
from wardround.agents.parser.grammar.records import Records
from wardround.agents.parser.grammar.tagger import Item

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
    found = find_goal(items, first_word)
    if found is None:
        raise NotUnderstoodError()
    conditions = ConditionReader(items, set(found.used), found.goal.of).read()
    query = _placed(found.goal, _with_times(conditions, found.goal, items))
    _check(query, records, items)
    return query


def _with_times(
    conditions: Sequence[Condition], goal: Goal, items: Sequence[Item]
) -> list[Condition]:
    """Attach each time to the condition before it, or to the one after it."""
    placed = [one for one in conditions if one.kind != "time"]
    for time in (one for one in conditions if one.kind == "time"):
        able = [n for n, one in enumerate(placed) if one.kind not in _PERSONAL]
        before = [n for n in able if placed[n].first < time.first]
        if not able and goal.of not in ("patient", ""):
            placed.append(Condition(goal.of, times=time.times, first=time.first, last=time.last))
            continue
        if not able:
            raise NotUnderstoodError(_item_at(items, time))
        at = before[-1] if before else able[0]
        placed[at] = replace(placed[at], times=(*placed[at].times, *time.times))
    return placed


def _placed(goal: Goal, conditions: Sequence[Condition]) -> Query:
    if goal.shape in ("share", "ratio"):
        if not conditions:
            raise NotUnderstoodError()
        return Query(goal, tuple(conditions[:-1]), tuple(conditions[-1:]))
    if goal.of == "":
        events = [one.kind for one in conditions if one.kind not in (*_PERSONAL, "death")]
        if len(set(events)) != 1:
            raise NotUnderstoodError()
        goal = replace(goal, of=events[0])
    return Query(goal, tuple(conditions))


def _check(query: Query, records: Records, items: Sequence[Item]) -> None:
    """Refuse what the records do not hold, or what the combination leaves open.

    Raises:
        NotUnderstoodError: A condition is one of those.
    """
    conditions = (*query.conditions, *query.part)
    kinds = [one.kind for one in conditions]
    for one in conditions:
        is_combined = one.kind == "icu" and any(kind not in (*_PERSONAL, "icu") for kind in kinds)
        columns = [role.column for role, _ in one.values]
        is_absent = one.kind in records.views and not all(
            records.has(one.kind, column) for column in columns
        )
        is_recorded = one.kind in records.views or one.kind in ("death", *_PERSONAL)
        if is_combined or is_absent or not is_recorded or (one.count and one.is_negated):
            raise NotUnderstoodError(_item_at(items, one))
    for n, one in enumerate(conditions):
        if any(_excludes(one, other) for other in conditions[:n]):
            raise NotUnderstoodError(_item_at(items, one))
    if query.goal.of not in (*records.views, "patient"):
        raise NotUnderstoodError()
    if query.goal.column and not _has_column(query.goal, records):
        raise NotUnderstoodError()


def _excludes(one: Condition, other: Condition) -> bool:
    """True if two conditions are on an attribute that has a single value."""
    if one.kind != other.kind or one.kind not in ("sex", "admission", "patient"):
        return False
    columns = {role for role, _ in one.values} & {role for role, _ in other.values}
    return bool(columns) and not (one.is_negated or other.is_negated)


def _has_column(goal: Goal, records: Records) -> bool:
    return goal.column == "length" or records.has(goal.of, goal.column)


def _item_at(items: Sequence[Item], condition: Condition) -> Item:
    return next(one for one in items if one.first == condition.first)
