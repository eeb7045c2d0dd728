"""Tells a new question from one about what was asked before, by what can be read alone."""

from datetime import datetime
from typing import Literal, TypeAlias

from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.turn_reader import read_turn

TurnKind: TypeAlias = Literal["new", "follow_up", "either"]


def turn_kind(before: Request, wording: str, now: datetime) -> TurnKind:
    """Classifies a turn after a request that was answered.

    A question that is whole by itself is new; one that points back, or lacks what it asks for, goes
    on. A whole question without limits of its own is either if there were limits before.

    Args:
        before: The request that was answered.
        wording: The user's words.
        now: The current time of the records.

    >>> asked = read_turn(Request(), "How many patients took aspirin?", datetime(2100, 1, 1))
    >>> turn_kind(asked, "How many women had sepsis?", datetime(2100, 1, 1))
    'new'
    >>> turn_kind(asked, "And how many of them are women?", datetime(2100, 1, 1))
    'follow_up'
    >>> turn_kind(asked, "What is the average length of stay?", datetime(2100, 1, 1))
    'either'
    """
    low = wording.lower().replace("\u2019", "'")
    if phrase("starts_anew").search(low):
        return "new"
    alone = read_turn(Request(), wording, now)
    is_whole = alone.goal is not None and not alone.goal.weak and bool(phrase("asking").search(low))
    points_back = phrase("points_back").search(low) is not None
    of_same_patient = alone.of_one and not alone.patient and bool(before.patient)
    if not is_whole or points_back or of_same_patient or is_narrowing(low):
        return "follow_up"
    if not _is_limited(before) or phrase("of_all").search(low) or alone.patient:
        return "new"
    has_own = any(not c.tentative for c in alone.all_conditions())
    names_people = phrase("names_people").search(low) is not None
    goes_on = phrase("goes_on").search(low) is not None
    return "new" if has_own and names_people and not goes_on else "either"


def swaps(wording: str) -> bool:
    """True if a question names only what takes the place of what was asked before.

    >>> swaps("And insulin?"), swaps("And how many were women?")
    (True, False)
    """
    low = wording.lower()
    return phrase("swap").search(low) is not None and not phrase("asking").search(low)


def chosen_kind(wording: str) -> TurnKind:
    """The answer to the question if a turn is about what was asked before.

    >>> chosen_kind("Of all patients."), chosen_kind("Only those"), chosen_kind("Thanks")
    ('new', 'follow_up', 'either')
    """
    low = wording.lower()
    if phrase("of_all").search(low):
        return "new"
    return "follow_up" if phrase("of_those").search(low) else "either"


def _is_limited(request: Request) -> bool:
    """True if a request is about some of the records only."""
    scope = (request.patient, request.visit, request.stay, request.hours, request.again)
    return any(scope) or any(
        c.phrase or c.condition.bounds or c.condition.periods for c in request.all_conditions()
    )
