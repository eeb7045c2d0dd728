"""Binds two events by their order: "heparin after surgery" is heparin with surgery before it."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import Clause, NotUnderstoodError
from wardround.agents.parser.grammar.goal_items import EVENTS
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition, Goal, Relation
from wardround.ehr.records import Views


def with_sequels(
    conditions: Sequence[Clause], goal: Goal, records: Views, items: Sequence[Item]
) -> list[Clause]:
    """Make an event behind "after" or "before" the anchor of the event that it places.

    Without an event before it, it places the records that are asked for. Where one of the two is
    known to the day only, the same day counts.

    Raises:
        NotUnderstoodError: It is open which events are meant, or one has no time of its own.
    """
    at = next((n for n, condition in enumerate(conditions) if condition.order), None)
    if at is None:
        return list(conditions)
    sequel, before, rest = conditions[at], conditions[:at], conditions[at + 1 :]
    events = [condition for condition in before if condition.kind not in _OF_PERSON]
    placed = events[-1] if events else replace(sequel, condition=Condition(goal.of), order="")
    both = placed.condition, sequel.condition
    if (
        rest
        or len(events) > 1
        or placed.kind not in EVENTS
        or sequel.kind not in EVENTS
        or any(condition.periods or condition.count for condition in both)
        or sequel.condition.is_negated
    ):
        raise NotUnderstoodError(next(item for item in items if item.first == sequel.first))
    others = [condition for condition in before if condition is not placed]
    by_day = bool({placed.kind, sequel.kind} & records.dated)
    relation = Relation(sequel.order or "after", sequel.condition, by_day=by_day)
    return [*others, placed.changed(relation=relation)]


_OF_PERSON = ("sex", "age", "patient", "admission")
