"""Reads how far apart two events are at most: "within 2 days of admission"."""

from collections.abc import Mapping

from wardround.agents.parser.grammar.condition_state import ConditionState, NotUnderstoodError
from wardround.agents.parser.grammar.goal_items import EVENTS
from wardround.ehr.query import Bound, Condition, Relation, Span
from wardround.ehr.query.model import TimeUnit

_UNITS: Mapping[str, TimeUnit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_AGAIN = Bound(">", 1)  # as an admission that is not the only one is read


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
