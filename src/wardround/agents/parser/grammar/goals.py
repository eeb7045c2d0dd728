"""Finds what a question asks for."""

from collections.abc import Sequence
from typing import NamedTuple

from wardround.agents.parser.grammar.query import Goal
from wardround.agents.parser.grammar.tagger import Item

_YES_OR_NO = frozenset(["is", "are", "was", "were", "did", "does", "do", "has", "have", "had"])
_ATTRIBUTES_OF = {"sex": "person", "birth": "person", "death": "person", "name": "unit"}


class FoundGoal(NamedTuple):
    """A goal with the numbers of the items that state it."""

    goal: Goal
    used: frozenset[int]


def find_goal(items: Sequence[Item], first_word: str) -> FoundGoal | None:
    """The goal of a question, or None where it states none.

    Args:
        items: The tagged question.
        first_word: Its first word that is no frame of a request.
    """
    for find in (_top, _ordered, _aggregate, _times, _counted, _listed, _when, _value):
        if found := find(items):
            return found
    if first_word in _YES_OR_NO:
        return FoundGoal(Goal("exists"), frozenset())
    return _named(items)


def _top(items: Sequence[Item]) -> FoundGoal | None:
    at = _first(items, "goal", "top")
    if at is None:
        return None
    used = {n for n, item in enumerate(items) if item.means("goal", "top")}
    near = [n for n in range(max(at - 2, 0), min(at + 3, len(items))) if _is_plain_number(items, n)]
    noun = next((n for n, entry in enumerate(items) if _record(entry) not in ("", "patient")), None)
    # Tests are ranked by their codes, of which several may have one name.
    if noun is None or _record(items[noun]) in ("lab", "culture"):
        return None
    top = int(items[near[0]].number or 1) if near else 1
    return FoundGoal(
        Goal("top", _record(items[noun]), top=top), frozenset({*used, *near[:1], noun})
    )


def _ordered(items: Sequence[Item]) -> FoundGoal | None:
    """The first or last value of a test."""
    at = _first(items, "order")
    if at is None:
        return None
    kinds = [role.kind for item in items[at:] for role in item.values]
    kind = next((kind for kind in kinds if kind in ("lab", "vital")), "")
    order = items[at].meaning("order")
    is_of_patient = any(kind in ("person", "icu") for kind in kinds)
    goal = Goal("value", kind, column="value", order=order)
    return FoundGoal(goal, frozenset({at})) if kind and is_of_patient else None


def _when(items: Sequence[Item]) -> FoundGoal | None:
    """The date of an admission or a discharge."""
    at = _first(items, "goal", "when")
    event = _first(items, "event", "admitted", "discharged")
    if at is None or event is None:
        return None
    column = "time" if items[event].means("event", "admitted") else "finish"
    return FoundGoal(Goal("value", "admission", column=column), frozenset({at, event}))


def _aggregate(items: Sequence[Item]) -> FoundGoal | None:
    oldest = _first(items, "superlative")
    if oldest is not None:
        used = {n for n, item in enumerate(items) if item.means("measure", "age")}
        used |= {n for n, item in enumerate(items) if item.means("goal", "age")}
        function = items[oldest].meaning("superlative")
        return FoundGoal(_measured(function, "age"), frozenset({oldest, *used})) if used else None
    at = _first(items, "aggregate")
    if at is None:
        return None
    function = items[at].meaning("aggregate")
    cost = _first(items, "noun", "cost")
    if cost is not None and function == "SUM":
        goal = Goal("aggregate", "cost", "SUM", "value")
        used = {n for n, item in enumerate(items) if item.means("noun", "cost") or n == at}
        return FoundGoal(goal, frozenset(used))
    measure = _first(items, "measure")
    if measure is not None:
        goal = _measured(function, items[measure].meaning("measure"))
        return FoundGoal(goal, frozenset({at, measure}))
    measured = ("intake", "output") if function == "SUM" else ("lab", "vital")
    for n in range(at + 1, len(items)):
        kind = next((role.kind for role in items[n].values if role.kind in measured), "")
        if kind and not (items[n].is_part and function == "SUM"):
            return FoundGoal(Goal("aggregate", kind, function, "value"), frozenset({at}))
    return None


def _measured(function: str, measure: str) -> Goal:
    of = "icu" if measure == "icu_length" else "admission"
    return Goal("aggregate", of, function, "age" if measure == "age" else "length")


def _times(items: Sequence[Item]) -> FoundGoal | None:
    at = _first(items, "goal", "times")
    if at is None or items[at].last - items[at].first < 2:
        return None
    return FoundGoal(Goal("count", ""), frozenset({at}))


def _counted(items: Sequence[Item]) -> FoundGoal | None:
    for shape in ("distinct", "count", "share", "ratio"):
        at = _first(items, "goal", shape)
        if at is None:
            continue
        same = {n for n, item in enumerate(items) if item.means("goal", shape)}
        noun = _following_noun(items, max(same))
        if noun is None:
            noun = _first(items[: min(same)], "noun", "patient")
        if noun is None:
            return None
        return FoundGoal(Goal(shape, _record(items[noun])), frozenset({*same, noun}))
    return None


def _following_noun(items: Sequence[Item], at: int) -> int | None:
    """The noun after a goal, behind adjectives only."""
    for n in range(at + 1, len(items)):
        if _record(items[n]):
            return n
        if not (items[n].is_harmless or items[n].values or _is_adjective(items[n])):
            return None
    return None


def _is_adjective(item: Item) -> bool:
    return any(item.means(kind) for kind in ("event", "negation", "link", "attribute", "aging"))


def _listed(items: Sequence[Item]) -> FoundGoal | None:
    at = _first(items, "goal", "list")
    if at is None or any(entry.values for entry in items[:at]):
        return None
    same = {n for n, item in enumerate(items) if item.means("goal", "list")}
    noun = _following_noun(items, max(same))
    if noun is None and items[at].last - items[at].first > 1:
        return FoundGoal(Goal("list"), frozenset(same))
    if noun is None:
        return None
    record = _record(items[noun])
    shape = "list" if record == "patient" else "names"
    return FoundGoal(Goal(shape, record), frozenset({*same, noun}))


def _value(items: Sequence[Item]) -> FoundGoal | None:
    """An attribute: "what is the gender of patient 7", "which languages do patients speak"."""
    is_of_patient = any(role.kind == "person" for item in items for role in item.values)
    age = _first(items, "goal", "age")
    if age is None:
        age = _first(items, "measure", "age")
    if age is not None and is_of_patient:
        return FoundGoal(Goal("value", "admission", column="age"), frozenset({age}))
    at = _first(items, "attribute")
    if at is None or any(item.values for item in items[at + 1 : at + 2]):
        return None
    column = items[at].meaning("attribute")
    of = _ATTRIBUTES_OF.get(column, "admission")
    if not is_of_patient and any(item.values for item in items):
        return None
    at_all = {n for n, item in enumerate(items) if item.means("attribute", column)}
    return FoundGoal(Goal("value", of, column=column), frozenset(at_all))


def _named(items: Sequence[Item]) -> FoundGoal | None:
    """A kind of record whose names are asked for: "what drugs did patient 7 get"."""
    for n, item in enumerate(items):
        if item.means("noun") and _record(item) not in ("patient", "admission", "icu", "cost"):
            is_bare = not (n + 1 < len(items) and items[n + 1].values)
            return FoundGoal(Goal("names", _record(item)), frozenset({n})) if is_bare else None
        if not item.is_harmless:
            return None
    return None


def _record(item: Item) -> str:
    """The kind of record that a noun is of; a word for people of one sex is of patients."""
    if item.means("sex") and not item.means("noun"):
        return "patient"
    return item.meaning("noun")


def _first(items: Sequence[Item], kind: str, *names: str) -> int | None:
    return next((n for n, item in enumerate(items) if item.means(kind, *names)), None)


def _is_plain_number(items: Sequence[Item], n: int) -> bool:
    return items[n].number is not None and not items[n].values
