"""Clauses of an answer, and the roles of their words; an unknown word leaves one not understood.

A clause that is not understood decides nothing. The table of words is closed on purpose: a word
that it lacks leaves a verdict open, and never turns it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal, TypeAlias, get_args

from wardround.benchmarks.assist.checks.items import DETAILS, SUBJECTS, stem
from wardround.benchmarks.assist.checks.lexicon import WordTable, class_spans, spans
from wardround.benchmarks.assist.checks.score_items import score_places
from wardround.ehr.terms.chinese import TermKind, plain
from wardround.ehr.text.dates import without_times
from wardround.ehr.text.language import has_han
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import NAMED, quantities
from wardround.ehr.text.segments import Span, blanked, phrases

Role: TypeAlias = Literal[
    "no", "give", "take", "must", "safe", "stop", "unsafe", "fact", "given", "stopped", "self",
    "unsure", "other", "earlier", "patient", "pronoun", "check", "plain",
]  # fmt: skip
_Sign: TypeAlias = Literal["verb", "dose", "drug"]
# Roles that make a clause a statement of its own; a part without one belongs to its neighbour.
PREDICATES: frozenset[Role] = frozenset(
    {"no", "give", "take", "must", "safe", "stop", "unsafe", "fact", "given", "stopped", "check"}
)
_LATIN = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:['/\u2019-][^\W\d_\u3400-\u9fff]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORDS = WordTable("clause_words.tsv", before=r"(?<![a-z'-])", after=r"(?![a-z'])(?!-[a-z])")
_OTHER_SIGN = re.compile(
    r"[^\s\w.,;:!?()'\"%/<>=≥≤~+*·•。，；：！？（）、\u201c\u201d\u2018\u2019→↑↓\[\]-]"
)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with the roles of its words.

    Attributes:
        text: its words.
        question: it belongs to a question.
        item_words: stems and words of the item that it is read for, which count as known.
    """

    text: str
    question: bool = False
    item_words: tuple[str, ...] = ()

    @cached_property
    def roles(self) -> tuple[tuple[int, int, Role | None], ...]:
        """The places, ends and roles of its words; None is an unknown word."""
        return _roles(self.text, self.item_words)

    @cached_property
    def names(self) -> tuple[Role | None, ...]:
        """The roles of its words but plain ones."""
        return tuple(role for _, _, role in self.roles if role != "plain")

    def has(self, *roles: Role) -> bool:
        """True if a word has one of some roles."""
        return any(role in self.names for role in roles)

    def count(self, role: Role) -> int:
        """The number of words with a role."""
        return self.names.count(role)

    def first(self, *roles: Role) -> int:
        """The place of the first word with one of some roles; -1 if there is none."""
        return next((start for start, _, role in self.roles if role in roles), -1)

    @property
    def is_understood(self) -> bool:
        """True if each word has a role, and the clause asks and supposes nothing."""
        return None not in self.names and not self.question and not self.has("unsure")


def clauses(sentence: str, item_words: Sequence[str] = ()) -> list[Clause]:
    """The clauses of a sentence; neighbouring parts without a verb are one.

    >>> [clause.text for clause in clauses("Stop ibuprofen and naproxen, and recheck the INR.")]
    ['Stop ibuprofen', 'naproxen, and recheck the INR']
    >>> [clause.text for clause in clauses("Stop heparin, but do not give warfarin.")]
    ['Stop heparin', 'do not give warfarin']
    """
    question = sentence.rstrip("\"'\u201d\u2019) ").endswith(("?", "？"))
    known = tuple(item_words)
    joined: list[tuple[int, int]] = []
    before: frozenset[_Sign] = frozenset()
    for start, end in _parts(sentence):
        signs = _signs(Clause(sentence[start:end]))
        if joined and not (_stand_alone(signs) or _stand_alone(before)):
            joined[-1] = (joined[-1][0], end)
            before |= signs
        else:
            joined.append((start, end))
            before = signs
    return [Clause(sentence[start:end].strip(), question, known) for start, end in joined]


def _signs(part: Clause) -> frozenset[_Sign]:
    """The signs that a part is a statement of its own."""
    signs: set[_Sign] = {"verb"} if part.has(*PREDICATES) else set()
    if quantities(part.text) or mentions(part.text, "frequency"):
        signs.add("dose")
    if mentions(part.text, "drug"):
        signs.add("drug")
    return frozenset(signs)


def _stand_alone(signs: frozenset[_Sign]) -> bool:
    """True for a verb, or a drug with a dose, which may be an order by itself."""
    return "verb" in signs or signs >= {"dose", "drug"}


def _parts(sentence: str) -> list[Span]:
    """The phrases of a sentence; one goes on to the end of a name or number that it begins."""
    covered = named_places(sentence)
    parts: list[Span] = []
    for part in phrases(sentence, "zh" if has_han(sentence) else "en"):
        if parts and any(start < part.start and parts[-1].end < end for start, end in covered):
            parts[-1] = Span(parts[-1].start, part.end)
        else:
            parts.append(part)
    return parts


@lru_cache(maxsize=4096)
def named_places(text: str) -> tuple[tuple[int, int], ...]:
    """The places of terms, numbers, classes and scores, which need no role."""
    return tuple(_named(text))


def _named(text: str) -> Iterator[tuple[int, int]]:
    kinds: tuple[TermKind, ...] = (*SUBJECTS, *DETAILS)
    yield from (mention.span for mention in mentions(text, *kinds))
    yield from ((q.start, q.end) for q in quantities(text))
    yield from class_spans(text)
    yield from (match.span() for match in NAMED.finditer(text))
    yield from score_places(text)


@cache
def known_words() -> frozenset[str]:
    """The words of the table, and the words in its phrases."""
    return frozenset(part for word in _WORDS.names for part in (word, *word.split()))


@lru_cache(maxsize=4096)
def _roles(text: str, item_words: tuple[str, ...]) -> tuple[tuple[int, int, Role | None], ...]:
    rest = blanked(without_times(plain(text)).replace("\u2019", "'"), named_places(text))
    directions = spans(rest, "rise", "fall", "high", "low", "normal", "again")
    roles: list[tuple[int, int, Role | None]] = [(*span, "plain") for span in directions]
    rest = blanked(rest, directions)
    listed = [(*span, _role(name)) for name, span in _WORDS.occurrences(rest)]
    roles += listed
    rest = blanked(rest, [(start, end) for start, end, _ in listed])
    known, han = _of_item(item_words)
    for word in han:
        rest = rest.replace(word, " " * len(word))
    roles += [(*m.span(), "plain" if stem(m[0]) in known else None) for m in _LATIN.finditer(rest)]
    roles += [(*m.span(), None) for m in _HAN.finditer(rest)]
    roles += [(*m.span(), None) for m in _OTHER_SIGN.finditer(rest)]
    return tuple(sorted(roles, key=lambda each: each[0]))


@lru_cache(maxsize=64)
def _of_item(words: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of an item as a set, and its Chinese words in order."""
    return frozenset(words), tuple(word for word in words if _HAN.search(word))


@cache
def _role(name: str) -> Role:
    return next(role for role in get_args(Role) if role == name)
