"""Finds what the answer to a question is grouped or ranked by."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wardround.agents.parser.grammar.condition_state import NotUnderstoodError
from wardround.agents.parser.grammar.goal_items import (
    EVENTS,
    FoundGoal,
    all_items,
    first_item,
    record_kind,
    used_items,
)
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Goal
from wardround.ehr.records import Views

KEYS: Mapping[str, str] = {
    "patient": "patient",
    "admission": "admission",
    "icu": "stay",
    "hospital": "hospital",
}
# Attributes of which each person or stay has its own.
_SINGULAR = ("time", "finish", "birth", "death", "unit_time")
_WARDS = ("transfer", "icu")
_VIEWS = ("admission", "transfer", "icu", "cost")


class Group(NamedTuple):
    """A grouping: "per ward".

    Attributes:
        kind: The kind of record of the column; "" if the records counted may have it.
        column: The column.
        used: The numbers of the items that state it.
    """

    kind: str
    column: str
    used: frozenset[int]


def find_group(items: Sequence[Item]) -> Group | None:
    """The grouping of a question: "per", "by" or "for each" before an attribute or a noun."""
    for n, item in enumerate(items):
        if not item.means("group"):
            continue
        after = items[n + 1 : n + 3]
        if after and not after[0].values and not (len(after) > 1 and after[1].values):
            if column := _attribute(after[0]):
                return Group("", column, frozenset({n, n + 1}))
            if noun := after[0].meaning("noun"):
                column = KEYS.get(noun, "name")
                return Group(noun if column == "name" else "", column, frozenset({n, n + 1}))
    return None


def _attribute(item: Item) -> str:
    column = item.meaning("attribute")
    return column if column not in _SINGULAR else ""


def grouped(goal: Goal, group: Group, records: Views) -> Goal:
    """The goal for each value of the group's column.

    Raises:
        NotUnderstoodError: The records do not tell it.
    """
    kind = goal.of
    is_counted = goal.shape == "count"
    if not is_counted and goal.shape != "aggregate":
        raise NotUnderstoodError()
    if group.kind in ("", kind) and _has(kind, group.column, records, group.kind):
        return replace(goal, by=group.column)
    if not group.kind and records.has("patient", group.column):
        return replace(goal, by=group.column, by_person=True)
    key = KEYS.get(goal.of, "")
    for base in [group.kind] if group.kind else _VIEWS:
        has_column = _has(base, group.column, records, group.kind)
        if is_counted and key and records.has(base, key) and has_column:
            return replace(goal, by=group.column, base=base)
    raise NotUnderstoodError()


def _has(view: str, column: str, records: Views, named: str = "") -> bool:
    """True if a view has a column; a name that no noun is beside is that of a ward."""
    is_other_name = column == "name" and not named and view not in _WARDS
    return records.has(view, column) and not is_other_name


def find_totals(items: Sequence[Item], group: Group | None) -> FoundGoal | None:
    """A function of numbers of stays: "the average number of admissions per patient"."""
    at, counted = first_item(items, "aggregate"), first_item(items, "goal", "count")
    noun = first_item(items, "noun", "admission")
    if at is None or counted is None or noun is None or group is None:
        return None
    if group.column != "patient" or items[at].means("aggregate", "SUM"):
        return None
    goal = Goal("aggregate", "admission", items[at].meaning("aggregate"), per=group.column)
    return FoundGoal(goal, used_items(at, counted, noun))


def find_rank(items: Sequence[Item], records: Views) -> FoundGoal | None:
    """The first by number or cost: "which ward had the most stays", "the costliest stay"."""
    ranked = next((n for n, item in enumerate(items) if _key(item)), None)
    superlative = first_item(items, "superlative", "MAX cost", "MIN cost")
    if ranked is None:
        return None
    column = _key(items[ranked])
    if superlative is not None and first_item(items, "noun", "cost") is None:
        if column not in KEYS.values():
            return None
        order = "DESC" if items[superlative].means("superlative", "MAX cost") else "ASC"
        goal = Goal("top", "cost", "SUM", column, order=order)
        return FoundGoal(goal, used_items(ranked, superlative))
    most = first_item(items, "goal", "most", "fewest")
    cost = first_item(items, "noun", "cost")
    is_keyed = column in KEYS.values()
    if most is not None and cost is not None and is_keyed and ranked < min(most, cost):
        order = "DESC" if items[most].means("goal", "most") else "ASC"
        goal = Goal("top", "cost", "SUM", column, order=order)
        return FoundGoal(goal, used_items(ranked, most, cost))
    if most is None or most < ranked:
        return None
    noun = next((n for n, item in enumerate(items) if n > most and record_kind(item)), None)
    of = record_kind(items[noun]) if noun is not None else ""
    base = _base(of, column, records)
    if noun is None or of not in (*EVENTS, *KEYS) or not base:
        return None
    order = "DESC" if items[most].means("goal", "most") else "ASC"
    goal = Goal("top", of, column=column, order=order, base=base)
    return FoundGoal(goal, used_items(ranked, most, noun))


def _base(of: str, column: str, records: Views) -> str:
    """The view that has a column, and the number of what is counted; "" if none has both."""
    if _has(of, column, records):
        return of
    key = KEYS.get(of, "")
    views = (view for view in _VIEWS if _has(view, column, records))
    return next((view for view in views if key and records.has(view, key)), "")


def _key(item: Item) -> str:
    """The column of a noun or an attribute that records are ranked by."""
    if item.means("ranked"):
        return item.meaning("ranked")
    return KEYS.get(item.meaning("noun"), "") or _attribute(item)


def find_top(items: Sequence[Item]) -> FoundGoal | None:
    """The most frequent names of a kind of record."""
    at = first_item(items, "goal", "top")
    if at is None:
        return None
    kinds = enumerate(map(record_kind, items))
    noun = next((n for n, kind in kinds if kind not in ("", "patient")), None)
    near = {*range(max(at - 2, 0), min(at + 3, len(items))), (noun or 1) - 1}
    numbers = [n for n in sorted(near) if items[n].number is not None and not items[n].values]
    column, attribute = "", next((n for n, item in enumerate(items) if _attribute(item)), None)
    of = record_kind(items[noun]) if noun is not None else ""
    if noun is None and attribute is not None:
        noun, of, column = attribute, "admission", _attribute(items[attribute])
    # Tests are ranked by their codes, of which several may have one name.
    if noun is None or of in ("lab", "culture"):
        return None
    top = int(items[numbers[0]].number or 1) if numbers else 1
    goal = Goal("top", of, column=column, top=top)
    return FoundGoal(goal, used_items(all_items(items, "goal", "top"), numbers[:1], noun))
