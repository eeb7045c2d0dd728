"""Holds the reading of a turn against its words, without reading the turn again.

Each content word has to occur in the reading or name something in it, and the reading has to answer
the question word, however it was made.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache

from wardround.agents.parser.talk.mention_finder import mask_span
from wardround.agents.parser.talk.numbers import (
    DAYS,
    bounds_in_days,
    find_limits,
    is_number,
    number,
    opposite_limit,
)
from wardround.agents.parser.talk.patterns import phrase, word_patterns
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.times import find_time_windows
from wardround.agents.parser.talk.turns.turn_reader import sentences
from wardround.agents.parser.talk.turns.unread_words import (
    STEERING,
    content_words,
    masked,
    ordinary_words,
)
from wardround.core.packaged_data import read_rows
from wardround.ehr.query import Span
from wardround.ehr.text.cues import negation_pattern

# Phrases that are said as a whole if the reading has the part.
_WHOLE = {
    "patient": "of_patient",
    "visit": "visit",
    "icu_stay": "stay",
    "first_hours": "hours",
    "again": "again",
    "within": "distance",
    "same_visit": "one_visit",
    "per": "per",
    "by_patients": "ranked",
    "ranking": "top",
    "value_max": "max",
    "value_min": "min",
    "indication": "indication",
}
# The shapes of a goal that answer each question word.
_ANSWERS = {
    "number": ("count",),
    "duration": ("length", "elapsed", "count"),
    "person": ("list", "top"),
    "time": ("time",),
    "place": ("list", "top"),
    "thing": ("list", "top", "time", "value", "length", "cost", "share"),
    "truth": ("exists",),
}
_NEGATION = "{negation}"  # in the table, for all words that negate


def unsaid_words(
    after: Request, wording: str, now: datetime, *, dropped: Request | None = None
) -> tuple[str, ...]:
    """The content words of a turn that are not in the reading of it, in order.

    Args:
        after: The request after the turn.
        wording: The user's words.
        now: The current time of the records.
        dropped: The request before, if the turn takes something out of it.
    """
    requests = [after, *([dropped] if dropped else [])]
    text = " ".join(sentences(wording)).lower()
    parts = {part for each in requests for part in _parts(each)}
    parts |= {"negated"} if dropped else set()
    for name in (*STEERING, "lead"):
        text = masked(text, phrase(name))
    names = {name for each in requests for name in _names(each)}
    mentioned = [name for name in names if re.search(_whole_word(name), text)]
    parts |= {"two"} if len(mentioned) > 1 else set()
    for name in sorted(mentioned, key=len, reverse=True):
        text = masked(text, re.compile(_whole_word(name)))
    for name, part in _WHOLE.items():
        text = masked(text, phrase(name)) if part in parts else text
    for which, pattern in word_patterns("which").items():
        wording_of = re.compile(rf"\b(?:{pattern.pattern})\b")
        text = masked(text, wording_of) if which in parts else text
    text = _without_numbers(text, requests, now)
    words = (match[0] for match in content_words(text))
    return tuple(dict.fromkeys(word for word in words if not _is_said(word, parts, requests)))


def has_asked_shape(after: Request, wording: str) -> bool:
    """True if what a reading gives is what the question word of a turn asks for.

    >>> from wardround.agents.parser.talk.request import StatedGoal
    >>> has_asked_shape(Request(StatedGoal("count", "patient")), "Of those, who died?")
    False
    """
    goal, low = after.goal, " ".join(sentences(wording)).lower()
    if goal is None:
        return True
    asked = phrase("question_word").search(low)
    kind = asked.lastgroup if asked else None
    if kind is None:
        return True
    is_of_persons = kind != "person" or (goal.of or "patient") == "patient"
    return goal.shape in _ANSWERS[kind] and is_of_persons


def _is_said(word: str, parts: set[str], requests: Iterable[Request]) -> bool:
    key = _NEGATION if _negating().fullmatch(word) else word
    if meanings := _meanings().get(key):
        return not meanings.isdisjoint(parts)
    if word in ordinary_words():
        return True
    tops = [float(each.goal.top) for each in requests if each.goal and each.goal.shape == "top"]
    return is_number(word) and number(word) in tops


def _without_numbers(text: str, requests: Iterable[Request], now: datetime) -> str:
    """The text without the periods and limits that are in a reading."""
    clauses = [clause for each in requests for clause in each.clauses()]
    periods = {period.filter for each in clauses for period in each.condition.periods}
    bounds = {bound for each in clauses for bound in each.condition.bounds}
    for window in find_time_windows(text, now):
        if window.window in periods:
            text = mask_span(text, window.start, window.end)
    for limit in find_limits(text):
        before = text[: limit.start]
        denied = phrase("denied").search(before) and opposite_limit(limit).bounds
        if denied and bounds.issuperset(denied):
            text = masked(before, phrase("denied")) + text[limit.start :]
        in_days = bounds_in_days(limit) if limit.unit in DAYS else limit.bounds
        if any(bounds.issuperset(each) for each in (limit.bounds, in_days, denied) if each):
            text = mask_span(text, limit.start, limit.end)
    return text


def _parts(request: Request) -> Iterator[str]:
    """The parts of a reading: kinds of record, columns, statistics and the like."""
    goal = request.goal
    yield from ("patient", *request.kinds())
    if goal:
        yield from (goal.shape, goal.column, goal.which)
        yield from (("ranked",) if goal.ranked else ())
        yield from (("per",) if goal.per else ())
        yield from (("first", "timed") if goal.shape == "elapsed" else ())
    yield from (request.visit, request.stay)
    yield from ("visit", "admission") if request.visit else ()
    yield from ("stay", "icu") if request.stay else ()
    yield from ("hours", "first") if request.hours else ()
    yield from ("of_patient",) if request.patient else ()
    yield from ("one_visit",) if request.same_visit else ()
    yield from ("indication",) if request.indication else ()
    if request.again:
        yield from ("again", "admission")
        yield from ("distance",) if isinstance(request.again, Span) else ()
    for clause in request.clauses():
        condition = clause.condition
        yield from (clause.column, condition.which)
        yield from ("icu",) if condition.is_in_icu else ()
        yield from ("negated",) if clause.is_negated or clause.words.without else ()
        yield from ("bounded",) if condition.bounds else ()
        yield from ("timed",) if condition.periods else ()
        yield from ("either",) if clause.either else ()
        if condition.relation:
            yield from ("related", "first")
            yield from ("distance",) if condition.relation.within else ()


def _names(request: Request) -> Iterator[str]:
    """The words for things, as the user said them."""
    for clause in request.clauses():
        yield from (clause.phrase, *clause.words.without)
    yield request.indication


def _whole_word(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])" if name else r"(?!)"


@cache
def _negating() -> re.Pattern[str]:
    return re.compile(negation_pattern())


@cache
def _meanings() -> Mapping[str, frozenset[str]]:
    """The parts of a reading that each word may stand for."""
    meanings: defaultdict[str, set[str]] = defaultdict(set)
    for parts, words in read_rows(__package__ or "", "word_meanings.tsv"):
        for word in words.split():
            meanings[word].update(parts.split())
    return {word: frozenset(parts) for word, parts in meanings.items()}
