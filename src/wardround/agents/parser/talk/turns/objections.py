"""Tells why the reading of a turn may not be answered, in words for the user."""

from datetime import datetime
from typing import NamedTuple

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.turns.references import (
    dangling_reference,
    doubtful_addition,
    lost_condition,
    lost_scope,
)
from wardround.agents.parser.talk.turns.second_look import has_asked_shape, unsaid_words
from wardround.agents.parser.talk.turns.turn_effect import is_understood
from wardround.agents.parser.talk.turns.whose_records import unplaced


class Objection(NamedTuple):
    """Why a reading is not answered.

    Attributes:
        reply: The reason, for the user.
        unsaid: The words that the user may leave out.
    """

    reply: str
    unsaid: tuple[str, ...] = ()


def objection(before: Request, after: Request, wording: str, now: datetime) -> Objection | None:
    """Why the reading of a turn is not answered; None if nothing speaks against it.

    Args:
        before: The request that the turn goes on from; an empty one if it begins anew.
        after: The request after the turn.
        wording: The user's words.
        now: The current time of the records.
    """
    if pointing := dangling_reference(before, after, wording):
        return Objection(words.dangling_reply(pointing))
    is_dropping = phrase("dropping").search(wording.lower()) is not None
    dropped = before if is_dropping else None
    if unsaid := unsaid_words(after, wording, now, dropped=dropped):
        return Objection(words.unread_reply(unsaid), unsaid)
    if scope := lost_scope(before, after):
        return Objection(words.lost_reply(f"the {scope}"))
    lost = None if is_dropping else lost_condition(before, after)
    if lost is not None:
        return Objection(words.lost_reply(words.describe_condition(lost)))
    if unit := unplaced(after, wording):
        return Objection(words.place_reply(unit))
    added = doubtful_addition(before, after, wording)
    if added is not None:
        return Objection(words.addition_reply(added))
    is_changed = not before.turns or is_understood(before, after, wording, now)
    is_share = after.goal is not None and after.goal.shape == "share"
    if not is_changed or not has_asked_shape(after, wording) or (is_share and not after.part):
        return Objection(words.NOT_CHANGED if before.turns else words.NOT_UNDERSTOOD)
    return None
