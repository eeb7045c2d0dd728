"""Sentences, statements, clauses and phrases of clinical English and Chinese, as spans of the text.

A full stop ends no sentence within a number ("7.5"), an abbreviation ("Dr.", "b.i.d."), behind an
initial ("E. coli") or the mark of an item in a list ("1. Sepsis"). Each function cuts finer than
the one before it, and no span has whitespace at its ends.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.language import Language

_TEXTS = 4096  # cached texts
_STOP = re.compile(r"[.!?。！？…]++|\n\s*+")
_BEHIND = re.compile(
    r"""(?P<closed>["'\u201d\u2019)\]）】》」』]*+)"""
    r"""(?P<gap>\s++|\Z|(?<=[^\x00-\x7f])|(?<=[!?])(?=[\u3400-\u9fff]))"""
)
_OPENING = "([{（【《「『\"'\u201c\u2018*-•"
_LATIN_WORD = re.compile(r"(?:^|[^\x21-\x7e]|[(\[{\"'*])([A-Za-z0-9.]+)$")
_DOTTED = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
# Nouns that a single letter names one of: a sentence may end behind "vitamin K".
_LETTERED = frozenset(
    [
        *("vitamin", "hepatitis", "type", "grade", "class", "group", "protein", "factor", "stage"),
        *("influenza", "troponin", "hemoglobin", "hb", "plan", "option", "part", "point", "child"),
    ]
)
_NEAR = 40  # letters before a full stop in which its word and the one before that are looked for
_FIRST_MARKS = frozenset({"1", "a", "A", "i", "I"})
_LONGEST_MARK = 2  # digits of the mark of an item
# A line that begins so goes on with the sentence of the one before it.
_GOES_ON = re.compile(
    r"(?:and|or|with|without|for|of|to|in|on|at|by|from|but|which|who|that|than|as|nor|because|"
    r"since|until|while|after|before|during|due)\b"
)
_WRAPPED = 60  # letters of a line that may be cut at the margin
_SEMICOLON = re.compile(r"[;；]\s*")
_CLAUSES: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[;；]\s*|,?(?<!\s)\s++(?=(?:but|however|whereas|although|though|yet|nevertheless)\b)"
        r"|,\s+(?=(?:and|or|so|while|because|since|when|if|unless|until)\s+(?:i|he|she|it|they|we|"
        r"you|there|this|that|the|his|her|its|their|my|our|your)\b)|(?<!\s)\s++[\u2013\u2014]\s+|\u2014",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[;；，]\s*|,\s+|,(?=[\u3400-\u9fff])|\u2014+"),
}
_SUBORDINATE = re.compile(
    r"(?:although|though|while|whereas|if|when|because|since|after|before|once|unless|as)\b[^,]*,\s+",
    re.IGNORECASE,
)
_SIGNS = (
    r"[,，](?!\d{3})|[:：](?!\d)|[、;；()（）\[\]。！？]|(?<!\d)[—–]|[—–](?!\d)|[.?!](?=\s|\Z)"
    r"|\b(?:and|or|nor|but|so(?! (?:far|much|many|long|that)\b)|because|while|then)\b"
    r"|\b(?:though|although|until|whereas|however)\b"
)
_HAN_CONJUNCTIONS = (
    r"(?<!合)并(?![未发])|但是?|(?<![而并])且|(?<![反因然从])而且?(?![不非])|(?<!饱)和(?!缓)"
    r"|(?<![闻触累涉扪])及(?!时)|或(?!许)|因为|所以|不过"
)
_PHRASES: dict[Language, re.Pattern[str]] = {
    "en": re.compile(_SIGNS, re.IGNORECASE),
    "zh": re.compile(f"{_SIGNS}|{_HAN_CONJUNCTIONS}", re.IGNORECASE),
}


class _Stop(NamedTuple):
    """A place where a sentence may end: its sign, the end of closing marks, the next word."""

    start: int
    sign: str
    closed: int
    end: int


class Span(NamedTuple):
    """A part of a text: `text[start:end]`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words of the span.

        >>> Span(0, 4).of("Stop it.")
        'Stop'
        """
        return text[self.start : self.end]


@lru_cache(_TEXTS)
def sentences(text: str, language: Language) -> tuple[Span, ...]:
    r"""The sentences and lines of a text; a line that goes on with the one before it is not cut.

    >>> note = "Seen by Dr. Wu. Lasix 40 mg b.i.d. was held.\n1. Sepsis"
    >>> [each.of(note) for each in sentences(note, "en")]
    ['Seen by Dr. Wu.', 'Lasix 40 mg b.i.d. was held.', '1. Sepsis']
    >>> [each.of("无发热。咳嗽！") for each in sentences("无发热。咳嗽！", "zh")]
    ['无发热。', '咳嗽！']
    """
    return tuple(_trimmed(text, _sentences(text, language)))


@lru_cache(_TEXTS)
def statements(text: str, language: Language) -> tuple[Span, ...]:
    """The sentences of a text, cut at their semicolons.

    >>> [each.of("Stop it; recheck.") for each in statements("Stop it; recheck.", "en")]
    ['Stop it;', 'recheck.']
    """
    whole = sentences(text, language)
    return tuple(part for span in whole for part in _cut(text, span, _ends(_SEMICOLON, text, span)))


@lru_cache(_TEXTS)
def clauses(text: str, language: Language) -> tuple[Span, ...]:
    """The clauses of a text, each of which can state something of its own.

    >>> note = "She denies fever, chills or cough but is tired."
    >>> [each.of(note) for each in clauses(note, "en")]
    ['She denies fever, chills or cough', 'but is tired.']
    """
    return tuple(
        part for span in sentences(text, language) for part in _parts(text, span, language)
    )


@lru_cache(_TEXTS)
def phrases(text: str, language: Language) -> tuple[Span, ...]:
    """The shortest parts of a text, without the signs and conjunctions that stand between them.

    >>> note = "K 4.5, Na 138 and stable."
    >>> [each.of(note) for each in phrases(note, "en")]
    ['K 4.5', 'Na 138', 'stable']
    """
    pattern = _PHRASES[language]
    spans: list[Span] = []
    for span in sentences(text, language):
        start = span.start
        for match in pattern.finditer(text, *span):
            spans.append(Span(start, match.start()))
            start = match.end()
        spans.append(Span(start, span.end))
    return tuple(_trimmed(text, spans))


def texts(text: str, spans: Iterable[Span]) -> list[str]:
    """The words of spans."""
    return [text[start:end] for start, end in spans]


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces for the words of spans, as long as before.

    >>> blanked("K 4.5 mEq/L", [(2, 5)])
    'K     mEq/L'
    """
    letters = list(text)
    for start, end in spans:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def abbreviations(text: str) -> list[Span]:
    """The abbreviations of a text with their full stops, where they end no sentence.

    >>> [each.of("Dr. Wu, e.g. it.") for each in abbreviations("Dr. Wu, e.g. it.")]
    ['Dr.', 'e.g.']
    """
    spans: list[Span] = []
    for stop in _stops(text):
        word = _word_before(text, 0, stop.start)
        if stop.sign == "." and _is_abbreviation(word, text, stop):
            spans.append(Span(stop.start - len(word), stop.start + 1))
    return spans


def _stops(text: str) -> Iterator[_Stop]:
    for match in _STOP.finditer(text):
        if match[0][0] == "\n":
            yield _Stop(match.start(), "", match.start(), match.end())
        elif behind := _BEHIND.match(text, match.end()):
            yield _Stop(match.start(), match[0], behind.end("closed"), behind.end())


def _sentences(text: str, language: Language) -> Iterator[Span]:
    start = 0
    for stop in _stops(text):
        if stop.end <= start:
            continue
        ends = (
            _is_end(text, start, stop) if stop.sign else not _goes_on(text, start, stop, language)
        )
        if ends:
            yield Span(start, stop.closed)
            start = stop.end
    yield Span(start, len(text))


def _is_end(text: str, start: int, stop: _Stop) -> bool:
    """True if signs end a sentence that begins at a place."""
    following = text[stop.end : stop.end + 1]
    if not following or stop.sign.strip(".…"):
        return True
    if "\n" in text[stop.closed : stop.end]:
        return True
    if stop.sign != "." or stop.closed > stop.start + 1:
        return not following.islower()
    word = _word_before(text, start, stop.start)
    return not (_is_mark(word, text, start, stop.start) or _is_abbreviation(word, text, stop))


def _word_before(text: str, start: int, end: int) -> str:
    words = text[max(start, end - _NEAR) : end].rsplit(None, 1)
    match = _LATIN_WORD.search(words[-1]) if words else None
    return match[1] if match else ""


def _is_mark(word: str, text: str, start: int, end: int) -> bool:
    """True for the mark of an item: a number at the beginning, or the first one behind a colon."""
    if not (word.isdigit() and len(word) <= _LONGEST_MARK) and word not in _FIRST_MARKS:
        return False
    before = text[max(start, end - _NEAR) : end - len(word)].strip(f" \t\n{_OPENING}")
    return not before or (before[-1] in ":：" and word in _FIRST_MARKS)


def _is_abbreviation(word: str, text: str, stop: _Stop) -> bool:
    """True if the full stop of a word ends no sentence, since the word is shortened."""
    if not word or not word[-1].isalpha():
        return False
    kinds = _abbreviations().get(word.lower(), frozenset())
    following = text[stop.end : stop.end + 2]
    if "title" in kinds or ("number" in kinds and following[:1].isdigit()):
        return True
    if len(word) == 1:
        return _is_initial(word, text[max(0, stop.start - _NEAR) : stop.start], following)
    is_name = following[:1].isupper() and not following[1:].isupper()
    return ("either" in kinds or _DOTTED.fullmatch(word) is not None) and not is_name


def _is_initial(letter: str, before: str, following: str) -> bool:
    """True for the letter of a name, such as "E. coli" or "J. R. Smith", not of "vitamin K."."""
    words = before.split()
    if not following[:1].isalpha() or (len(words) > 1 and words[-2].lower() in _LETTERED):
        return False
    return letter.isupper() or not following[:1].isupper()


def _goes_on(text: str, start: int, stop: _Stop, language: Language) -> bool:
    """True if a line goes on with the sentence of the line before it."""
    if language != "en" or not text[stop.end : stop.end + 1].islower():
        return False
    if text.count("\n", stop.start, stop.end) > 1 or not text[start : stop.start].strip():
        return False
    line = text[text.rfind("\n", 0, stop.start) + 1 : stop.start].rstrip()
    if line[-1:] in ".!?:;":
        return False
    return len(line) >= _WRAPPED or _GOES_ON.match(text, stop.end) is not None


def _parts(text: str, span: Span, language: Language) -> Iterator[Span]:
    """The clauses of a sentence."""
    begin = _SUBORDINATE.match(text, span.start, span.end) if language == "en" else None
    ends = [begin.end()] if begin else []
    ends += _ends(_CLAUSES[language], text, span)
    return _cut(text, span, sorted(ends))


def _ends(pattern: re.Pattern[str], text: str, span: Span) -> list[int]:
    return [match.end() for match in pattern.finditer(text, *span)]


def _cut(text: str, span: Span, places: Iterable[int]) -> Iterator[Span]:
    """The parts of a span between places."""
    bounds = [span.start, *places, span.end]
    return _trimmed(text, (Span(*pair) for pair in pairwise(bounds)))


def _trimmed(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without whitespace at their ends, but for those that have nothing else."""
    for start, end in spans:
        words = text[start:end]
        if bare := words.strip():
            at = start + words.index(bare[0]) if words[0] != bare[0] else start
            yield Span(at, at + len(bare))


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    """The kinds of each abbreviation."""
    by_language: dict[str, frozenset[str]] = {}
    for kind, words in read_rows(__package__, "abbreviations.tsv"):
        for word in split_cell(words):
            by_language[word] = by_language.get(word, frozenset()) | {kind}
    return by_language
