"""Agents of verbs: whether a clause tells what the patient does, or what is to be done."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import Span

# A finite English verb that a third person does, or has done; a bare form also gives advice.
_FINITE = re.compile(r"(?:\w+(?:s|ed|ing|t|en)|held|took|gave|began)\b", re.IGNORECASE)


class _Patterns(NamedTuple):
    """The texts before a verb that make it a patient's own."""

    subject: re.Pattern[str]
    own: re.Pattern[str]
    causes: re.Pattern[str]


def is_patients_doing(text: str, verb: Span, language: Language) -> bool:
    """True if a verb tells what the patient does at home, and advises nothing.

    The patient is its subject, with only adverbs and auxiliaries between, or is left out beside
    words such as "at home". A patient who is told to do something does not count.

    >>> text = "患者目前在家使用布洛芬"
    >>> is_patients_doing(text, Span(6, 8), "zh")
    True
    >>> is_patients_doing("建议患者使用布洛芬", Span(4, 6), "zh")
    False
    >>> is_patients_doing("The patient should start ibuprofen", Span(19, 24), "en")
    False
    """
    before = text[: verb.start]
    patterns = _patterns(language)
    if language == "en" and not _FINITE.fullmatch(text, verb.start, verb.end):
        return False
    if subject := patterns.subject.search(before):
        return not patterns.causes.search(before[: subject.start()])
    return bool(patterns.own.search(before))


@cache
def _patterns(language: Language) -> _Patterns:
    words = _words(language)
    between = _any(words["between"], language)
    gap = r"\s+" if language == "en" else ""
    adverbs = rf"(?:{gap}{between})*{gap}$"
    begin = rf"(?:^|[,;.，；。])\s*(?:{between}\s*)*"
    return _Patterns(
        re.compile(_any(words["person"], language) + adverbs, re.IGNORECASE),
        re.compile(begin + _any(words["own"], language) + adverbs, re.IGNORECASE),
        re.compile(rf"{_any(words['causes'], language)}\s*$", re.IGNORECASE),
    )


def _any(words: Sequence[str], language: Language) -> str:
    """A pattern of any of some words, the longest first."""
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return rf"\b(?:{listed})\b" if language == "en" else f"(?<!其)(?:{listed})"


@cache
def _words(language: Language) -> Mapping[str, tuple[str, ...]]:
    rows = read_rows(__package__, "agents.tsv")
    return {role: split_cell(words) for role, of_language, words in rows if of_language == language}
