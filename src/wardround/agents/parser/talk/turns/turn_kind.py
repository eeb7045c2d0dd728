"""Tells new questions from turns that go on with the last one."""

from datetime import datetime
from typing import Literal, TypeAlias

from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import OF_PEOPLE, Clause, Request
from wardround.agents.parser.talk.turns.references import has_reference, without_own_pronouns
from wardround.agents.parser.talk.turns.turn_reader import read_turn

# Patterns of words that point to records rather than to their patient.
_TO_RECORDS = ("records_reference", "visit_reference", "thing_reference")

TurnKind: TypeAlias = Literal["new", "follow_up", "either"]


def turn_kind(before: Request, wording: str, now: datetime) -> TurnKind:
    """Classifies a turn after a request that was answered.

    A question that is whole by itself is new; one that points back, or lacks what it asks for, goes
    on. A whole question without limits of its own is either if there were limits before, and one
    about visits may be about those of the patient before.

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
    if phrase("share_of_that").search(low) and phrase("share").search(low):
        return "follow_up"
    points_back = phrase("points_back").search(without_own_pronouns(low)) is not None
    of_same_patient = alone.of_one and not alone.patient and bool(before.patient)
    if not is_whole(alone, low) or points_back or of_same_patient or is_narrowing(low):
        return "follow_up"
    if not _is_limited(before) or phrase("of_all").search(low) or alone.patient:
        return "new"
    names = "names_persons" if before.patient else "names_people"
    return "new" if _says_whose(alone, low, names) else "either"


def stands_alone(wording: str, now: datetime) -> bool:
    """True if a turn says by itself what it asks for, and whose records it asks of.

    >>> now = datetime(2100, 1, 1)
    >>> stands_alone("How many women had sepsis?", now), stands_alone("The last sodium?", now)
    (True, False)
    """
    low = wording.lower()
    alone = read_turn(Request(), wording, now)
    if not is_whole(alone, low) or is_narrowing(low) or has_reference(wording):
        return False
    is_of_all = phrase("of_all").search(low) is not None
    return is_of_all or bool(alone.patient) or _says_whose(alone, low, "names_people")


def _says_whose(alone: Request, low: str, names: str) -> bool:
    """True if a turn names people or visits, with a condition of its own.

    "How many men?" may be about the men of those before.
    """
    has_own = any(_says_more(each) for each in alone.all_conditions())
    goes_on = phrase("goes_on").search(low) is not None
    return has_own and phrase(names).search(low) is not None and not goes_on


def is_whole(alone: Request, low: str) -> bool:
    """True if a turn says by itself what it asks for.

    Args:
        alone: The turn as the first of a conversation.
        low: Its words in lower case.
    """
    return alone.goal is not None and not alone.goal.weak and bool(phrase("asking").search(low))


def asks_anew_of_patient(wording: str, now: datetime) -> bool:
    """True if a turn says by itself what it asks of the patient before."""
    alone, low = read_turn(Request(), wording, now), wording.lower()
    names_thing = any(c.phrase and c.kind not in OF_PEOPLE for c in alone.all_conditions())
    points = any(phrase(name).search(low) for name in _TO_RECORDS)
    return names_thing and is_whole(alone, low) and not points


def asks_nothing(before: Request, wording: str, now: datetime) -> bool:
    """True if a turn asks nothing of the records, such as a greeting or what can be asked.

    What opens a conversation asks nothing if nothing is read in it; later it has to speak to "you".

    >>> now = datetime(2100, 1, 1)
    >>> asks_nothing(Request(), "Hello!", now), asks_nothing(Request(turns=1), "And now?", now)
    (True, False)
    """
    alone = read_turn(Request(), wording, now)
    has_nothing = alone == Request(turns=1, vague=alone.vague)
    speaks_to_agent = phrase("to_agent").search(wording.lower()) is not None
    return has_nothing and (speaks_to_agent or not before.turns)


def swaps(wording: str) -> bool:
    """True if a turn only replaces a term of the question before.

    >>> swaps("And insulin?"), swaps("And how many were women?")
    (True, False)
    """
    low = wording.lower()
    return phrase("swap").search(low) is not None and not phrase("asking").search(low)


def needs_question_before(wording: str) -> bool:
    """True if a turn names no goal or no people of its own.

    >>> needs_question_before("And insulin?"), needs_question_before("How many of them died?")
    (True, True)
    >>> needs_question_before("How many women had sepsis, and how many of them died?")
    False
    """
    low = wording.lower()
    people = phrase("names_people").search(low) or phrase("patient").search(low)
    if people is None:
        return swaps(wording) or phrase("pronoun").search(low) is not None
    back = phrase("refers_back").search(low)
    return swaps(wording) or (back is not None and back.start() < people.start())


def _says_more(condition: Clause) -> bool:
    """True if a condition is on more than what a person is like."""
    return not condition.tentative and condition.kind != "patient" and condition.column != "age"


def chosen_kind(wording: str, now: datetime) -> TurnKind:
    """The answer to the question if a turn is about what was asked before.

    >>> now = datetime(2100, 1, 1)
    >>> [chosen_kind(each, now) for each in ("Of all patients.", "Only those", "Thanks")]
    ['new', 'follow_up', 'either']
    >>> chosen_kind("Only those with sepsis", now)
    'either'
    """
    low = wording.lower()
    if phrase("asking").search(low) or read_turn(Request(), wording, now).all_conditions():
        return "either"
    if phrase("of_all").search(low):
        return "new"
    return "follow_up" if phrase("of_those").search(low) else "either"


def _is_limited(request: Request) -> bool:
    """True if a request is about some of the records only."""
    scope = (request.patient, request.visit, request.stay, request.hours, request.again)
    return any(scope) or any(
        c.phrase or c.condition.bounds or c.condition.periods for c in request.all_conditions()
    )
