"""Tells what a turn changed of a request, and whether that is what the turn asks for."""

from dataclasses import replace
from datetime import datetime

from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import GOALS_OF_MANY, OF_PEOPLE, Request
from wardround.agents.parser.talk.turns.turn_kind import is_whole, swaps
from wardround.agents.parser.talk.turns.turn_reader import read_turn


def is_same_request(before: Request, after: Request) -> bool:
    """True if nothing that matters to the answer has changed."""
    of_one = after.of_one or before.of_one
    before = replace(before, vague=after.vague, indication=after.indication, turns=after.turns)
    return replace(before, of_one=of_one) == replace(after, of_one=of_one)


def is_understood(before: Request, after: Request, wording: str, now: datetime) -> bool:
    """True if a turn changed the request before it into one of the shape that it asks for."""
    return _is_answer_changed(before, after, wording) and _has_asked_shape(after, wording, now)


def _is_answer_changed(before: Request, after: Request, wording: str) -> bool:
    """True unless a turn changes nothing, or asks about a thing that only became a condition.

    "What was the heart rate?" after a question about a length asks for no length, and "And sodium?"
    after one about drugs for no drugs of patients with a test.
    """
    if is_same_request(before, after):
        return False
    goal = after.goal
    asks_of_many = goal is not None and goal.shape in (*GOALS_OF_MANY, "exists")
    asks = phrase("asking").search(wording.lower()) and not asks_of_many
    if goal is None or goal != before.goal or not (asks or swaps(wording)):
        return True
    named_kinds = {after.target_kind(), *OF_PEOPLE, *(c.kind for c in before.all_conditions())}
    new = [c for c in after.all_conditions() if c not in before.all_conditions()]
    return all(c.kind in named_kinds or c.is_negated for c in new)


def _has_asked_shape(after: Request, wording: str, now: datetime) -> bool:
    """False if a turn asks for a value, say, and the request after it is still for a number."""
    alone = read_turn(Request(), wording, now)
    if after.goal is None or alone.goal is None or not is_whole(alone, wording.lower()):
        return True
    return after.goal.shape == alone.goal.shape
