"""Reads the conditions of a question from left to right, and names each word that fits none."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import (
    Clause,
    ConditionState,
    NotUnderstoodError,
)
from wardround.agents.parser.grammar.goal_items import EVENTS
from wardround.agents.parser.grammar.limit_conditions import (
    age_number,
    read_age,
    read_count,
    read_limit,
    read_number,
)
from wardround.agents.parser.grammar.tagger import Item
from wardround.agents.parser.grammar.value_conditions import (
    WEAK_VERBS,
    introduces_value,
    read_link,
    read_noun,
    read_value,
    read_verb,
)
from wardround.ehr.query import Bound, Condition, Goal, Relation, Span, Term
from wardround.ehr.query.model import TimeUnit
from wardround.ehr.records import Role

_UNITS: Mapping[str, TimeUnit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_AGAIN = Bound(">", 1)  # as an admission that is not the only one is read

# Kinds of record that are made in an ICU.
_IN_ICU = ("drug", "procedure", "lab", "vital", "culture", "organism", "intake", "output")

_ADMISSION_TIMES = ("admitted", "discharged")


def read_conditions(items: Sequence[Item], used: Collection[int], goal: Goal) -> list[Clause]:
    """The conditions of a question.

    Args:
        items: The tagged question.
        used: The numbers of the items that state the goal.
        goal: What is asked for.

    Raises:
        NotUnderstoodError: A word fits nowhere.
    """
    state = ConditionState(items, set(used), goal.of)
    # A sex may stand for the people who are asked for: "how many women".
    are_people = goal.of == "patient" and goal.column != "sex"
    at = 0
    while at < len(items):
        is_goal = at in state.used and not (items[at].means("sex") and are_people)
        at = at + 1 if is_goal else _step(state, at)
    if left := [item for item in (state.negation, state.open_verb, state.sequence) if item]:
        raise NotUnderstoodError(*left)
    return state.found


def _step(state: ConditionState, at: int) -> int:
    """Read the item at a position; return the next position."""
    item = state.items[at]
    if item.periods:
        _add_time(state, item)
    elif item.means("aging"):
        return read_limit(state, at, "aging")
    elif item.means("event", "died"):
        read_event(state, item)
    elif item.means("compare") and not (item.is_harmless and not state.number_after(at)):
        return read_limit(state, at)
    elif item.values:
        return read_value(state, at)
    elif item.number is not None and not item.means("quantity"):
        return read_number(state, at)
    elif item.means("span"):
        return read_span(state, at)
    elif item.means("negation"):
        state.negate(item)
    elif item.means("sequence"):
        state.place_in_time(item)
    elif item.means("link"):
        read_link(state, item)
    elif item.means("quantity"):
        read_count(state, item, at)
    elif item.means("sex"):
        sex = Term(item.meaning("sex"))
        state.add(Condition("sex", ((Role("patient", "sex"), sex),)), item)
    elif item.means("event"):
        read_event(state, item)
    elif item.means("verb"):
        read_verb(state, item, at)
    elif item.means("noun"):
        read_noun(state, at)
    elif item.means("unit", "years") and age_number(state, at) is not None:
        return read_age(state, at)
    elif item.means("attribute") and introduces_value(state, at):
        pass
    elif not item.is_harmless:
        raise NotUnderstoodError(item)
    return at + 1


def _add_time(state: ConditionState, item: Item) -> None:
    time = Condition("time", periods=item.periods)
    state.found.append(Clause(time, first=item.first, last=item.last))


def read_event(state: ConditionState, item: Item) -> None:
    """Read an event such as an admission or a death."""
    meaning = item.meaning("event")
    if meaning == "hospital":
        _hospital(state, item)
    elif meaning == "icu_in":
        _in_icu(state, item)
    elif meaning == "died_inside":
        role = Role("admission", "destination")
        state.add(Condition("admission", ((role, Term("dead")),)), item)
    elif meaning == "died":
        state.add(Condition("death"), item)
    elif meaning == "readmitted":
        state.add(Condition("admission", count=Bound(">", 1)), item)
    elif meaning in _ADMISSION_TIMES:
        column = "time" if meaning == "admitted" else "finish"
        state.add(Condition("admission", ((Role("admission", column), ()),)), item)
    else:
        state.add(Condition(meaning), item)


def _in_icu(state: ConditionState, item: Item) -> None:
    """Read "in the ICU": of the event or length before it, or else a stay of its own."""
    before = state.found[-1] if state.found else None
    if before and before.kind == "length" and state.negation is None:
        state.found[-1] = replace(before.changed(kind="icu", measured="length"), last=item.last)
    elif (
        before
        and before.kind in _IN_ICU
        and state.verb not in WEAK_VERBS
        and state.negation is None
    ):
        state.found[-1] = replace(before.changed(is_in_icu=True), last=item.last)
    elif state.of in _IN_ICU and state.negation is None:
        state.add(Condition(state.of, is_in_icu=True), item)
    else:
        state.add(Condition("icu"), item)


def _hospital(state: ConditionState, item: Item) -> None:
    """Read "in the hospital": now, or harmless beside stays and what is done in a hospital."""
    stated = ("admission", "current", "death", *_IN_ICU)
    is_stated = bool(state.found) and state.found[-1].kind in stated
    if not state.of:
        state.add(Condition("admission"), item)
    elif state.of != "admission" and not is_stated:
        state.add(Condition("current"), item)


def read_span(state: ConditionState, at: int) -> int:
    """Read "within", a number and a unit, and the stay that they count from.

    A stay is counted from its begin for an event in it, and from its end for a readmission.

    Returns:
        The position behind them.

    Raises:
        NotUnderstoodError: It is open what is how far from what.
    """
    item, clause = state.items[at], state.found[-1] if state.found else None
    span, behind = _span(state, at)
    if span is None or clause is None:
        raise NotUnderstoodError(item)
    end, start = _stay(state, behind)
    last = clause.condition
    if last.kind == "admission" and last.count == _AGAIN and start != "admitted":
        relation = Relation("before", Condition("admission"), within=span, at="finish")
        state.found[-1] = clause.changed(count=None, relation=relation)
    elif last.kind in EVENTS and start == "admitted" and not (last.relation or last.is_negated):
        stay = Relation("during", Condition("admission"), scope="admission", within=span)
        state.found[-1] = clause.changed(relation=stay)
    else:
        raise NotUnderstoodError(item)
    return end


def _span(state: ConditionState, at: int) -> tuple[Span | None, int]:
    """The length of time at a position, and the position behind it."""
    first, _, second = state.items[at].meaning("span").partition(" ")
    if second in _UNITS:
        return Span(float(first), _UNITS[second]), at + 1
    number = state.number_after(at)
    unit = state.next_item(number + 1) if number is not None else None
    name = state.items[unit].meaning("unit") if unit is not None else ""
    if number is None or unit is None or name not in ("days", "hours"):
        return None, at
    return Span(state.number_of(number), "hour" if name == "hours" else "day"), unit + 1


def _stay(state: ConditionState, at: int) -> tuple[int, str]:
    """The position behind an admission or a discharge, and which it is; "" if there is none."""
    for n in range(at, min(at + 3, len(state.items))):
        item = state.items[n]
        if item.means("noun", "admission") or item.means("event", "admitted"):
            return n + 1, "admitted"
        if item.means("event", "discharged"):
            return n + 1, "discharged"
        if not (item.is_harmless or item.means("sequence", "after")):
            break
    return at, ""
