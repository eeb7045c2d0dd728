"""Tells what a request lacks before it can be answered, as the question that asks for it."""

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.mention_finder import clean
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import GOALS_OF_MANY, Request


def gap_question(request: Request, wording: str, *, is_opening: bool) -> str:
    """The question for what a request lacks; "" for one that is complete.

    Args:
        request: The request after a turn.
        wording: The turn.
        is_opening: Whether it opens the conversation with a statement.
    """
    goal = request.goal
    is_vague = goal is None or (goal.weak and (is_opening or is_narrowing(wording.lower())))
    if goal is None or (is_vague and not request.patient):
        return words.ASK_GOAL
    if _is_bare(request) and (request.vague or is_opening or goal.shape == "list"):
        return words.ASK_CONDITIONS
    return "" if request.target_kind() else words.ASK_GOAL


def lacks_patient(request: Request) -> bool:
    """True if the request is about one patient who was not named."""
    goal = request.goal
    if request.patient or (goal and goal.shape in GOALS_OF_MANY):
        return False
    single = goal is not None and goal.shape == "value" and goal.which in ("first", "last", "all")
    return request.of_one or single


def assumed_table(wording: str) -> str:
    """The thing that a user assumes a table of its own for; "" if there is none.

    >>> assumed_table("How many patients are in the cancer registry?")
    'cancer'
    """
    match = phrase("own_table").search(wording.lower())
    return clean(match["thing"]) if match else ""


def _is_bare(request: Request) -> bool:
    """True if the request has neither a firm condition nor a patient."""
    firm = any(not condition.tentative for condition in request.all_conditions())
    asked_of_one = request.patient and request.goal and not request.goal.weak
    return not firm and not asked_of_one
