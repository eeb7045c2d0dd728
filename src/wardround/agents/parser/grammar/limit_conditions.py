"""Reads numbers of a question as limits on ages, counts, lengths of stay and values."""

from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import ConditionState, NotUnderstoodError
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Bound, Condition
from wardround.ehr.records import Role


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
    """Read a number with what stands behind it; return the next position."""
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
        last = state.found[-1]
        limits = (*last.condition.bounds, Bound("<=", state.number_of(second)))
        state.found[-1] = last.changed(bounds=limits)
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
                state.found[-1] = replace(state.found[-1], condition=length, last=item.last)
            else:
                state.add(length, item)
            return (after or 0) + 1
    if state.is_unit(after, "years"):
        state.add(Condition("age", bounds=(bound,)), item)
        return (after or 0) + 1
    last = state.last_in_sentence(item)
    is_aged = _follows_aged(state, at)
    if last and last.kind in ("lab", "vital") and last.condition.values and not is_aged:
        state.found[-1] = last.changed(bounds=(*last.condition.bounds, bound))
        return after + 1 if after is not None and state.is_unit(after, "measure") else end
    if _is_of_age(state, at):
        state.add(Condition("age", bounds=(bound,)), item)
        return end
    raise NotUnderstoodError(*state.items[first:end])


def _is_of_stay(state: ConditionState) -> bool:
    """True behind "stayed in the hospital"."""
    last = state.found[-1].condition if state.found else None
    admitted = ((Role("admission", "time"), ()),)
    return last is not None and last.values == admitted and not (last.is_negated or last.periods)


def _is_countable(state: ConditionState, at: int) -> bool:
    """True for a noun of records that no value stands beside."""
    if state.items[at].means("noun", "patient", "cost"):
        return False
    return not any(item.values for item in state.items[at + 1 : at + 2])


def _follows_aged(state: ConditionState, at: int) -> bool:
    """True right behind a word for an age, as in "aged < 65", that no number stands before."""
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
    last = state.found[-1] if state.found else None
    if not last or last.condition.count or last.condition.is_negated:
        raise NotUnderstoodError(item)
    if last.kind in ("hospital", "current"):
        last = last.changed(kind="admission")
    if last.kind in ("sex", "age", "death", "alive", "current", "patient", "time"):
        raise NotUnderstoodError(item)
    state.found[-1] = last.changed(count=bound)


def _is_after(item: Item, *names: str) -> bool:
    """True for a comparison behind its number, such as "or more"."""
    names = names or ("after-more", "after-less")
    return item.means("compare", *names) or item.means("aging", *names)
