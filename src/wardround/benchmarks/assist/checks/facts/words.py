"""Words of facts in a text: the cues of aspects, and values such as "high" or "stopped"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from wardround.benchmarks.assist.checks.facts.names import CODE, silent_names
from wardround.benchmarks.assist.checks.items import stem
from wardround.benchmarks.assist.checks.lexicon import word_pattern
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import TermKind, plain
from wardround.ehr.text.dates import without_times
from wardround.ehr.text.language import has_han
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import blanked

_TEXTS = 4096  # cached texts
_LATIN = re.compile(r"[a-z']+")
# Kinds of terms that only facts are about; those of the rest of a clause are known anyway.
_KINDS: tuple[TermKind, ...] = (
    "service", "admission", "origin", "destination", "ward", "complaint", "clinic",
)  # fmt: skip
STATES = (
    "state: ", "smoking: ", "dependence: ", "event: none", "phrase", "home: ", "tobacco: ",
    "alcohol: ", "walking: ", "help: ", "onset: ", "provocation: ", "timing: ",
    "reason: ",
)  # fmt: skip
# Words for actions; their role in a clause counts.
_DONE = ("action: ", "event: ")


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `text[start:end]`, by the name of its row."""

    start: int
    end: int
    name: str


@lru_cache(_TEXTS)
def words(text: str) -> tuple[Word, ...]:
    """The words of the table in a text; one within a longer word is none.

    >>> [word.name for word in words("The discharge summary")], [w.name for w in words("停用")]
    (['note'], ['action: stop'])
    """
    lower = plain(text).replace("\u2019", "'")
    named = [m.span for m in mentions(text, "drug", "test", "diagnosis")]
    candidates = [
        Word(*match.span(), name)
        for name, pattern in _patterns().items()
        for match in pattern.finditer(lower)
        if not any(_is_part(match.span(), span) for span in named)
    ]
    longest = {index: max(w.end - w.start for w in candidates if w.start <= index < w.end)
               for w in candidates for index in range(w.start, w.end)}  # fmt: skip
    return tuple(
        sorted(
            (
                w
                for w in candidates
                if w.end - w.start == max(longest[p] for p in range(w.start, w.end))
            ),
            key=lambda w: w.start,
        )
    )


@lru_cache(_TEXTS)
def without_terms(text: str) -> str:
    """A text without codes, silent names and terms that only facts are about, as long as before.

    A term within a longer diagnosis is a part of its name.

    >>> without_terms("Complaint: syncope. Diagnosis: syncope and collapse.")
    'Complaint:        . Diagnosis: syncope and collapse.'
    """
    named = [mention.span for mention in mentions(text, "diagnosis")]
    places: list[tuple[int, int]] = [
        mention.span
        for mention in mentions(text, *_KINDS)
        if not any(_is_part(mention.span, longer) for longer in named)
    ]
    places += [m.span() for m in CODE.finditer(without_times(text).upper()) if m[0][0].isalpha()]
    places += [each for each in silent_names(text) if not any(_is_part(each, n) for n in named)]
    return blanked(text, places)


@lru_cache(_TEXTS)
def without_words(text: str) -> str:
    """A text without such terms, states and Chinese words of the table, as long as before.

    States of home drugs deny nothing else: "never got", "not always". Chinese words are blanked out
    whole, since a part of one may be another word: 导 in 导致.
    """
    places = [(w.start, w.end) for w in words(text) if _is_whole(w, text)]
    named = [mention.span for mention in mentions(text, "diagnosis")]
    chinese = (match.span() for match in _chinese_words().finditer(text))
    places += [span for span in chinese if not any(_is_part(span, longer) for longer in named)]
    return blanked(without_terms(text), places)


def _is_part(span: tuple[int, int], name: tuple[int, int]) -> bool:
    """True for a word within a longer name, as 高 is in 地高辛."""
    return span != name and name[0] <= span[0] and span[1] <= name[1]


def _is_whole(word: Word, text: str) -> bool:
    is_done = word.name.startswith(_DONE)
    return word.name.startswith(STATES) or (has_han(text[word.start]) and not is_done)


@cache
def known_words() -> tuple[str, ...]:
    """The stems of the table's English words and its Chinese words, the longest first."""
    listed = {word for _, *cells in _rows() for cell in cells for word in split_cell(cell)}
    latin = {stem(part) for word in listed if word.isascii() for part in _LATIN.findall(word)}
    han = {word for word in listed if not word.isascii()}
    return tuple(sorted(latin | han, key=lambda word: (-len(word), word)))


@cache
def _chinese_words() -> re.Pattern[str]:
    """The plain Chinese words of several letters."""
    plain_words = next(split_cell(chinese) for name, _, chinese in _rows() if name == "plain")
    return re.compile(word_pattern(word for word in plain_words if len(word) > 1))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(word_pattern(map(plain, (*split_cell(english), *split_cell(chinese)))))
        for name, english, chinese in _rows()
        if name != "plain"
    }


def _rows() -> list[list[str]]:
    return list(read_rows(__package__, "words.tsv"))
