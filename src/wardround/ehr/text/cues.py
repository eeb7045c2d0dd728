"""Cues of negation, doubt and subject in clinical English and Chinese, and how far they reach.

A cue reaches over the clause that it stands in, to its right, to its left or to both, up to a verb
that says something else of the patient ("denies fever, has a cough"). A negated predicate says
something of its subject only if it is of existence or knowledge: "edema was not seen" makes the
edema absent, "it is not documented" uncertain, and "the rash has not spread" presupposes a rash.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import Span, clauses

CueKind: TypeAlias = Literal["absent", "uncertain", "family", "none", "gone"]
Predicate: TypeAlias = Literal["seen", "occurs", "known"]
Assertion: TypeAlias = Literal["present", "absent", "uncertain", "family"]
_TEXTS = 4096  # cached texts
# A thing that may be absent is uncertain; of the family's illnesses nothing is said of the patient.
_STRONGEST_FIRST: tuple[Assertion, ...] = ("family", "uncertain", "absent")
# A place where a clause says something else: a negation or doubt before it no longer counts.
_TURN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r",\s*(?:and |but |he |she )?(?:has|have|had|is|are|was|were|reports?|reported|complains?|"
        r"presents?|shows?|showed|takes?|took|admits?|admitted|endorses|positive)\b"
        r"|\b(?:except|only|with|reports|complains)\b"
        r"|\band (?:the|his|her|its|their|an?) (?:[a-z-]+ ){1,3}?"
        r"(?:has|have|had|is|are|was|were|remains?|remained|persists?|persisted)\b"
    ),
    "zh": re.compile(r"但|伴有|(?<![没无])有|出现|可见"),
}


# Words between a negation and its predicate.
_BETWEEN: Mapping[Language, str] = {
    "en": r"\s+(?:(?:been|be|yet|clearly|currently|ever|otherwise|really|so far)\s+)*",
    "zh": r"(?:[再曾有能被尚]|完全|明显|\s)*",
}
# A perfect; its participle is active unless "been" comes before it: "has never required".
_PERFECT = re.compile(r"\bha(?:s|ve|d)(?:n't| not| never) (?!been\b)")
# The text after a verb of occurrence that has neither an object nor a circumstance.
_ENDS: Mapping[Language, str] = {
    "en": r"(?=\s*(?:$|[.,;:!?)]|(?:again|since|after|today|so far|anymore|and|or|but)\b))",
    "zh": r"(?=\s*(?:过|了)?\s*(?:$|[。，；,;.!?！？、]))",
}
# A question of the form "A not A", such as 用不用: whether it is used.
_WHETHER = r"(?P<verb>[\u4e00-\u9fff])[不没](?P=verb)"
# The longest gap between a negation and a word of "gone" that it negates.
_GAP: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:\s+[a-z]+){0,2}\s+"),
    "zh": re.compile(r".{0,3}"),
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
    matches = _cue_matches(plain(text).replace("\u2019", "'"), language)
    return [Span(*match.span()) for match, form in matches if form.kind == "absent"]


@cache
def negation_words(language: Language) -> tuple[str, ...]:
    """The words of any text that negate, such as "not" and "without"; n't ends a word.

    >>> {"not", "without", "n't"} <= set(negation_words("en")), "denies" in negation_words("en")
    (True, False)
    """
    return _words("negation", language)


def _words(kind: str, language: Language) -> tuple[str, ...]:
    return tuple(
        word
        for listed_kind, listed_language, _, listed in read_rows(__package__, "cues.tsv")
        if (listed_kind, listed_language) == (kind, language)
        for word in split_cell(listed)
    )


def negation_pattern() -> str:
    """A regular expression of the English words that negate, between word boundaries.

    >>> import re
    >>> words = re.compile(negation_pattern())
    >>> bool(words.match("nothing")), bool(words.match("nothing but"))
    (True, False)
    """
    negating = [r"\w+n't" if word == "n't" else _escaped(word) for word in negation_words("en")]
    exceptions = map(_escaped, _words("none", "en"))
    return rf"(?!(?:{'|'.join(exceptions)})\b)(?:{'|'.join(negating)})"


def _escaped(words: str) -> str:
    return re.escape(words).replace(r"\ ", " ")


@lru_cache(_TEXTS)
def cues(text: str, language: Language) -> tuple[Cue, ...]:
    """The cues of a text in order, with their scopes.

    >>> [(cue.kind, cue.scope.of("无发热，但咳嗽")) for cue in cues("无发热，但咳嗽", "zh")]
    [('absent', '无发热，')]
    """
    lower = plain(text).replace("\u2019", "'")
    parts = clauses(text, language)
    listed: list[Cue] = []
    negated = Span(-1, 0)
    for match, form in _cue_matches(lower, language):
        clause = next(part for part in parts if part.start <= match.start() < part.end)
        kind, side, end = form.kind, form.side, match.end()
        if side == "subject":
            negated = Span(*match.span())
            kind, side, end = _of_predicate(lower, match, language)
        elif kind == "gone":
            gap = _GAP[language].fullmatch(lower, negated.end, match.start())
            if gap and negated.start >= clause.start:
                continue  # "has not resolved"
            kind = "absent"
        if kind != "none":
            scope = _scope(lower, clause, Span(match.start(), end), _Form(kind, side), language)
            listed.append(Cue(kind, *match.span(), scope))
    return tuple(listed)


def _of_predicate(
    text: str, negation: re.Match[str], language: Language
) -> tuple[CueKind, str, int]:
    """The kind of cue that a negation is by the predicate after it, its side, and their end."""
    predicate = _predicates(language).match(text, negation.end())
    kind = predicate.lastgroup if predicate else None
    if predicate is None or (kind == "seen" and _is_perfect(text, negation)):
        return "absent", "right", negation.end()
    return "uncertain" if kind == "known" else "absent", "both", predicate.end()


def _is_perfect(text: str, negation: re.Match[str]) -> bool:
    """True for "has not" before an active participle, which has an object."""
    return any(
        match.start() <= negation.start() < match.end()
        for match in _PERFECT.finditer(text, max(negation.start() - len("have "), 0))
    )


def _cue_matches(text: str, language: Language) -> Iterator[tuple[re.Match[str], _Form]]:
    for match in _pattern(language).finditer(text):
        form = _forms(language).get(match[0])
        yield match, form or _Form("uncertain", "right")


def _scope(text: str, clause: Span, cue: Span, form: _Form, language: Language) -> Span:
    """The part of a clause that a cue reaches over; for a relative, all that follows it."""
    if form.kind == "family":
        return Span(cue.start, clause.end)
    turns = list(_TURN[language].finditer(text, *clause))
    if form.kind == "uncertain":  # it governs the verbs up to the next comma: "whether he has had"
        turns = [turn for turn in turns if turn[0][0] in ",但" or text[turn.start() - 1] in ",，、"]
    before = [turn.end() for turn in turns if turn.end() <= cue.start]
    # A verb at the cue is what the cue is about: 如果出现, "unless he has".
    after = [turn.start() for turn in turns if turn.start() > cue.end]
    start = cue.start if form.side == "right" else max(before, default=clause.start)
    end = cue.end if form.side == "left" else min(after, default=clause.end)
    return Span(start, end)


@cache
def _forms(language: Language) -> Mapping[str, _Form]:
    rows = read_rows(__package__, "cues.tsv")
    return {
        cue: _Form("absent" if kind == "negation" else kind, side)  # type: ignore[arg-type]
        for kind, words, side, listed in rows
        if words == language and kind not in get_args(Predicate)
        for cue in split_cell(listed)
    }


@cache
def _predicates(language: Language) -> re.Pattern[str]:
    """Predicates after a negation, in a group of their kind."""
    words: dict[str, list[str]] = {"seen": [], "occurs": [], "known": []}
    for kind, predicates, _, listed in read_rows(__package__, "cues.tsv"):
        if predicates == language and kind in words:
            words[kind] += sorted(map(_bounded, split_cell(listed)), key=len, reverse=True)
    ends = {"occurs": _ENDS[language]}
    kinds = (
        f"(?P<{kind}>(?:{'|'.join(listed)}){ends.get(kind, '')})" for kind, listed in words.items()
    )
    return re.compile(f"{_BETWEEN[language]}(?:{'|'.join(kinds)})")


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    longest_first = sorted(_forms(language), key=len, reverse=True)
    questions = [_WHETHER] if language == "zh" else []
    return re.compile("|".join([*questions, *map(_bounded, longest_first)]))


def _bounded(cue: str) -> str:
    """The pattern of a cue; an English one is a whole word but for the ending n't."""
    if not cue.isascii():
        return re.escape(cue)
    return (r"" if cue == "n't" else r"(?<![a-z-])") + re.escape(cue) + r"(?![a-z-])"
