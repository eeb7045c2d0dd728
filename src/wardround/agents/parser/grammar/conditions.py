"""Reads the conditions of a question from left to right, and names each word that fits none.

Numbers are limits on ages, counts, lengths of stay and values.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import (
    Clause,
    ConditionState,
    NotUnderstoodError,
)
from wardround.agents.parser.grammar.goal_items import EVENTS
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
    return state.clauses


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
    state.clauses.append(Clause(time, first=item.first, last=item.last))


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
    before = state.clauses[-1] if state.clauses else None
    if before and before.kind == "length" and state.negation is None:
        state.clauses[-1] = replace(before.changed(kind="icu", measured="length"), last=item.last)
    elif (
        before
        and before.kind in _IN_ICU
        and state.verb not in WEAK_VERBS
        and state.negation is None
    ):
        state.clauses[-1] = replace(before.changed(is_in_icu=True), last=item.last)
    elif state.of in _IN_ICU and state.negation is None:
        state.add(Condition(state.of, is_in_icu=True), item)
    else:
        state.add(Condition("icu"), item)


def _hospital(state: ConditionState, item: Item) -> None:
    """Read "in the hospital": now, or harmless beside stays and what is done in a hospital."""
    stated = ("admission", "current", "death", *_IN_ICU)
    is_stated = bool(state.clauses) and state.clauses[-1].kind in stated
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
        NotUnderstoodError: The two ends of the distance are ambiguous.
    """
    item, clause = state.items[at], state.clauses[-1] if state.clauses else None
    span, behind = _span(state, at)
    if span is None or clause is None:
        raise NotUnderstoodError(item)
    end, start = _stay(state, behind)
    last = clause.condition
    if last.kind == "admission" and last.count == _AGAIN and start != "admitted":
        relation = Relation("before", Condition("admission"), within=span, at="finish")
        state.clauses[-1] = clause.changed(count=None, relation=relation)
    elif last.kind in EVENTS and start == "admitted" and not (last.relation or last.is_negated):
        stay = Relation("during", Condition("admission"), scope="admission", within=span)
        state.clauses[-1] = clause.changed(relation=stay)
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
    """The position after an admission or a discharge, and which it is; "" if there is none."""
    for n in range(at, min(at + 3, len(state.items))):
        item = state.items[n]
        if item.means("noun", "admission") or item.means("event", "admitted"):
            return n + 1, "admitted"
        if item.means("event", "discharged"):
            return n + 1, "discharged"
        if not (item.is_harmless or item.means("sequence", "after")):
            break
    return at, ""


def age_number(state: ConditionState, at: int) -> int | None:
    """The number behind a word of age, if there is one."""
    after = state.next_item(at + 1)
    if after is not None and (
        state.items[after].means("compare") or state.items[after].means("aging")
    ):
        after = state.next_item(after + 1)
    return after if after is not None and state.has_number(after) else None


def read_age(state: ConditionState, at: int) -> int:
    """An age behind its noun: "aged 65", "aged 65 or older", "aged over 65"."""
    next_item = state.next_item(at + 1) or at
    if state.items[next_item].means("compare") or state.items[next_item].means("aging"):
        return next_item
    after = state.next_item(next_item + 1)
    if after is not None and _is_after(state.items[after]):
        return next_item
    bound = Bound("=", state.number_of(next_item))
    state.add(Condition("age", bounds=(bound,)), state.items[next_item])
    return next_item + 1


def read_number(state: ConditionState, at: int) -> int:
    """Read a number and the words after it; return the next position."""
    item = state.items[at]
    after = state.next_item(at + 1)
    if after is not None and _is_after(state.items[after]):
        operator = ">=" if _is_after(state.items[after], "after-more") else "<="
        return _bounded(state, at, after + 1, Bound(operator, item.number or 0), at)
    if after is not None and state.items[after].means("unit"):
        behind = state.next_item(after + 1)
        operator = "="
        if behind is not None and _is_after(state.items[behind]):
            operator = ">=" if _is_after(state.items[behind], "after-more") else "<="
            state.used.add(behind)
        return _bounded(state, at, at + 1, Bound(operator, item.number or 0), at)
    raise NotUnderstoodError(item)


def read_limit(state: ConditionState, at: int, kind: str = "compare") -> int:
    """Read a comparison with its number; return the next position."""
    item = state.items[at]
    operator = item.meaning(kind)
    number = state.number_after(at)
    if number is None or _is_after(item):
        raise NotUnderstoodError(item)
    low = state.number_of(number)
    if operator == "between":
        second = next((n for n in range(number + 1, len(state.items)) if state.has_number(n)), None)
        if second is None or second > number + 2:
            raise NotUnderstoodError(item)
        end = _bounded(state, at, second + 1, Bound(">=", low), at)
        last = state.clauses[-1]
        limits = (*last.condition.bounds, Bound("<=", state.number_of(second)))
        state.clauses[-1] = last.changed(bounds=limits)
        return end
    return _bounded(state, at, number + 1, Bound(operator, low), at)


def _bounded(state: ConditionState, at: int, end: int, bound: Bound, first: int) -> int:
    """Attach a limit: to an age, a count of stays or of the last event, or a test's value."""
    item = state.items[first]
    after = state.next_item(end)
    if item.means("aging") or state.items[end - 1].means("aging"):
        state.add(Condition("age", bounds=(bound,)), item)
        return (after or 0) + 1 if state.is_unit(after, "years") else end
    is_count_word = item.means("quantity") or state.items[end - 1].means("quantity", "1", "2")
    if (after is not None and state.items[after].means("unit", "times")) or is_count_word:
        _count_last(state, bound, item)
        return end if is_count_word and not state.is_unit(after, "times") else (after or 0) + 1
    if after is not None and state.items[after].means("noun", "admission", "icu"):
        kind = state.items[after].meaning("noun")
        state.add(Condition(kind, count=bound), item)
        return after + 1
    if after is not None and state.items[after].means("noun") and _is_countable(state, after):
        state.open_verb = None
        state.add(Condition(state.items[after].meaning("noun"), count=bound), item)
        return after + 1
    for unit in ("days", "hours"):
        if state.is_unit(after, unit) and (state.verb == "stayed" or _is_of_stay(state)):
            state.open_verb = None
            limit = replace(bound, unit="hour") if unit == "hours" else bound
            length = Condition("length", bounds=(limit,))
            if _is_of_stay(state):
                state.clauses[-1] = replace(state.clauses[-1], condition=length, last=item.last)
            else:
                state.add(length, item)
            return (after or 0) + 1
    if state.is_unit(after, "years"):
        state.add(Condition("age", bounds=(bound,)), item)
        return (after or 0) + 1
    last = state.last_in_sentence(item)
    is_aged = _follows_aged(state, at)
    if last and last.kind in ("lab", "vital") and last.condition.values and not is_aged:
        state.clauses[-1] = last.changed(bounds=(*last.condition.bounds, bound))
        return after + 1 if after is not None and state.is_unit(after, "measure") else end
    if _is_of_age(state, at):
        state.add(Condition("age", bounds=(bound,)), item)
        return end
    raise NotUnderstoodError(*state.items[first:end])


def _is_of_stay(state: ConditionState) -> bool:
    """True behind "stayed in the hospital"."""
    last = state.clauses[-1].condition if state.clauses else None
    admitted = ((Role("admission", "time"), ()),)
    return last is not None and last.values == admitted and not (last.is_negated or last.periods)


def _is_countable(state: ConditionState, at: int) -> bool:
    """True for a noun of records that no value stands beside."""
    if state.items[at].means("noun", "patient", "cost"):
        return False
    return not any(item.values for item in state.items[at + 1 : at + 2])


def _follows_aged(state: ConditionState, at: int) -> bool:
    """True directly after a word for an age without a number before it, as in "aged < 65"."""
    is_word = at > 0 and state.is_unit(at - 1, "years")
    return is_word and not (at > 1 and state.has_number(at - 2))


def _is_of_age(state: ConditionState, at: int) -> bool:
    """True if a limit follows people or "aged", as in "women over 65"."""
    for before in reversed(state.items[:at]):
        if before.sentence != state.items[at].sentence:
            return False
        is_person = before.means("noun", "patient") or before.means("ranked")
        if is_person or before.means("sex") or before.means("unit"):
            return True
        if before.means("measure", "age"):
            return True
        if not before.is_harmless and not before.means("negation"):
            return False
    return False


def read_count(state: ConditionState, item: Item, at: int) -> None:
    """Read a count such as "twice"."""
    meaning = item.meaning("quantity")
    bound = Bound(">", 1) if meaning == "many" else Bound("=", float(meaning))
    after = state.next_item(at + 1)
    if after is not None and state.items[after].means("noun", "admission", "icu"):
        state.add(Condition(state.items[after].meaning("noun"), count=bound), item)
        state.used.add(after)
        return
    _count_last(state, bound, item)


def _count_last(state: ConditionState, bound: Bound, item: Item) -> None:
    last = state.clauses[-1] if state.clauses else None
    if not last or last.condition.count or last.condition.is_negated:
        raise NotUnderstoodError(item)
    if last.kind in ("hospital", "current"):
        last = last.changed(kind="admission")
    if last.kind in ("sex", "age", "death", "alive", "current", "patient", "time"):
        raise NotUnderstoodError(item)
    state.clauses[-1] = last.changed(count=bound)


def _is_after(item: Item, *names: str) -> bool:
    """True for a comparison behind its number, such as "or more"."""
    names = names or ("after-more", "after-less")
    return item.means("compare", *names) or item.means("aging", *names)
