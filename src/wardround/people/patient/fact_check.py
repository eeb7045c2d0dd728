"""Compares an answer with the statements that it rewords: their content, and nothing beside it."""

import re
from collections.abc import Iterable, Iterator

from rapidfuzz import fuzz

from wardround.ehr.terms.chinese import mentions, plain
from wardround.ehr.text.cues import negations
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import sentences, texts

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD, _HAN = re.compile(r"[a-z]{4,}"), re.compile(r"[\u4e00-\u9fff]+")
_SHARE = 0.5  # of a statement's words, to be found again
_SAME_WORD = 75  # similarity of two forms of a word, of 100


def holds(text: str, statement: str, language: Language) -> bool:
    """True if a text tells what a statement tells.

    It does if it has the statement's numbers and drugs, at least half of its words, and denies
    something where the statement does. The check is strict: a free rewording can fail it.

    >>> holds("The pain started 2 days ago.", "It started 2 days ago, with pain.", "en")
    True
    >>> holds("The pain never started.", "It started 2 days ago, with pain.", "en")
    False
    """
    if not set(numbers(statement)) <= set(numbers(text)) or not drugs(statement) <= drugs(text):
        return False
    units = _units(statement, language)
    parts = texts(text, sentences(text, language))
    near = [part for part in parts if _found(units, part, language)]
    told = " ".join(near)
    share = len(_found(units, told, language)) >= _SHARE * len(units)
    return share and denies(told, language) == denies(statement, language)


def denies(text: str, language: Language) -> bool:
    """True if a text has a negation.

    >>> denies("I don't know.", "en"), denies("不知道。", "zh"), denies("I know.", "en")
    (True, True, False)
    """
    return bool(negations(text, language))


def numbers(text: str) -> list[str]:
    """The numbers of a text, as written in digits."""
    return _NUMBER.findall(text)


def drugs(text: str) -> set[str]:
    """The generic names of the drugs that a text names, in either language."""
    return {mention.english for mention in mentions(text, "drug")}


def _units(text: str, language: Language) -> list[str]:
    """The numbers and content words of a text; of a Chinese one, its pairs of letters."""
    return list(dict.fromkeys([*numbers(text), *_pieces(text, language)]))


def _pieces(text: str, language: Language) -> Iterator[str]:
    if language == "en":
        yield from _WORD.findall(plain(text))
        return
    for run in _HAN.findall(text):
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _found(units: Iterable[str], text: str, language: Language) -> list[str]:
    """The units that occur in a text, in any form of the word."""
    if language == "zh":
        return [unit for unit in units if unit in text]
    words = _units(text, "en")
    return [unit for unit in units if any(fuzz.ratio(unit, word) >= _SAME_WORD for word in words)]
