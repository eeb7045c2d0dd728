"""The words of a turn that nothing reads, so that no answer ignores them."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache

from wardround.agents.parser.talk.mention_finder import find_mentions, is_of_an_end, mask_span
from wardround.agents.parser.talk.numbers import find_limits
from wardround.agents.parser.talk.patterns import phrase, word_patterns
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.request_scope import Sentence, masked, read_scope
from wardround.agents.parser.talk.times import find_time_windows
from wardround.agents.parser.talk.turn_reader import read_turn, sentences
from wardround.core.packaged_data import read_text

# Patterns of which each word is read; the others span what stands between their words.
_READ = (
    *("manner", "ranking", "refers_back", "same_visit", "share", "percent", "per", "in_hours"),
    *("value_max", "value_min", "ever", "past", "grew", "cost", "check", "starts_anew"),
)
_WORD_TABLES = ("kinds", "which", "cues", "vitals")
_LONG_WORD = re.compile(r"\b[a-z]{3,}\b(?!')")


def unread_words(wording: str, now: datetime) -> tuple[str, ...]:
    """The words that are neither read nor ordinary, in order.

    >>> unread_words("How many patients with osteoarthritis of the knee were born before 1950?",
    ...     datetime(2100, 1, 1))
    ('knee', 'born')
    """
    unread = (word for each in sentences(wording) for word in _unread(each, now))
    return tuple(dict.fromkeys(unread))


def without_words(wording: str, words: tuple[str, ...]) -> str:
    """A question without some of its words.

    >>> without_words("Osteoarthritis of the knee?", ("knee",))
    'Osteoarthritis of the ?'
    """
    pattern = "|".join(map(re.escape, words))
    return re.sub(rf"(?i)\b(?:{pattern})\b", "", wording)


def ignored_words(
    before: Request, wording: str, now: datetime, *, failed: bool = False
) -> tuple[str, ...]:
    """The numbers and words of limits and order that a reading of a turn leaves out, in order.

    A word is read if the turn without it asks for something else.

    Args:
        before: The request before the turn.
        wording: The user's words.
        now: The current time of the records.
        failed: Whether nothing was found before.

    >>> now = datetime(2100, 12, 31)
    >>> ignored_words(Request(), "How many patients took aspirin since 2099?", now)
    ()
    >>> ignored_words(Request(), "How many patients took aspirin since 03/2099?", now)
    ('since', '03/2099')
    """
    limiting = list(phrase("limiting").finditer(wording.lower()))
    read = read_turn(before, wording, now, failed=failed) if limiting else before
    ignored = (
        match[0]
        for match in limiting
        if read == read_turn(before, _without(wording, match), now, failed=failed)
    )
    return tuple(dict.fromkeys((*ignored, *_times_of_an_end(wording.lower(), now))))


def _times_of_an_end(low: str, now: datetime) -> Iterator[str]:
    """The times of a discharge or death; the times of conditions are those of beginnings."""
    for window in find_time_windows(low, now):
        if is_of_an_end(low, window.start, window.end):
            yield low[window.start : window.end].strip()


def _without(wording: str, match: re.Match[str]) -> str:
    return " ".join(f"{wording[: match.start()]} {wording[match.end() :]}".split())


def _unread(sentence: str, now: datetime) -> Iterator[str]:
    low = sentence.lower()
    read, _ = read_scope(Sentence(sentence, low), Request())
    for name in _READ:
        read = masked(read, phrase(name))
    remaining = read.remaining
    for window in find_time_windows(remaining, now):
        remaining = mask_span(remaining, window.start, window.end)
    for limit in find_limits(remaining):
        remaining = mask_span(remaining, limit.start, limit.end)
    for mention in find_mentions(sentence, remaining):
        remaining = mask_span(remaining, mention.start, mention.end)
    for pattern in (each for table in _WORD_TABLES for each in word_patterns(table).values()):
        for match in pattern.finditer(remaining):
            remaining = mask_span(remaining, *match.span())
    for word in _LONG_WORD.finditer(low):
        if remaining[slice(*word.span())] == word[0] and word[0] not in _ordinary():
            yield word[0]


@cache
def _ordinary() -> frozenset[str]:
    lines = read_text(__package__ or "", "ordinary_words.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
