"""Hearing a turn: the user's words change the request that was built up so far, by the sentence."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from wardround.agents.parser.talk.attachment import (
    on_one_record,
    with_choices,
    with_limit,
    with_negation,
    with_relations,
    with_window,
    without_descriptions,
)
from wardround.agents.parser.talk.goals import hear_goal, narrows, with_purpose
from wardround.agents.parser.talk.mention_finder import Spot, clean, find_things, strike
from wardround.agents.parser.talk.numbers import find_limits
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.pivots import pivot
from wardround.agents.parser.talk.request import Condition, Kind, Request
from wardround.agents.parser.talk.request_merge import dropped, left_out, merged, on_visit, settled
from wardround.agents.parser.talk.request_scope import Sentence, hear_setting, struck
from wardround.agents.parser.talk.times import find_windows
from wardround.agents.parser.talk.vocabulary import is_term

# "If that was not found, ..." speaks of what is over.
_LOOKING_BACK = re.compile(
    r"\b(?:if|since|as|because|given that)\b[^,.?!;]*?"
    r"(?:\bnot?\b|n't\b|\bnone\b|\bnothing\b)[^,.?!;]*(?:,| then\b|$)"
)
_OF_PATIENTS = {"patient", "admission", "cost"}
_ASKS_FIRST = re.compile(r"[^.?!]*\?")
_INITIAL = re.compile(r"\b([A-Za-z])\. (?=[a-z]{3})")  # "E. coli" ends no sentence
_SENTENCE = re.compile(r"[^.?!]+(?:[.?!](?!\s|$)[^.?!]*)*[.?!]*")


class Understood(NamedTuple):
    """What a sentence came to: the request with it, and what it named."""

    request: Request
    named: tuple[Condition, ...]


def hear(request: Request, said: str, now: datetime, *, failed: bool = False) -> Request:
    """What is asked after a turn.

    Args:
        request: what was asked before.
        said: the user's words.
        now: the current time of the records.
        failed: whether nothing was found before, so that a new thing takes the old one's place.
    """
    opening, before = is_opening(request, said), request
    vague = False
    for sentence in sentences(said):
        vague = vague or phrase("vague").search(sentence.lower()) is not None
        request = _hear_sentence(request, sentence, now, failed=failed, opening=opening)
        failed = failed and request == before  # what failed is replaced only once
    if not _asks_of_drugs(request):
        request = replace(request, indication="")
    return replace(request, vague=vague, turns=before.turns + 1)


def _asks_of_drugs(request: Request) -> bool:
    return request.target_kind() == "drug" or any(c.kind == "drug" for c in request.conditions)


def sentences(said: str) -> Iterator[str]:
    """The sentences of a turn.

    >>> list(sentences("Okay. E. coli in 7.5 percent? Yes"))
    ['Okay.', 'E coli in 7.5 percent?', 'Yes']
    """
    yield from (found.strip() for found in _SENTENCE.findall(_plain(said)) if found.strip())


def _plain(said: str) -> str:
    return _INITIAL.sub(r"\1 ", said.replace("\u2019", "'"))


def is_opening(before: Request, said: str) -> bool:
    """Whether a talk is opened by a statement: what is meant is to follow."""
    return before.turns == 0 and not _ASKS_FIRST.match(_plain(said))


def wants_check(said: str) -> bool:
    """Whether the user only wants to be sure."""
    return phrase("check").search(said.lower()) is not None


def _hear_sentence(
    request: Request, said: str, now: datetime, *, failed: bool, opening: bool
) -> Request:
    low = said.lower()
    if phrase("manner").search(low) and not phrase("asking").search(low):
        return replace(request, in_words=request.in_words or _says(low, "in_words"))
    sentence = struck(Sentence(said, low), _LOOKING_BACK)
    replacing = failed or _says(low, "replacing")
    with_visits = struck(sentence, phrase("patient")).left
    sentence, request = hear_setting(sentence, request)
    goal = hear_goal(sentence.left, request.goal)
    if goal is None or goal.weak:
        goal = hear_goal(with_visits, goal)
    request = replace(request, goal=goal)
    for words in ("ranking", "own_table"):
        sentence = struck(sentence, phrase(words))
    conditions = _conditions(sentence, request, now)
    if opening and not narrows(sentence.left):
        conditions = [_opening(condition) for condition in conditions]
    request = settled(request, conditions, _says_goal_afresh(sentence.left))
    turned = pivot(request, sentence.left, {c.kind for c in conditions if c.phrase}, failed)
    if turned is not None:
        request, kind = turned
        request, conditions = _turned(request, kind, conditions)
    if _says(low, "dropping"):
        return dropped(request, conditions)
    heard = merged(request, conditions, replacing)
    return on_visit(with_purpose(heard, conditions, sentence.left))


def _turned(
    request: Request, kind: Kind, named: list[Condition]
) -> tuple[Request, list[Condition]]:
    """The request after a turn to related things, and what else the sentence named."""
    excluded = [c for c in named if c.column == "excluded"]
    others = [c for c in named if c.kind != kind or not c.phrase]
    for old in request.conditions if excluded else ():
        if old.kind == kind and old.values:
            request = request.with_condition(old, left_out(old, excluded))
    return request, others


def _opening(condition: Condition) -> Condition:
    """A condition of an opening, which counts in full only if it is a clinical term."""
    if condition.kind in ("admission", "patient") or not condition.phrase or condition.names:
        return replace(condition, opening=True)
    tentative = not is_term(condition.kind, condition.phrase)
    return replace(condition, opening=True, tentative=tentative)


def _says_goal_afresh(left: str) -> bool:
    goal = hear_goal(left, None)
    return goal is not None and not goal.weak and not _says(left, "refers_back")


def _says(text: str, name: str) -> bool:
    return phrase(name).search(text) is not None


def _conditions(sentence: Sentence, request: Request, now: datetime) -> list[Condition]:
    """The conditions that a sentence names, with their times, limits and order."""
    left = sentence.left
    windows = find_windows(left, now)
    for window in windows:
        left = strike(left, window.start, window.end)
    limits = find_limits(left)
    for limit in limits:
        left = strike(left, limit.start, limit.end)
    record = 1 + max((c.record for c in request.everything()), default=0)
    spots = on_one_record(without_descriptions(_things(sentence.said, left, request)), record)
    spots = with_choices(with_negation(spots, left), left, record)
    spots = _with_growth(spots, left, request, record)
    spots = with_relations(spots, left, sentence.within, request.target_kind())
    for limit in limits:
        spots = with_limit(spots, sentence.left, limit, request)
    for found in windows:
        spots = with_window(spots, left, (found.start, found.end), found.window, request)
    if narrows(left) and (sentence.same_visit or _says(left, "of_whom")):
        spots = [spot.changed(apart=_is_sought(spot, request)) for spot in spots]
    if _says(left, "ever") and not sentence.same_visit:
        spots = [spot.changed(ever=True) for spot in spots]
    if _says(left, "past"):
        spots = [spot.changed(past=True) for spot in spots]
    if _says(left, "broad"):
        spots = [spot.changed(exact=False) for spot in spots]
    return [spot.condition for spot in spots]


def _is_sought(spot: Spot, request: Request) -> bool:
    """Whether a thing is of the kind of record that the goal asks for."""
    kind = spot.condition.kind
    return kind == request.target_kind() and kind not in ("patient", "admission", "icu")


def _things(said: str, left: str, request: Request) -> list[Spot]:
    """The things named, but for what a drug is said to be for."""
    kinds = {request.target_kind(), *(c.kind for c in request.everything())} - _OF_PATIENTS
    found = phrase("indication").search(left)
    if found and clean(found["thing"]):
        spots = find_things(said, strike(left, *found.span("thing")), kinds)
        if any(spot.condition.kind == "drug" for spot in spots) or request.target_kind() == "drug":
            return spots
    return find_things(said, left, kinds)


def _with_growth(spots: list[Spot], left: str, request: Request, record: int) -> list[Spot]:
    """What grew where a specimen alone is named: the germ named before, or any."""
    kinds = {(spot.condition.kind, spot.condition.column) for spot in spots}
    grew = phrase("grew").search(left)
    if grew is None or ("culture", "specimen") not in kinds or ("culture", "name") in kinds:
        return spots
    germs = (
        c for c in request.conditions if (c.kind, c.column) == ("culture", "name") and c.phrase
    )
    germ = next(germs, None) if _says(left, "same_thing") else None
    found = replace(germ, record=record) if germ else Condition("culture", record=record)
    return [*spots, Spot(*grew.span(), found)]
