"""Chinese texts beside English ones: the same terms, numbers, negations and switches of drugs."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from wardround.authoring.assist.gates.switches import switches
from wardround.benchmarks.assist.checks.score_items import score_places
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.terms.drugs import generics
from wardround.ehr.text.mentions import Mention, mentions
from wardround.ehr.text.segments import blanked

KINDS: tuple[TermKind, ...] = ("drug", "test", "diagnosis", "complaint", "route")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = re.compile(r"(?<![A-Za-z\d.-])\d+(?:\.\d+)?(?![A-Za-z\d])")
# Kinds of terms whose names have other terms, numbers and negations in them.
_LONG: tuple[TermKind, ...] = ("complaint", "diagnosis")
# Words that are a diagnosis elsewhere.
_PLAIN = ("fall", "tobacco use disorder")


def chinese_faults(texts: Mapping[Language, str]) -> Iterator[str]:
    """The reasons why a Chinese text does not say what its English one says.

    >>> list(chinese_faults({"en": "Hold warfarin.", "zh": "暂停阿哌沙班。"}))
    ['the Chinese text has other terms: drug']
    >>> list(chinese_faults({"en": "Does not order aspirin", "zh": "没有开具阿司匹林"}))
    []
    """
    levels = _levels(texts["zh"])
    for kind in KINDS:
        if terms(texts["en"], kind) - levels != terms(texts["zh"], kind) - levels:
            yield f"the Chinese text has other terms: {kind}"
    english, chinese = (_without_terms(texts[language]) for language in LANGUAGES)
    if numbers(english) != numbers(chinese):
        yield "the Chinese text has other numbers"
    for sense in ("negation", "direction", "phrase"):
        if sense_words(english, "en", sense) != sense_words(chinese, "zh", sense):
            yield f"the Chinese text has another {sense}"
    if switches(texts["en"]) != switches(texts["zh"]):
        yield "the Chinese text switches other drugs"


def _levels(chinese: str) -> frozenset[str]:
    """The drugs whose level is measured; English calls the test by the name of the drug."""
    tests = (each.name for each in mentions(chinese, "test"))
    return frozenset(name for name in tests if generics(name))


def _without_terms(text: str) -> str:
    """A text with its complaints and diagnoses blanked."""
    for each in mentions(text, *_LONG):
        if each.name not in _PLAIN:
            text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return text


def terms(text: str, kind: TermKind) -> frozenset[str]:
    """The terms of a kind; one within a longer complaint or diagnosis does not count.

    Nor does a test within the name of a score, as creatinine in 肌酐清除率.
    """
    text = blanked(text, score_places(text)) if kind == "test" else text
    shown = [each for each in mentions(text, kind) if not _is_hidden(each, text)]
    names = frozenset(each.name for each in shown if each.name not in _PLAIN)
    return frozenset(each for each in names if not generics(each)) if kind == "test" else names


def _is_hidden(mention: Mention, text: str) -> bool:
    """True within a longer complaint or diagnosis; a complaint hides a diagnosis of its length."""
    hiding = (*_LONG, "service", "test") if mention.kind == "drug" else _LONG
    for other in mentions(text, *hiding):
        within = other.start <= mention.start and mention.end <= other.end
        more = (other.end - other.start) - (mention.end - mention.start)
        if within and (more > 0 or (mention.kind, other.kind) == ("diagnosis", "complaint")):
            return True
    return False


def numbers(text: str) -> Counter[str]:
    """The dates and the numbers in digits of a text; of a range, its first.

    >>> sorted(numbers("1-2 drinks")), sorted(numbers("1～2杯"))
    (['1'], ['1'])
    """
    dates = _DATE.findall(text)
    return Counter((*dates, *_NUMBER.findall(_DATE.sub(" ", text).replace("～", "-"))))


def sense_words(text: str, language: Language, sense: str) -> Counter[str]:
    """The meanings of a sense in a text, such as "not" or "rise"; the longest words first."""
    counts: Counter[str] = Counter()
    rest = text.casefold()
    for words, meaning in _table()[language, sense]:
        pattern = rf"\b{re.escape(words)}\b" if language == "en" else re.escape(words)
        rest, count = re.subn(pattern, " ", rest)
        if meaning:
            counts[meaning] += count
    return +counts


@cache
def _table() -> Mapping[tuple[str, str], list[tuple[str, str]]]:
    table: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for language, sense, meaning, words in read_rows(__package__, "chinese_twins.tsv"):
        table.setdefault((language, sense), []).append((words, meaning))
    for rows in table.values():
        rows.sort(key=lambda row: -len(row[0]))
    return table
