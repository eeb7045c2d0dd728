"""Finds goals that hang on time: when, the first and last, the days between."""

from collections.abc import Sequence

from wardround.agents.parser.grammar.goal_items import (
    EVENTS,
    STAYS,
    FoundGoal,
    all_items,
    bare_noun,
    first_item,
    numbered_kinds,
    used_items,
    value_kind,
)
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Goal

_FUNCTIONS = {"ASC": "MIN", "DESC": "MAX", "": ""}


def find_when(items: Sequence[Item]) -> FoundGoal | None:
    """The date of an admission, a discharge, a death or another event of a patient."""
    at = first_item(items, "goal", "when")
    order = first_item(items, "order")
    if at is None or not (numbered_kinds(items) or order is not None):
        return None
    function = _FUNCTIONS[items[order].meaning("order") if order is not None else ""]
    event = first_item(items, "event", "admitted", "discharged")
    if event is not None:
        column = "time" if items[event].means("event", "admitted") else "finish"
        goal = Goal("value", "admission", function, column)
        return FoundGoal(goal, used_items(at, event, order))
    died = first_item(items, "event", "died")
    if died is not None and order is None:
        return FoundGoal(Goal("value", "patient", column="death"), used_items(at, died))
    kind = value_kind(items, EVENTS)
    noun = bare_noun(items, (*EVENTS, *STAYS)) if not kind else None
    kind = items[noun].meaning("noun") if noun is not None else kind
    if not kind or (noun is not None and order is None):
        return None
    return FoundGoal(Goal("value", kind, function, "time"), used_items(at, order, noun))


def find_ordered(items: Sequence[Item]) -> FoundGoal | None:
    """The first or last result of a test, or the first or last record of a kind."""
    at = first_item(items, "order")
    if at is None or not numbered_kinds(items):
        return None
    order = items[at].meaning("order")
    kind = value_kind(items[at:], ("lab", "vital"))
    if kind:
        return FoundGoal(Goal("value", kind, column="value", order=order), frozenset({at}))
    noun = bare_noun(items, EVENTS)
    if noun is None or noun < at or value_kind(items, EVENTS):
        return None
    goal = Goal("value", items[noun].meaning("noun"), column="name", order=order)
    return FoundGoal(goal, used_items(at, noun))


def find_span(items: Sequence[Item]) -> FoundGoal | None:
    """The days between the first and the last of some records of a patient."""
    at = first_item(items, "goal", "span")
    orders = all_items(items, "order")
    meanings = {items[n].meaning("order") for n in orders}
    if at is None or meanings != {"ASC", "DESC"} or "patient" not in numbered_kinds(items):
        return None
    links = {n for n in all_items(items, "link", "and") if min(orders) < n < max(orders)}
    kind = value_kind(items, EVENTS)
    noun = bare_noun(items, STAYS) if not kind else None
    if noun is not None:
        kind = items[noun].meaning("noun")
    return FoundGoal(Goal("span", kind), used_items(at, orders, links, noun)) if kind else None
