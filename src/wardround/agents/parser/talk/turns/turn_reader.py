"""Reads a user's turn sentence by sentence, and updates the request."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from wardround.agents.parser.talk.attachment import (
    on_same_record,
    with_alternatives,
    with_limit,
    with_negation,
    with_relations,
    with_window,
    without_redundant_classes,
)
from wardround.agents.parser.talk.goals import is_narrowing, read_goal, with_implied_goal
from wardround.agents.parser.talk.mention_finder import Mention, clean, find_mentions, mask_span
from wardround.agents.parser.talk.numbers import find_limits
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.pivots import turn_to_related
from wardround.agents.parser.talk.request import Clause, Kind, Request, clause
from wardround.agents.parser.talk.request_merge import (
    merge_conditions,
    on_visit,
    without_dropped,
    without_excluded,
    without_superseded,
)
from wardround.agents.parser.talk.request_scope import Sentence, masked, read_scope
from wardround.agents.parser.talk.times import find_time_windows
from wardround.agents.parser.talk.vocabulary import is_clinical_term
from wardround.ehr.text import segments

# Names with an initial, such as "E. coli", are looked up without its stop.
_INITIAL = re.compile(r"\b([A-Za-z])\. (?=[a-z]{3})")
_OF_PATIENTS = {"patient", "admission", "cost"}


def read_turn(request: Request, wording: str, now: datetime, *, failed: bool = False) -> Request:
    """The request after a turn.

    Args:
        request: The request before.
        wording: The user's words.
        now: The current time of the records.
        failed: Whether nothing was found before, so that a new condition replaces the old one.
    """
    opening, before = is_opening(request, wording), request
    vague = False
    for sentence in sentences(wording):
        vague = vague or phrase("vague").search(sentence.lower()) is not None
        request = _read_sentence(request, sentence, now, failed=failed, opening=opening)
        failed = failed and request == before  # a failed condition is replaced only once
    if not _asks_of_drugs(request):
        request = replace(request, indication="")
    return replace(request, vague=vague, turns=before.turns + 1)


def _asks_of_drugs(request: Request) -> bool:
    return request.target_kind() == "drug" or any(c.kind == "drug" for c in request.conditions)


def sentences(wording: str) -> Iterator[str]:
    """The sentences of a turn.

    >>> list(sentences("Okay. E. coli in 7.5 percent? Yes"))
    ['Okay.', 'E coli in 7.5 percent?', 'Yes']
    """
    text = wording.replace("\u2019", "'")
    for sentence in segments.texts(text, segments.sentences(text, "en")):
        yield _INITIAL.sub(r"\1 ", sentence)


def is_opening(before: Request, wording: str) -> bool:
    """True if a conversation opens with a statement, whose details are to follow."""
    return before.turns == 0 and not next(sentences(wording), "").endswith("?")


def asks_to_check(wording: str) -> bool:
    """True if the user only asks for a check."""
    return phrase("check").search(wording.lower()) is not None


def _read_sentence(
    request: Request, wording: str, now: datetime, *, failed: bool, opening: bool
) -> Request:
    low = wording.lower()
    if phrase("manner").search(low) and not phrase("asking").search(low):
        return replace(request, in_words=request.in_words or _matches(low, "in_words"))
    sentence = masked(Sentence(wording, low), phrase("looks_back"))
    replacing = failed or _matches(low, "replacing")
    with_visits = masked(sentence, phrase("patient")).remaining
    sentence, request = read_scope(sentence, request)
    goal = read_goal(sentence.remaining, request.goal)
    if goal is None or goal.weak:
        goal = read_goal(with_visits, goal)
    request = replace(request, goal=goal)
    for words in ("ranking", "own_table"):
        sentence = masked(sentence, phrase(words))
    conditions = _conditions(sentence, request, now)
    if opening and not is_narrowing(sentence.remaining):
        conditions = [_opening(condition) for condition in conditions]
    request = without_superseded(request, conditions, _restates_goal(sentence.remaining))
    turned = turn_to_related(
        request, sentence.remaining, {c.kind for c in conditions if c.phrase}, failed
    )
    if turned is not None:
        request, kind = turned
        request, conditions = _after_turn(request, kind, conditions)
    if _matches(low, "dropping"):
        return without_dropped(request, conditions)
    latest = merge_conditions(request, conditions, replacing)
    return on_visit(with_implied_goal(latest, conditions, sentence.remaining))


def _after_turn(request: Request, kind: Kind, named: list[Clause]) -> tuple[Request, list[Clause]]:
    """The request after a turn to a related thing, and the other conditions of the sentence."""
    excluded = [c for c in named if c.column == "excluded"]
    others = [c for c in named if c.kind != kind or not c.phrase]
    for old in request.conditions if excluded else ():
        if old.kind == kind and old.stored:
            request = request.with_condition(old, without_excluded(old, excluded))
    return request, others


def _opening(condition: Clause) -> Clause:
    """A condition of an opening; tentative unless it is a clinical term."""
    is_of_people = condition.kind in ("admission", "patient")
    if is_of_people or not condition.phrase or condition.words.names:
        return replace(condition, opening=True)
    tentative = not is_clinical_term(condition.kind, condition.phrase)
    return replace(condition, opening=True, tentative=tentative)


def _restates_goal(remaining: str) -> bool:
    goal = read_goal(remaining, None)
    return goal is not None and not goal.weak and not _matches(remaining, "refers_back")


def _matches(text: str, name: str) -> bool:
    return phrase(name).search(text) is not None


def _conditions(sentence: Sentence, request: Request, now: datetime) -> list[Clause]:
    """The conditions of a sentence, with their times, limits and order."""
    remaining = sentence.remaining
    windows = find_time_windows(remaining, now)
    for window in windows:
        remaining = mask_span(remaining, window.start, window.end)
    limits = find_limits(remaining)
    for limit in limits:
        remaining = mask_span(remaining, limit.start, limit.end)
    record = 1 + max((c.record for c in request.all_conditions()), default=0)
    mentions = on_same_record(
        without_redundant_classes(_things(sentence.wording, remaining, request)), record
    )
    mentions = with_alternatives(with_negation(mentions, remaining), remaining, record)
    mentions = _with_growth(mentions, remaining, request, record)
    mentions = with_relations(mentions, remaining, sentence.within, request.target_kind())
    for limit in limits:
        mentions = with_limit(mentions, sentence.remaining, limit, request)
    for each in windows:
        mentions = with_window(mentions, remaining, (each.start, each.end), each.window, request)
    if is_narrowing(remaining) and (sentence.same_visit or _matches(remaining, "of_whom")):
        mentions = [
            mention.changed(on_other_records=_is_sought(mention, request)) for mention in mentions
        ]
    if _matches(remaining, "ever") and not sentence.same_visit:
        mentions = [mention.changed(ever=True) for mention in mentions]
    if _matches(remaining, "past"):
        mentions = [mention.worded(has_past=True) for mention in mentions]
    if _matches(remaining, "broad"):
        mentions = [mention.worded(is_broad=True) for mention in mentions]
    return [mention.condition for mention in mentions]


def _is_sought(mention: Mention, request: Request) -> bool:
    """True if a mention is of the kind of record that the goal asks for."""
    kind = mention.condition.kind
    return kind == request.target_kind() and kind not in ("patient", "admission", "icu")


def _things(wording: str, remaining: str, request: Request) -> list[Mention]:
    """The mentions of a sentence without the indication of a drug."""
    kinds = {request.target_kind(), *(c.kind for c in request.all_conditions())} - _OF_PATIENTS
    match = phrase("indication").search(remaining)
    if match and clean(match["thing"]):
        mentions = find_mentions(wording, mask_span(remaining, *match.span("thing")), kinds)
        if (
            any(mention.condition.kind == "drug" for mention in mentions)
            or request.target_kind() == "drug"
        ):
            return mentions
    return find_mentions(wording, remaining, kinds)


def _with_growth(
    mentions: list[Mention], remaining: str, request: Request, record: int
) -> list[Mention]:
    """Add the organism where only a specimen is named: the one named before, or any."""
    kinds = {(mention.condition.kind, mention.condition.column) for mention in mentions}
    grew = phrase("grew").search(remaining)
    if grew is None or ("culture", "specimen") not in kinds or ("culture", "name") in kinds:
        return mentions
    germs = (
        c for c in request.conditions if (c.kind, c.column) == ("culture", "name") and c.phrase
    )
    germ = next(germs, None) if _matches(remaining, "same_thing") else None
    culture = replace(germ or clause("culture"), record=record)
    return [*mentions, Mention(*grew.span(), culture)]
