"""Places limits on ages where stays have no age: at the event of the question, or now."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import Clause, NotUnderstoodError
from wardround.agents.parser.grammar.goal_items import EVENTS, STAYS
from wardround.agents.parser.grammar.query_check import condition_item
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Bound, Condition, Goal
from wardround.ehr.records import Views

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>"}


def with_ages(
    conditions: Sequence[Clause], goal: Goal, records: Views, items: Sequence[Item]
) -> list[Clause]:
    """The conditions with each age at the time of an event, where births are known.

    It is the age at admission if the question says so; else at the record or stay that is asked
    for, else at the first event behind it or before it, else the age of now. The stays of other
    layouts have an age of their own.

    Raises:
        NotUnderstoodError: An age is negated that has two limits.
    """
    if records.has("admission", "age") or not records.has("patient", "birth"):
        return list(conditions)
    placed = [condition for condition in conditions if condition.kind != "age"]
    for age in (condition for condition in conditions if condition.kind == "age"):
        bounds = _bounds(age, items)
        events = [n for n, each in enumerate(placed) if _is_event(each)]
        behind = [n for n in events if placed[n].first > age.first]
        if goal.of != "admission" and any(item.means("aged_at") for item in items):
            placed.append(replace(age, condition=Condition("admission", ages=bounds)))
        elif goal.of in (*EVENTS, *STAYS):
            placed.append(replace(age, condition=Condition(goal.of, ages=bounds)))
        elif events:
            at = (behind or events)[0]
            placed[at] = placed[at].changed(ages=(*placed[at].condition.ages, *bounds))
        else:
            now = Condition("patient", bounds=bounds, measured="age")
            placed.append(replace(age, condition=now))
    return placed


def _bounds(age: Clause, items: Sequence[Item]) -> tuple[Bound, ...]:
    limits = age.condition.bounds
    if not age.condition.is_negated:
        return limits
    if len(limits) > 1:
        raise NotUnderstoodError(condition_item(items, age))
    return tuple(replace(each, operator=_OPPOSITE[each.operator]) for each in limits)


def _is_event(clause: Clause) -> bool:
    condition = clause.condition
    return condition.kind in EVENTS and not condition.is_negated and not condition.count
