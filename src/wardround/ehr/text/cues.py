"""Cues of negation, doubt and subject in clinical English and Chinese, and how far they reach.

A cue reaches over the clause that it stands in, to its right, to its left or to both, up to a verb
that says something else of the patient ("denies fever, has a cough").
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import Span, clauses

CueKind: TypeAlias = Literal["absent", "uncertain", "family", "none"]
Assertion: TypeAlias = Literal["present", "absent", "uncertain", "family"]
_TEXTS = 4096  # cached texts
# A thing that may be absent is uncertain; of the family's illnesses nothing is said of the patient.
_STRONGEST_FIRST: tuple[Assertion, ...] = ("family", "uncertain", "absent")
# Where a clause says something else, so that a negation or doubt before it no longer counts.
_TURN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r",\s*(?:and |but |he |she )?(?:has|have|had|is|are|was|were|reports?|reported|complains?|"
        r"presents?|shows?|showed|takes?|took|admits?|admitted|endorses|positive)\b|\b(?:except|only|with|reports|complains)\b"
    ),
    "zh": re.compile(r"但|伴有|(?<![没无])有|出现|可见"),
}


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue at `text[start:end]`, and the part of the text that it reaches over."""

    kind: CueKind
    start: int
    end: int
    scope: Span


class _Form(NamedTuple):
    kind: CueKind
    side: str


def assertion(text: str, mention: Span, language: Language) -> Assertion:
    """The assertion of a text about a thing that it mentions.

    >>> note = "Denies fever or cough; possible sepsis."
    >>> [assertion(note, Span(note.index(w), note.index(w) + 5), "en") for w in ("cough", "sepsi")]
    ['absent', 'uncertain']
    """
    kinds = {
        cue.kind
        for cue in cues(text, language)
        if cue.scope.start <= mention.start and mention.end <= cue.scope.end
        if cue.end <= mention.start or mention.end <= cue.start
    }
    return next((kind for kind in _STRONGEST_FIRST if kind in kinds), "present")


def negations(text: str, language: Language) -> list[Span]:
    """The words of a text that negate something.

    >>> [each.of("不规则，未来不要补钾") for each in negations("不规则，未来不要补钾", "zh")]
    ['不']
    """
    found = _found(plain(text).replace("\u2019", "'"), language)
    return [Span(*match.span()) for match, form in found if form.kind == "absent"]


@lru_cache(_TEXTS)
def cues(text: str, language: Language) -> tuple[Cue, ...]:
    """The cues of a text in order, with their scopes.

    >>> [(cue.kind, cue.scope.of("无发热，但咳嗽")) for cue in cues("无发热，但咳嗽", "zh")]
    [('absent', '无发热，')]
    """
    lower = plain(text).replace("\u2019", "'")
    parts = clauses(text, language)
    found: list[Cue] = []
    for match, form in _found(lower, language):
        clause = next(part for part in parts if part.start <= match.start() < part.end)
        if form.kind != "none":
            scope = _scope(lower, clause, match, form, language)
            found.append(Cue(form.kind, *match.span(), scope))
    return tuple(found)


def _found(text: str, language: Language) -> Iterator[tuple[re.Match[str], _Form]]:
    for match in _pattern(language).finditer(text):
        yield match, _forms(language)[match[0]]


def _scope(text: str, clause: Span, cue: re.Match[str], form: _Form, language: Language) -> Span:
    """The part of a clause that a cue reaches over; for a relative, all that is behind it."""
    if form.kind == "family":
        return Span(cue.start(), clause.end)
    turns = list(_TURN[language].finditer(text, *clause))
    before = [turn.end() for turn in turns if turn.end() <= cue.start()]
    behind = [turn.start() for turn in turns if turn.start() >= cue.end()]
    start = max(before, default=clause.start) if form.side == "both" else cue.start()
    return Span(start, min(behind, default=clause.end))


@cache
def _forms(language: Language) -> Mapping[str, _Form]:
    rows = read_rows(__package__, "cues.tsv")
    return {
        cue: _Form(kind, side)  # type: ignore[arg-type]
        for kind, own, side, listed in rows
        if own == language
        for cue in split_cell(listed)
    }


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    longest_first = sorted(_forms(language), key=len, reverse=True)
    return re.compile("|".join(map(_bounded, longest_first)))


def _bounded(cue: str) -> str:
    """The pattern of a cue; an English one is a whole word but for the ending n't."""
    if not cue.isascii():
        return re.escape(cue)
    return (r"" if cue == "n't" else r"(?<![a-z-])") + re.escape(cue) + r"(?![a-z-])"
