"""The words of a turn that no reader understood: an answer must not ignore them."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache

from wardround.agents.parser.talk.mention_finder import find_mentions, is_of_an_end, mask_span
from wardround.agents.parser.talk.numbers import find_limits
from wardround.agents.parser.talk.patterns import phrase, word_patterns
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.times import find_time_windows
from wardround.agents.parser.talk.turns.turn_reader import read_turn, sentences
from wardround.core.packaged_data import read_text

# Phrases that steer a conversation, those that join its conditions, and words for kinds of record.
STEERING = ("manner", "refers_back", "check", "starts_anew", "expletive", "include_only")
_JOINING = ("same_visit", "per", "grew", "cost")
_WORD_TABLES = ("kinds", "cues", "vitals")
# Phrases that are read as a whole.
_WHOLE = ("patient", "icu_stay", "first_hours", "visit", "again", "within")
_INTRODUCTION = re.compile(r"^\W*(?:(?:and|but|so|then|now|okay|right|well)\b\W*)+")
_WORD = re.compile(r"\b\d[\w/.:-]*(?<![/.:-])|\b[a-z]+n't\b|(?<!')\b[a-z]{2,}(?:-[a-z]+)*\b(?!')")


def unread_words(
    before: Sequence[Request], wording: str, now: datetime, *, failed: bool = False
) -> tuple[str, ...]:
    """The words and phrases of a turn that nothing reads, in order.

    A word is read if it belongs to a named thing, or if the turn without it asks for something
    else. Ordinary words do not select records.

    Args:
        before: The requests before the turn that it may go on from; one of them is enough for a
            word to be read.
        wording: The user's words.
        now: The current time of the records.
        failed: Whether a thing that is named takes the place of the one before.

    >>> now = datetime(2100, 12, 31)
    >>> unread_words([Request()], "How many patients took aspirin since 2099?", now)
    ()
    >>> unread_words([Request()], "How many patients with osteoarthritis of the knee?", now)
    ('knee',)
    """
    all_sentences = list(sentences(wording))
    read = [(each, read_turn(each, " ".join(all_sentences), now, failed=failed)) for each in before]
    lengths = [_lengths(wording.lower(), *pair) for pair in read]
    unread = list(lengths[0]) if all(lengths) else []
    for n, sentence in enumerate(all_sentences):
        for start, end in _readable(sentence, now):
            rest = " ".join(
                [*all_sentences[:n], _without(sentence, start, end), *all_sentences[n + 1 :]]
            )
            if not any(
                _is_part(read_turn(each, rest, now, failed=failed), after, each)
                for each, after in read
            ):
                unread.append(sentence[start:end].strip().lower())
    return tuple(dict.fromkeys((*unread, *_times_of_an_end(wording.lower(), now))))


def _lengths(low: str, before: Request, after: Request) -> tuple[str, ...]:
    """The words on a length that no length answers; those of hospital and ICU stays are known."""
    shape = after.goal.shape if after.goal else ""
    if shape == "length":
        new = (each for each in after.conditions if each not in before.conditions)
        return tuple(each.phrase for each in new if each.kind == "transfer" and each.phrase)
    asked = phrase("how_long").search(low)
    return (asked[0],) if asked and shape != "elapsed" else ()


def _is_part(less: Request, whole: Request, before: Request) -> bool:
    """True if a turn says less without a word; one that only hides a thing of the turn is not read.

    In "vancomycin and piperacillin-tazobactam" each half of the second name hides the other half.
    """
    phrases_said = [each.phrase for each in (*whole.clauses(), *before.clauses())]
    return less != whole and all(
        any(f" {each.phrase} " in f" {phrase} " for phrase in phrases_said)
        for each in less.clauses()
    )


def without_words(wording: str, words: tuple[str, ...]) -> str:
    """A question without some of its words.

    >>> without_words("Osteoarthritis of the knee?", ("knee",))
    'Osteoarthritis of the ?'
    """
    pattern = "|".join(map(re.escape, words))
    return re.sub(rf"(?i)\b(?:{pattern})\b", "", wording)


def _readable(sentence: str, now: datetime) -> Iterator[tuple[int, int]]:
    """The ranges of phrases and words that must change what a sentence asks for."""
    remaining = sentence.lower()
    for name in (*STEERING, *_JOINING):
        remaining = masked(remaining, phrase(name))
    phrases = [match.span() for name in _WHOLE for match in phrase(name).finditer(remaining)]
    phrases += [(window.start, window.end) for window in find_time_windows(remaining, now)]
    phrases += [(limit.start, limit.end) for limit in find_limits(remaining)]
    for start, end in phrases:
        if "|" not in remaining[start:end]:
            remaining = mask_span(remaining, start, end)
            yield start, end
    for mention in find_mentions(sentence, remaining):
        remaining = mask_span(remaining, mention.start, mention.end)
    for table in _WORD_TABLES:
        for pattern in word_patterns(table).values():
            remaining = masked(remaining, re.compile(rf"\b(?:{pattern.pattern})\b"))
    remaining = masked(remaining, _INTRODUCTION)
    for word in content_words(remaining):
        if word[0] not in ordinary_words():
            yield word.span()


def masked(text: str, pattern: re.Pattern[str]) -> str:
    """A text in lower case whose parts that a pattern matches are masked."""
    for match in pattern.finditer(text):
        text = mask_span(text, *match.span())
    return text


def content_words(text: str) -> Iterator[re.Match[str]]:
    """The words and numbers of a text in lower case that are not masked, and no single letters."""
    return _WORD.finditer(text)


def _times_of_an_end(low: str, now: datetime) -> Iterator[str]:
    """The times of a discharge or death; the times of conditions are those of beginnings."""
    for window in find_time_windows(low, now):
        if is_of_an_end(low, window.start, window.end):
            yield low[window.start : window.end].strip()


def _without(sentence: str, start: int, end: int) -> str:
    return " ".join(f"{sentence[:start]} {sentence[end:]}".split())


@cache
def ordinary_words() -> frozenset[str]:
    """The words that do not select records."""
    lines = read_text(__package__ or "", "ordinary_words.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
