"""Finds goals that are numbers: ages, lengths of stay, costs, results of tests."""

from collections.abc import Sequence

from wardround.agents.parser.grammar.goal_items import (
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

_COSTED = ("drug", "lab", "diagnosis", "procedure", "treatment")
_KEYS = {"patient": "patient", "admission": "admission", "icu": "stay"}


def find_cost(items: Sequence[Item]) -> FoundGoal | None:
    """Costs: in total, or their average, highest or lowest for each stay or patient."""
    if first_item(items, "noun", "cost") is None:
        return None
    superlative = first_item(items, "superlative", "MAX cost", "MIN cost")
    aggregates = all_items(items, "aggregate")
    function = _function(items, superlative, aggregates)
    if not function and (first_item(items, "goal", "much") is not None or numbered_kinds(items)):
        function = "SUM"
    whole = bare_noun(items, ("admission", "icu") if function == "SUM" else tuple(_KEYS))
    event = bare_noun(items, _COSTED)
    if not function or (function != "SUM" and whole is None and event is None):
        return None
    is_per = whole is not None and function != "SUM"
    per = _KEYS[items[whole or 0].meaning("noun")] if is_per else ""
    costs_of = items[event].meaning("noun") if event is not None else ""
    used = used_items(
        *(all_items(items, "noun", "cost"), all_items(items, "goal", "much")),
        *(superlative, aggregates, whole, event),
    )
    goal = Goal("aggregate", "cost", function, "value", per=per, costs_of=costs_of)
    return FoundGoal(goal, used)


def _function(items: Sequence[Item], superlative: int | None, aggregates: set[int]) -> str:
    """The function that words state: "total" says no more beside another of them."""
    if superlative is not None:
        return items[superlative].meaning("superlative").split()[0]
    functions = {items[n].meaning("aggregate") for n in aggregates}
    stated = functions - {"SUM"}
    if len(stated) > 1:
        return ""
    return next(iter(stated or functions), "")


def find_length(items: Sequence[Item]) -> FoundGoal | None:
    """The length of a stay, or a function of the lengths of stays."""
    long = first_item(items, "goal", "length")
    measure = first_item(items, "measure", "length", "icu_length")
    superlative = first_item(items, "superlative", "MAX length", "MIN length")
    if long is None and measure is None and superlative is None:
        return None
    noun = bare_noun(items, STAYS)
    of = items[noun].meaning("noun") if noun is not None else ""
    of = of or next((kind for kind in STAYS if kind in numbered_kinds(items)), "")
    if measure is not None:
        of = "icu" if items[measure].means("measure", "icu_length") else "admission"
    aggregates = all_items(items, "aggregate", "AVG", "MEDIAN", "MAX", "MIN")
    function = _function(items, superlative, aggregates)
    is_numbered = bool(numbered_kinds(items) & {of, "patient"})
    if not of or not (function or is_numbered):
        return None
    hours = first_item(items, "unit", "in_hours")
    lasting = all_items(items, "verb", "stayed") if long is not None else ()
    used = used_items(
        *(long, measure, superlative, aggregates, hours, lasting),
        *(all_items(items, "unit", "in_days"), noun if measure is None else None),
    )
    column = "hours" if hours is not None else "length"
    shape = "aggregate" if function else "value"
    return FoundGoal(Goal(shape, of, function, column), used)


def find_aggregate(items: Sequence[Item]) -> FoundGoal | None:
    """A function of ages, or of the results of a test."""
    superlative = first_item(items, "superlative", "MAX age", "MIN age")
    at = first_item(items, "aggregate")
    ages = all_items(items, "measure", "age") | all_items(items, "goal", "age")
    if superlative is not None or (at is not None and all_items(items, "measure", "age")):
        function = _function(items, superlative, {at} if at is not None else set())
        used = used_items(superlative if superlative is not None else at, ages)
        return FoundGoal(Goal("aggregate", "admission", function, "age"), used) if ages else None
    if at is None:
        at = first_item(items, "superlative", "MAX value", "MIN value")
    if at is None:
        return None
    function = items[at].meaning("aggregate") or items[at].meaning("superlative").split()[0]
    kinds = ("intake", "output") if function == "SUM" else ("lab", "vital")
    volume = bare_noun(items, kinds) if function == "SUM" else None
    if volume is not None:
        goal = Goal("aggregate", items[volume].meaning("noun"), function, "value")
        return FoundGoal(goal, used_items(at, volume))
    measured = [item for n, item in enumerate(items) if n != at and value_kind([item], kinds)]
    if not measured or (measured[0].is_part and function == "SUM"):
        return None
    goal = Goal("aggregate", value_kind(measured, kinds), function, "value")
    return FoundGoal(goal, frozenset({at}))


def find_measured(items: Sequence[Item]) -> FoundGoal | None:
    """The weight or height of a patient."""
    names = {
        text
        for item in items
        for role, texts in item.values.items()
        if role.kind == "vital"
        for text in texts
    }
    is_of_body = bool(names) and all("weight" in name or "height" in name for name in names)
    if not is_of_body or not numbered_kinds(items) or first_item(items, "aggregate") is not None:
        return None
    return FoundGoal(Goal("value", "vital", column="value"), frozenset())
