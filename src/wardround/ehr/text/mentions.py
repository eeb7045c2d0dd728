"""Mentions of drugs, tests, units, diagnoses and the words of orders, in English and Chinese."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.chinese import NamesByKind, TermKind, names_of_terms, plain
from wardround.ehr.terms.names import key
from wardround.ehr.terms.vocabulary import LONGEST, drug_name, vocabulary
from wardround.ehr.text.segments import Span

# Kinds of names that are whole lines, such as "cough, fever"; they hide no names of other kinds.
_LINES: tuple[TermKind, ...] = ("complaint", "clinic")
_FIRST = 2  # letters that names are looked up by
_TEXTS = 4096  # cached texts; each is looked at once a kind
# The places where a name can begin: not within a Latin word or number; numbers join no letters.
_START = re.compile(r"(?!(?<=[a-z])[a-z0-9]|(?<=\d)\d).", re.ASCII | re.DOTALL)
_JOINED_AFTER = re.compile(r"[a-z0-9]{2}")
_LISTS = re.compile(r"\band\b", re.IGNORECASE)  # names two drugs, not their mixture
_JOINT = re.compile(r" ?[-/+] ?")  # between the ingredients of a mixture
# An amount, perhaps with its route, before a short frequency: "20 mg po bid".
_AMOUNT_BEFORE = re.compile(
    r"\d ?(?:mg|mcg|ug|g|ml|meq|mmol|units?|iu|tabs?|tablets?|puffs?)(?: [a-z]{2})? $",
    re.IGNORECASE,
)
_MOST_SPACES = 20  # between a number and its unit
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9'.%]*(?:-[A-Za-z0-9'.%]+)*")


class Mention(NamedTuple):
    """A term at `text[start:end]`, by its kind and its English name."""

    start: int
    end: int
    kind: TermKind
    name: str

    @property
    def span(self) -> Span:
        """The place of the mention."""
        return Span(self.start, self.end)


@dataclass(frozen=True)
class DrugMention:
    """An English drug name at `text[start:end]`, with its ingredients."""

    text: str
    start: int
    end: int
    generics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Index:
    """Names to look for in texts.

    Attributes:
        names: the English name by any name and kind.
        lengths: the lengths of the names by their first letters, longest first.
    """

    names: NamesByKind
    lengths: Mapping[str, tuple[int, ...]]


@lru_cache(_TEXTS)
def mentions(text: str, *kinds: TermKind) -> tuple[Mention, ...]:
    """The terms of some kinds in a text of either language, kind by kind, each kind in order.

    The leftmost of overlapping names counts, and the longest of several at one place. Names of up
    to three Latin letters must be in capitals, with one capital for a test, or after a number for a
    unit, or after an amount for a frequency. A name within a longer one of another kind does not
    count: potassium is not mentioned by the name of potassium chloride, and no drug by that of a
    mixture. "And" lists drugs, as do signs between drugs unless a mixture has both.

    >>> [(each.kind, each.name) for each in mentions("速尿已停，血钾3.1", "drug", "test")]
    [('drug', 'furosemide'), ('test', 'potassium')]
    >>> [each.name for each in mentions("20 mg po bid", "frequency")]
    ['twice daily']
    >>> [each.name for each in mentions("患者WBC偏高，血钾3.1，已停氯化钾", "test")]
    ['white blood cells', 'potassium']
    >>> [each.name for each in mentions("amoxicillin/clavulanate, lisinopril/furosemide", "drug")]
    ['amoxicillin + clavulanate', 'lisinopril', 'furosemide']
    """
    return tuple(mention for kind in kinds for mention in _of_kind(text, kind))


def find_drugs(text: str) -> list[DrugMention]:
    """Find the English drug names in a sentence, leftmost longest match first.

    Skips everyday words that are also brands; names of up to three letters must be in capitals.
    Drugs that hyphens join are one mixture.

    >>> [mention.text for mention in find_drugs("Was he given Toprol XL, NTG or iron?")]
    ['Toprol XL', 'NTG']
    >>> [mention.generics for mention in find_drugs("Piperacillin-tazobactam was stopped.")]
    [('piperacillin', 'tazobactam')]
    """
    tokens = [_token(match) for match in _TOKEN.finditer(text)]
    drugs: list[DrugMention] = []
    position = 0
    while position < len(tokens):
        drug, length = _drug_at(text, tokens[position : position + LONGEST])
        drugs += [drug] if drug else []
        position += length
    return drugs


def _of_kind(text: str, kind: TermKind) -> list[Mention]:
    listed = [
        Mention(start, end, kind, names[kind])
        for start, end, names in _occurrences(text, kind in _LINES)
        if kind in names and _is_meant(kind, text, start, end)
    ]
    return _with_english_drugs(text, listed) if kind == "drug" else listed


def _with_english_drugs(text: str, listed: list[Mention]) -> list[Mention]:
    """The drugs that the bilingual names list, and those of the English vocabulary."""
    english = [
        Mention(drug.start, drug.end, "drug", drug_name(drug.generics)) for drug in find_drugs(text)
    ]
    mixtures = [each for each in english if not _LISTS.search(text, each.start, each.end)]
    whole = [each for each in listed if not any(_is_part(each, mixture) for mixture in mixtures)]
    covered = {position for mention in whole for position in range(*mention.span)}
    more = [each for each in english if covered.isdisjoint(range(*each.span))]
    return list(_joined(text, sorted((*whole, *more), key=lambda mention: mention.start)))


def _joined(text: str, drugs: Iterable[Mention]) -> Iterator[Mention]:
    """The drugs of a text; drugs that signs join to a known mixture count as one."""
    runs: list[list[Mention]] = []
    for drug in drugs:
        if runs and _JOINT.fullmatch(text, runs[-1][-1].end, drug.start):
            runs[-1].append(drug)
        else:
            runs.append([drug])
    for run in runs:
        ingredients = frozenset(each for drug in run for each in drug.name.split(" + "))
        mixture = vocabulary().mixtures.get(ingredients) if len(run) > 1 else None
        yield from [Mention(run[0].start, run[-1].end, "drug", mixture)] if mixture else run


def _is_part(mention: Mention, mixture: Mention) -> bool:
    """True if a drug is mentioned within the longer name of a mixture that it is in."""
    is_within = mixture.start <= mention.start and mention.end <= mixture.end
    drugs = mixture.name.split(" + ")
    return is_within and mention.name in drugs and len(drugs) > 1


@lru_cache(_TEXTS)
def _occurrences(text: str, of_lines: bool) -> tuple[tuple[int, int, Mapping[TermKind, str]], ...]:
    """The names of any kind, or only names of whole lines, without names within others."""
    terms, lines = _indices()
    return tuple(_scanned(text, lines if of_lines else terms))


def _scanned(text: str, index: _Index) -> Iterator[tuple[int, int, Mapping[TermKind, str]]]:
    lower, last = plain(text), 0
    for match in _START.finditer(lower):
        start = match.start()
        if start >= last and (end := _end_of_name(lower, start, index)):
            yield start, end, index.names[lower[start:end]]
            last = end


def _end_of_name(lower: str, start: int, index: _Index) -> int:
    """The end of the longest name at a place that no word or number goes on from; 0 without one."""
    pair, letter = lower[start : start + _FIRST], lower[start]
    for length in (*index.lengths.get(pair, ()), *index.lengths.get(letter, ())):
        end = start + length
        is_name = end <= len(lower) and lower[start:end] in index.names
        if is_name and not _JOINED_AFTER.fullmatch(lower[end - 1 : end + 1]):
            return end
    return 0


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
        case "frequency" if _AMOUNT_BEFORE.search(text, 0, start):
            return True
        case _:
            return written.isupper()


@cache
def _indices() -> tuple[_Index, _Index]:
    """The names within texts, and those that are whole lines."""
    by_name = names_of_terms()
    lines = {name: kinds for name, kinds in by_name.items() if not kinds.keys().isdisjoint(_LINES)}
    terms = {name: kinds for name, kinds in by_name.items() if not kinds.keys() <= set(_LINES)}
    return _Index(terms, _lengths(terms)), _Index(lines, _lengths(lines))


def _lengths(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lengths of names, longest first, by their first two letters or their only one."""
    by_first: dict[str, set[int]] = defaultdict(set)
    for name in names:
        by_first[name[:_FIRST]].add(len(name))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in by_first.items()}


def _token(match: re.Match[str]) -> tuple[int, int]:
    """The start and end of a word without a genitive, an apostrophe or a full stop at its end."""
    word = re.sub(r"('s|[.'])+$", "", match.group())
    return match.start(), match.start() + len(word)


def _drug_at(text: str, tokens: list[tuple[int, int]]) -> tuple[DrugMention | None, int]:
    """The longest drug name at the first token, and its length in tokens."""
    start = tokens[0][0]
    for length in range(len(tokens), 0, -1):
        words = text[start : tokens[length - 1][1]]
        ingredients = vocabulary().generics.get(key(words)) or _joined_drugs(words)
        if ingredients and _is_drug_name(words):
            return DrugMention(words, start, start + len(words), ingredients), length
    return None, 1


def _joined_drugs(words: str) -> tuple[str, ...]:
    """The drugs that hyphens join; none if a part of the name is not a drug."""
    parts = [vocabulary().generics.get(part.lower(), ()) for part in words.split("-")]
    return tuple(drug for part in parts for drug in part) if len(parts) > 1 and all(parts) else ()


def _is_drug_name(words: str) -> bool:
    is_written_as_name = len(words) > 3 or sum(map(str.isupper, words)) > 1
    return key(words) not in _everyday_words() and is_written_as_name


@cache
def _everyday_words() -> frozenset[str]:
    return frozenset(read_lines("wardround.ehr.terms", "everyday.txt"))
