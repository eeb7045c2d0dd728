"""Reads the conditions of a question from left to right, and names each word that fits none."""

from collections.abc import Collection, Sequence

from wardround.agents.parser.grammar.condition_state import (
    Clause,
    ConditionState,
    NotUnderstoodError,
)
from wardround.agents.parser.grammar.event_conditions import read_event
from wardround.agents.parser.grammar.limit_conditions import (
    age_number,
    read_age,
    read_count,
    read_limit,
    read_number,
)
from wardround.agents.parser.grammar.spans import read_span
from wardround.agents.parser.grammar.tagger import Item
from wardround.agents.parser.grammar.value_conditions import (
    introduces_value,
    read_link,
    read_noun,
    read_value,
    read_verb,
)
from wardround.ehr.query import Condition, Goal, Term
from wardround.ehr.records import Role


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
