"""Reads events such as admissions, deaths and ICU stays as conditions."""

from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import ConditionState
from wardround.agents.parser.grammar.tagger import Item
from wardround.agents.parser.grammar.value_conditions import WEAK_VERBS
from wardround.ehr.query import Bound, Condition, Term
from wardround.ehr.records import Role

# Kinds of record that are made in an ICU.
_IN_ICU = ("drug", "procedure", "lab", "vital", "culture", "organism", "intake", "output")

_ADMISSION_TIMES = ("admitted", "discharged")


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
