"""Finds what a question asks for: records, their columns, or numbers such as ages and costs."""

from collections.abc import Sequence

from wardround.agents.parser.grammar.goal_items import (
    EVENTS,
    STAYS,
    FoundGoal,
    all_items,
    bare_noun,
    first_item,
    numbered_kinds,
    record_kind,
    used_items,
    value_kind,
)
from wardround.agents.parser.grammar.groups import Group, find_rank, find_top, find_totals
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Goal
from wardround.ehr.records import Views

_FUNCTIONS = {"ASC": "MIN", "DESC": "MAX", "": ""}

_WHO = frozenset(["which", "who"])
# Superlatives whose holder is not looked for, only the value.
_OF = tuple(f"{function} {of}" for function in ("MAX", "MIN") for of in ("age", "length", "value"))
_YES_OR_NO = frozenset(["is", "are", "was", "were", "did", "does", "do", "has", "have", "had"])
_ATTRIBUTES_OF = {
    "sex": "patient",
    "birth": "patient",
    "death": "patient",
    "name": "transfer",
    "unit_time": "icu",
    "route": "drug",
}
_COLUMNS = {"unit_time": "time"}

_COSTED = ("drug", "lab", "diagnosis", "procedure", "treatment")
_KEYS = {"patient": "patient", "admission": "admission", "icu": "stay"}


def find_goal(
    items: Sequence[Item], first_word: str, group: Group | None, records: Views
) -> FoundGoal | None:
    """The goal of a question, or None where it states none.

    Args:
        items: The tagged question.
        first_word: Its first word that does not frame a request.
        group: The grouping that it asks for.
        records: The records of the database.
    """
    if first_word in _WHO and any(
        first_item(items, "superlative", name) is not None for name in _OF
    ):
        return None
    if first_word in _YES_OR_NO and first_item(items, "goal") is None:
        return _either_sex(items) or FoundGoal(Goal("exists"), frozenset())
    if goal := find_totals(items, group) or find_rank(items, records):
        return goal
    finders = (
        *(find_top, find_span, find_cost, find_length, find_when, find_ordered),
        *(find_aggregate, _times, _counted, _listed, _either_sex, _value, find_measured),
    )
    for find in finders:
        if goal := find(items):
            return goal
    return _named(items)


def _times(items: Sequence[Item]) -> FoundGoal | None:
    at = first_item(items, "goal", "times")
    if at is None or items[at].last - items[at].first < 2:
        return None
    return FoundGoal(Goal("count", ""), frozenset({at}))


def _counted(items: Sequence[Item]) -> FoundGoal | None:
    for shape in ("distinct", "count", "share", "ratio"):
        at = first_item(items, "goal", shape)
        if at is None:
            continue
        same = all_items(items, "goal", shape)
        noun = _following_noun(items, max(same))
        if noun is None:
            noun = first_item(items[: min(same)], "noun", "patient")
        if noun is None and any(item.means("event", "died") for item in items[at + 1 : at + 2]):
            return FoundGoal(Goal(shape), frozenset(same))
        if noun is None:
            return None
        return FoundGoal(Goal(shape, record_kind(items[noun])), used_items(same, noun))
    return None


def _following_noun(items: Sequence[Item], at: int) -> int | None:
    """The noun after a goal, behind adjectives only."""
    for n in range(at + 1, len(items)):
        if record_kind(items[n]):
            return n
        if not (items[n].is_harmless or items[n].values or _is_adjective(items[n])):
            return None
    return None


def _is_adjective(item: Item) -> bool:
    return any(item.means(kind) for kind in ("event", "negation", "link", "attribute", "aging"))


def _listed(items: Sequence[Item]) -> FoundGoal | None:
    at = first_item(items, "goal", "list")
    if at is None or any(entry.values for entry in items[:at]):
        return None
    same = all_items(items, "goal", "list")
    is_phrase = items[at].last - items[at].first > 1
    noun = _following_noun(items, max(same) if is_phrase else at)
    if noun is None and is_phrase:
        return FoundGoal(Goal("list"), frozenset(same))
    if noun is None:
        return None
    record = record_kind(items[noun])
    shape = "list" if record == "patient" else "names"
    return FoundGoal(Goal(shape, record), used_items(same, noun))


def _either_sex(items: Sequence[Item]) -> FoundGoal | None:
    """The sex of a patient: "is patient 7 male or female"."""
    sexes = sorted(all_items(items, "sex"))
    if len(sexes) != 2 or numbered_kinds(items) != {"patient"}:
        return None
    links = {n for n in all_items(items, "link", "or") if sexes[0] < n < sexes[1]}
    goal = Goal("value", "patient", column="sex")
    return FoundGoal(goal, used_items(sexes, links)) if links else None


def _value(items: Sequence[Item]) -> FoundGoal | None:
    """An attribute: "what is the gender of patient 7", "which languages do patients speak"."""
    is_of_patient = "patient" in numbered_kinds(items)
    age = first_item(items, "goal", "age")
    if age is None:
        age = first_item(items, "measure", "age")
    if age is not None and is_of_patient:
        return FoundGoal(Goal("value", "admission", column="age"), frozenset({age}))
    at = first_item(items, "attribute")
    if at is None or any(item.values for item in items[at + 1 : at + 2]):
        return None
    column = items[at].meaning("attribute")
    of = _ATTRIBUTES_OF.get(column, "admission")
    is_of_record = any(role.kind == of for item in items for role in item.values)
    if not is_of_patient and not is_of_record and any(item.values for item in items):
        return None
    goal = Goal("value", of, column=_COLUMNS.get(column, column))
    listed = {n for n in all_items(items, "goal", "list") if not items[n].means("ranked")}
    return FoundGoal(goal, used_items(listed, all_items(items, "attribute", column)))


def _named(items: Sequence[Item]) -> FoundGoal | None:
    """A kind of record whose names are asked for: "what drugs did patient 7 get"."""
    for n, item in enumerate(items):
        if item.means("noun") and record_kind(item) not in ("patient", "admission", "icu", "cost"):
            is_bare = not (n + 1 < len(items) and items[n + 1].values)
            return FoundGoal(Goal("names", record_kind(item)), frozenset({n})) if is_bare else None
        if not item.is_harmless:
            return None
    return None


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
