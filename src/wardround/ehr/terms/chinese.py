"""Chinese and English names of drugs, tests, units, diagnoses, and the words of orders."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.diagnoses import formal_names
from wardround.ehr.terms.drugs import generics
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.terms.mentions import find_drugs
from wardround.ehr.terms.unit_names import spelled_names

TermKind: TypeAlias = Literal[
    "drug", "test", "unit", "diagnosis", "route", "frequency", "flag", "status", "priority",
    "category", "service", "admission", "destination", "origin", "ward", "sex",
    "complaint", "clinic",
]  # fmt: skip
# Kinds of names that are whole lines, such as "cough, fever"; they hide no names of other kinds.
_LINES: tuple[TermKind, ...] = ("complaint", "clinic")
_FIRST = 2  # letters that names are looked up by
_TEXTS = 4096  # cached texts; each is looked at once a kind
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_JOINED_BEFORE = re.compile(r"[a-z][a-z0-9]|\d\d", re.ASCII)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LISTS = re.compile(r"\band\b", re.IGNORECASE)  # names two drugs, not their mixture
_PREPARATION = re.compile(
    r"(?:盐酸|硫酸|磷酸|枸橼酸|马来酸|富马酸|酒石酸|琥珀酸|苯磺酸|甲磺酸|氢溴酸|硝酸|醋酸|钠|钾|钙|盐"
    r"|片剂?|缓释|控释|肠溶|分散|薄膜衣|咀嚼|泡腾|胶囊剂?|颗粒|注射液|注射用|口服溶?液|混悬液|滴眼液|滴剂"
    r"|气雾剂|吸入剂|喷雾剂|软膏|乳膏|凝胶|贴剂?|贴片|粉|粉针|针剂?|栓剂?|药|[\s\d.]|mg|g|ug|ml|毫克|克)*"
)
_MOST_SPACES = 20  # between a number and its unit
_JOINED_BEHIND = re.compile(r"[a-z0-9]{2}")


@dataclass(frozen=True, slots=True)
class TermMention:
    """A term at `text[start:end]`, by its English name."""

    start: int
    end: int
    english: str


_Names: TypeAlias = Mapping[str, Mapping[TermKind, str]]


@dataclass(frozen=True, slots=True)
class _Index:
    """Names to look for in texts.

    Attributes:
        names: the English name by any name and kind.
        lengths: the lengths of the names by their first letters, longest first.
    """

    names: _Names
    lengths: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The rows of the table by name.

    Attributes:
        english: the English name by any name and kind.
        chinese: the preferred Chinese name by kind and English name.
        terms: names within texts.
        lines: names of whole lines.
    """

    english: _Names
    chinese: Mapping[tuple[TermKind, str], str]
    terms: _Index
    lines: _Index


def english(text: str, kind: TermKind) -> str | None:
    """The English name of a term in either language; None if it is unknown.

    A drug's is its generic name, mixtures joined by ` + `; a test's is its label in MIMIC-IV.

    >>> english("速尿", "drug"), english("Lasix", "drug"), english("每日两次", "frequency")
    ('furosemide', 'furosemide', 'twice daily')
    >>> english("阿哌沙班片", "drug"), english("盐酸二甲双胍缓释片", "drug")
    ('apixaban', 'metformin')
    >>> english("WBC", "test"), english("penguin", "drug")
    ('white blood cells', None)
    """
    return _english(plain(text).strip(), kind)


@lru_cache(_TEXTS)
def _english(name: str, kind: TermKind) -> str | None:
    listed = _lexicon().english.get(name, {}).get(kind)
    return listed or _packaged(name, kind) or (_prepared(name) if kind == "drug" else None)


def chinese(text: str, kind: TermKind) -> str | None:
    """The preferred Chinese name of a term in either language; None if it is unknown.

    >>> chinese("Coumadin", "drug"), chinese("heart attack", "diagnosis"), chinese("BID", "route")
    ('华法林', '心肌梗死', None)
    """
    name = english(text, kind)
    return _lexicon().chinese.get((kind, name)) if name else None


def mentions(text: str, kind: TermKind) -> list[TermMention]:
    """The terms of a kind in a text of either language, leftmost longest first.

    Names of up to three Latin letters must be in capitals, with one capital for a test, or behind a
    number for a unit. A name within a longer one of another kind does not count: potassium is not
    mentioned by the name of potassium chloride, and no drug by that of a mixture.
    "And" lists drugs.

    >>> [mention.english for mention in mentions("患者WBC偏高，血钾3.1，已停氯化钾", "test")]
    ['white blood cells', 'potassium']
    """
    listed = [
        TermMention(start, end, names[kind])
        for start, end, names in _occurrences(text, kind in _LINES)
        if kind in names and _is_meant(kind, text, start, end)
    ]
    if kind != "drug":
        return listed
    found = [TermMention(e.start, e.end, " + ".join(e.generics)) for e in find_drugs(text)]
    mixtures = [each for each in found if not _LISTS.search(text, each.start, each.end)]
    kept = [each for each in listed if not any(_is_part(each, mixture) for mixture in mixtures)]
    taken = {position for mention in kept for position in range(mention.start, mention.end)}
    more = [each for each in found if taken.isdisjoint(range(each.start, each.end))]
    return sorted((*kept, *more), key=lambda mention: mention.start)


def _is_part(mention: TermMention, mixture: TermMention) -> bool:
    """True if a drug is mentioned within the longer name of a mixture that it is in."""
    is_within = mixture.start <= mention.start and mention.end <= mixture.end
    drugs = mixture.english.split(" + ")
    return is_within and mention.english in drugs and len(drugs) > 1


def plain(text: str) -> str:
    r"""A text in lower case, full-width letters, digits and signs as usual ones; as long as before.

    >>> plain("INR\uff1a\uff12\uff0e\uff15")
    'inr:2.5'
    """
    usual = text if text.isascii() else text.translate(_HALF_WIDTH)
    lower = usual.lower()
    # Few letters have a lower case of two: İ has.
    if len(lower) == len(text):
        return lower
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in usual)


def _prepared(name: str) -> str | None:
    """The one drug of a name whose other words are its salt, form or dose, as in 速尿片."""
    named = mentions(name, "drug")
    if len(named) != 1:
        return None
    rest = name[: named[0].start] + name[named[0].end :]
    return named[0].english if _HAN.search(name) and _PREPARATION.fullmatch(rest) else None


def _packaged(name: str, kind: TermKind) -> str | None:
    """The English name by the other vocabularies, which are English."""
    match kind:
        case "drug":
            return " + ".join(generics(name)) or None
        case "test":
            lab = lab_named(name)
            return lab.name if lab else None
        case "diagnosis":
            names = (_lexicon().english.get(each, {}).get(kind) for each in formal_names(name))
            return next(filter(None, names), None)
        case _:
            return None


@lru_cache(_TEXTS)
def _occurrences(text: str, of_lines: bool) -> tuple[tuple[int, int, Mapping[TermKind, str]], ...]:
    """The names of any kind, or those of whole lines; none of them is within another."""
    lexicon = _lexicon()
    return tuple(_scanned(text, lexicon.lines if of_lines else lexicon.terms))


def _scanned(text: str, index: _Index) -> Iterator[tuple[int, int, Mapping[TermKind, str]]]:
    lower = plain(text)
    start = 0
    while start < len(lower):
        pair, letter = lower[start : start + _FIRST], lower[start]
        lengths = (*index.lengths.get(pair, ()), *index.lengths.get(letter, ()))
        ends = (start + length for length in lengths if start + length <= len(lower))
        end = next((end for end in ends if _is_name(lower, start, end, index.names)), None)
        if end is not None:
            yield start, end, index.names[lower[start:end]]
        start = end or start + 1


def _is_name(lower: str, start: int, end: int, names: _Names) -> bool:
    """True for a name that is not part of a Latin word or number; numbers join no letters."""
    if lower[start:end] not in names:
        return False
    before, behind = lower[max(start - 1, 0) : start + 1], lower[end - 1 : end + 1]
    return not _JOINED_BEFORE.fullmatch(before) and not _JOINED_BEHIND.fullmatch(behind)


def _is_meant(kind: TermKind, text: str, start: int, end: int) -> bool:
    """True if a name is not short, or is written as short names of its kind are."""
    written = text[start:end]
    if len(written) > 3 or not written.isascii():
        return True
    match kind:
        case "unit":
            return text[max(0, start - _MOST_SPACES) : start].rstrip()[-1:].isdigit()
        case "test":
            return not written.islower()
        case _:
            return written.isupper()


@cache
def _lexicon() -> _Lexicon:
    by_name: dict[str, dict[TermKind, str]] = defaultdict(dict)
    preferred: dict[tuple[TermKind, str], str] = {}
    for kind, names, terms, _, _ in read_rows(__package__, "chinese.tsv"):
        english_names, chinese_names = split_cell(names), split_cell(terms)
        preferred[kind, english_names[0]] = chinese_names[0]  # type: ignore[index]
        spelled = spelled_names(english_names[0]) if kind == "unit" else []
        for name in (*spelled, *english_names, *chinese_names):
            by_name[plain(name)][kind] = english_names[0]  # type: ignore[index]
    lines = {name: kinds for name, kinds in by_name.items() if not kinds.keys().isdisjoint(_LINES)}
    within = {name: kinds for name, kinds in by_name.items() if not kinds.keys() <= set(_LINES)}
    return _Lexicon(dict(by_name), preferred, _index(within), _index(lines))


def _index(names: _Names) -> _Index:
    return _Index(names, _lengths(names))


def _lengths(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lengths of names, longest first, by their first two letters or their only one."""
    by_first: dict[str, set[int]] = defaultdict(set)
    for name in names:
        by_first[name[:_FIRST]].add(len(name))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in by_first.items()}
