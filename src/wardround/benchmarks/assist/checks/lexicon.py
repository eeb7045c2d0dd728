"""Tables of words in both languages: directions such as rising or stopping, classes of drugs."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.text.cues import negations
from wardround.ehr.text.language import LANGUAGES
from wardround.ehr.text.segments import Span
from wardround.ehr.text.word_tables import word_patterns

Meaning: TypeAlias = Literal[
    "rise", "fall", "high", "low", "normal", "stop", "start", "less", "more", "again", "check",
    "suggest",
]  # fmt: skip
# Meanings that exclude each other about one thing.
OPPOSITES: dict[Meaning, frozenset[Meaning]] = {
    "rise": frozenset({"fall"}),
    "fall": frozenset({"rise"}),
    "high": frozenset({"low", "normal"}),
    "low": frozenset({"high", "normal"}),
    "normal": frozenset({"high", "low"}),
    "stop": frozenset({"start", "more"}),
    "less": frozenset({"more"}),
    "more": frozenset({"less", "stop"}),
}
# Meanings that one word can have; an item that has both asks for either.
ALIKE: tuple[frozenset[Meaning], ...] = (frozenset({"rise", "high"}), frozenset({"fall", "low"}))


@dataclass(frozen=True)
class WordTable:
    """A table of names with their words in English and Chinese, in a file beside this module.

    Attributes:
        file: the file; its rows are a name, English words and Chinese words.
        before: the border before a Latin word, as a pattern.
        after: the border behind it.
    """

    file: str
    before: str = r"(?<![a-z])"
    after: str = r"(?![a-z])"

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name of each word; the first row that has a word counts."""
        names: dict[str, str] = {}
        for name, english, chinese in read_rows(__package__, self.file):
            for word in (*split_cell(english), *split_cell(chinese)):
                names.setdefault(word, name)
        return names

    def occurrences(self, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """The names and places of words in a text in lower case, the longest first."""
        for match in self._pattern.finditer(text):
            yield self.names[match[0]], match.span()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(word_pattern(self.names, self.before, self.after))


def word_pattern(
    words: Iterable[str], before: str = r"(?<![a-z])", after: str = r"(?![a-z])"
) -> str:
    """A pattern of words, the longest first; Latin ones stand alone.

    >>> re.findall(word_pattern(["inr", "血钾"]), "inr 2.5, 血钾升高, inrush")
    ['inr', '血钾']
    """
    listed = set(words)
    latin = _prefix_tree(word for word in listed if word.isascii())
    # Words of both scripts begin with Latin letters, and go before shorter Latin ones.
    chinese = sorted(word for word in listed if not word.isascii())
    # Without a look at the next letter each place would try hundreds of them.
    first = "".join(dict.fromkeys(re.escape(word[0]) for word in chinese))
    han = f"(?=[{first}])(?:{_prefix_tree(chinese)})" if chinese else ""
    return "|".join(filter(None, (han, latin and f"{before}(?:{latin}){after}")))


def _prefix_tree(words: Iterable[str]) -> str:
    """A pattern of words that tries each letter once, not each word, and longer words first.

    >>> _prefix_tree(["no", "not", "now", "yes"])
    'n(?:o(?:t|w)?)|y(?:e(?:s))'
    """
    branches = []
    for letter, group in groupby(sorted(filter(None, words)), key=itemgetter(0)):
        rests = [word[1:] for word in group]
        tree = _prefix_tree(rests)
        branches.append(re.escape(letter) + (tree and f"(?:{tree}){'?' * ('' in rests)}"))
    return "|".join(branches)


_CLASSES = WordTable("classes.tsv")


@lru_cache(maxsize=4096)
def meanings(text: str) -> frozenset[Meaning]:
    """The meanings that a text expresses.

    >>> sorted(meanings("Potassium fell and is normal."))
    ['fall', 'normal']
    >>> sorted(meanings("血钾下降，停用华法林，建议复查"))
    ['again', 'fall', 'stop', 'suggest']
    """
    matches = [
        (m, match.span()) for m, each in _patterns().items() for match in each.finditer(text)
    ]
    return frozenset(
        m for m, span in matches if not any(_within(span, other) for _, other in matches)
    )


@lru_cache(maxsize=4096)
def spans(text: str, *meanings: Meaning) -> tuple[tuple[int, int], ...]:
    """The places of words with one of some meanings."""
    patterns = _patterns()
    return tuple(match.span() for meaning in meanings for match in patterns[meaning].finditer(text))


def is_negated(text: str) -> bool:
    """True if a text contains a negation.

    >>> is_negated("do not add potassium"), is_negated("不要补钾"), is_negated("recheck it")
    (True, True, False)
    """
    return bool(_negations(text))


def negation_start(text: str) -> int:
    """The place of the first word of negation; the text's end if there is none."""
    return min((start for start, _ in _negations(text)), default=len(text))


def without_negation(text: str) -> str:
    """The text without its words of negation."""
    for start, end in sorted(_negations(text), reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


@lru_cache(maxsize=4096)
def _negations(text: str) -> tuple[Span, ...]:
    """The words of negation in either language, since an answer may mix both."""
    return tuple(span for language in LANGUAGES for span in negations(text, language))


def _within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """True for a word that is part of a longer one, as 用 is of 停用."""
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def _patterns() -> Mapping[Meaning, re.Pattern[str]]:
    return word_patterns(__package__, "words.tsv")  # type: ignore[return-value]


def cue(name: str) -> re.Pattern[str]:
    """The pattern of the words in a row of cues.tsv.

    >>> cue("from").findall("fell from 5.6, 由5.6降至4.5")
    ['from', '由']
    """
    return word_patterns(__package__, "cues.tsv")[name]


def classes_in(text: str) -> frozenset[str]:
    """The classes that a text names.

    >>> sorted(classes_in("Avoid NSAIDs and 利尿剂"))
    ['diuretic', 'nsaid']
    """
    return frozenset(name for name, _ in _CLASSES.occurrences(plain(text)))


def class_spans(text: str) -> list[tuple[int, int]]:
    """The places of names of classes in a text."""
    return [span for _, span in _CLASSES.occurrences(plain(text))]


def is_of_class(drugs: Collection[str], name: str) -> bool:
    """True if one of some drugs, each with its ingredients joined by " + ", is of a class.

    >>> is_of_class(["ibuprofen"], "nsaid"), is_of_class(["furosemide"], "nsaid")
    (True, False)
    """
    return any(not members(name).isdisjoint(drug.split(" + ")) for drug in drugs)


@cache
def members(name: str) -> frozenset[str]:
    """The generic names of a class, or of the classes that it stands for."""
    groups = [group for group in drug_classes() if name in (group.name, *group.synonyms)]
    return frozenset(drug for group in groups for drug in group.members)
