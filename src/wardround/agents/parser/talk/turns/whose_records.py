"""Makes plain whose records a question is about: those of people, of a visit or of an ICU stay."""

from dataclasses import replace

from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import OF_PEOPLE, Clause, Request

_PLACES = ("icu", "transfer")


def of_same_people(before: Request, after: Request) -> Request:
    """The request after a turn, about the people who were found before it.

    They were found by what they had at any time; it need not be on the visit that the turn is
    about.
    """
    is_of_people = before.goal is not None and (before.goal.of or "patient") == "patient"
    if not is_of_people or before.patient or before.is_by_visit() or after.same_visit:
        return after
    for old in before.all_conditions() if after.is_by_visit() else ():
        if old.kind not in OF_PEOPLE:
            after = after.with_condition(old, replace(old, ever=True))
    return after


def in_place(request: Request, wording: str) -> Request:
    """A request for people without any stay in a place, or with an event during an ICU stay.

    >>> from wardround.agents.parser.talk.request import StatedGoal, clause
    >>> asked = Request(StatedGoal("count", "patient"), (clause("drug", "heparin"), clause("icu")))
    >>> [each.condition.is_in_icu for each in in_place(asked, "Heparin in the ICU?").conditions]
    [True]
    """
    low = wording.lower()
    is_of_people = request.goal is not None and request.goal.of == "patient"
    if is_of_people and not (request.same_visit or request.visit or phrase("visits").search(low)):
        for each in request.conditions:
            if each.kind in _PLACES and each.is_negated:
                request = request.with_condition(each, replace(each, ever=True))
    events, stays = _events(request), [c for c in request.conditions if c.kind == "icu"]
    if not phrase("in_icu").search(low) or len(stays) != 1 or stays[0].phrase or len(events) != 1:
        return request
    rest = tuple(each for each in request.conditions if each != stays[0])
    placed = replace(request, conditions=rest)
    return placed.with_condition(events[0], events[0].changed(is_in_icu=True))


def unplaced(request: Request, wording: str) -> str:
    """The words that place an event in a unit, if records tell only who was there; or "".

    A stay in the CCU does not show that a patient died, or got a drug, "in the CCU".
    """
    low = wording.lower()
    fates = [c for c in request.all_conditions() if c.column in ("death", "destination")]
    stays = [c for c in request.all_conditions() if c.kind in _PLACES and not c.is_negated]
    if not stays or not (_events(request) or fates):
        return ""
    named = [each.phrase for each in stays if each.phrase and _is_in(each.phrase, low)]
    bare = phrase("in_icu").search(low)
    return named[0] if named else bare[0] if bare else ""


def _events(request: Request) -> list[Clause]:
    """The things that happened, rather than what people and their stays are like."""
    named = (each for each in request.all_conditions() if each.kind not in OF_PEOPLE)
    return [each for each in named if not each.is_negated]


def _is_in(place: str, low: str) -> bool:
    """True if something is said to be in a place, other than people who were there."""
    before = low[: max(0, low.find(place))]
    return phrase("in_there").search(before) is not None
