"""Finding the things a user names: known words first, then what stands where a thing is said."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from wardround.agents.keyword.patterns import MentionPattern, about_words, mentions, words_for
from wardround.agents.keyword.patterns import phrase as pattern_of
from wardround.agents.keyword.request import Condition
from wardround.agents.keyword.vocabulary import Word, known_conditions, known_words

_LAB_AFTER = re.compile(
    r"^,? (?:lab|test|level|value|result|reading|measurement|concentration)s?\b"
)
_FEW_WORDS = r"(?: (?!(?:and|or|but|after|before)\b)[a-z]+){0,3}? "  # "a potassium that fell below"
_DRUG_CUE = re.compile(
    r"\b(?:prescri\w*|medic\w*|drugs?|dos\w+|order\w*|treat\w*|pills?|got|given|received|taking|took|started)\b"
)

# "Pain medicines" and "diabetes tests" tell what something is for, not what anybody has.
_PURPOSE_OF = re.compile(r"^ (?:medic\w+|drugs?|pills?|meds|tests?|treatments?|therap\w+)\b")


class Spot(NamedTuple):
    """A thing named at `text[start:end]`."""

    start: int
    end: int
    condition: Condition

    def changed(self, **changes: Any) -> "Spot":
        """The spot with parts of its condition changed."""
        return self._replace(condition=replace(self.condition, **changes))


def strike(text: str, start: int, end: int) -> str:
    """The text with a part struck out; positions stay.

    >>> strike("on lasix", 3, 8)
    'on |||||'
    """
    return text[:start] + "|" * (end - start) + text[end:]


def find_things(text: str, left: str) -> list[Spot]:
    """All things named, in order.

    Args:
        text: what the user said, as said.
        left: the same in lower case, with what is understood already struck out.
    """
    spots: list[Spot] = []
    for word in _ordered(text, left):
        if "|" not in left[word.start : word.end]:
            said = left[word.start : word.end]
            spots.append(Spot(word.start, word.end, _known(word.kind, said)))
            left = strike(left, word.start, word.end)
    for table in ("facts", "mentions"):
        for pattern in mentions(table):
            for spot in _said(pattern, left):
                spots.append(spot)
                left = strike(left, spot.start, spot.end)
    for word in known_conditions(left):
        if not _PURPOSE_OF.match(left[word.end :]):
            named = Condition("diagnosis", left[word.start : word.end])
            spots.append(Spot(word.start, word.end, named))
    return sorted(spots, key=lambda spot: spot.start)


def sentence_around(text: str, position: int) -> tuple[int, int]:
    """Where the sentence that holds a position begins and ends."""
    ends = [m.start() for m in re.finditer(r"[.?!;](?=\s|$)", text)]
    start = max((end + 1 for end in ends if end < position), default=0)
    return start, min((end for end in ends if end >= position), default=len(text))


def clean(said: str) -> str:
    """The words for a thing without what only introduces or ends them.

    >>> clean("any of the heart failure patients"), clean("certain conditions")
    ('heart failure', '')
    """
    said = said.strip(" ,.?!|'-")
    shorter = about_words("tail").sub("", about_words("lead").sub("", said)).strip()
    return "" if about_words("empty").fullmatch(shorter) else shorter


def _known(kind: str, said: str) -> Condition:
    return Condition("drug", said, column="class") if kind == "class" else Condition(kind, said)


def _ordered(text: str, left: str) -> list[Word]:
    """Known words by length; a word that is a drug and a test is what its sentence is about."""
    words = [word for word in known_words(text) if _fits(word, text.lower(), left)]
    return sorted(words, key=lambda w: (w.start - w.end, w.kind != "drug", w.start))


def _fits(word: Word, text: str, left: str) -> bool:
    start, end = sentence_around(left, word.start)
    of_drugs = _DRUG_CUE.search(left[start:end]) is not None
    if word.kind in ("lab", "vital"):
        return _is_measured(word, text) or not of_drugs
    if word.kind == "drug":
        return (of_drugs and not _is_measured(word, text)) or not _is_lab(word, left)
    return True


def _is_measured(word: Word, text: str) -> bool:
    """Whether the words that follow speak of a test or put a bound on a number."""
    rest = text[word.end :]
    bounds = words_for("bounds").values()
    bounded = any(re.match(f"{_FEW_WORDS}(?:{said.pattern})", rest) for said in bounds)
    return bounded or _LAB_AFTER.match(rest) is not None


def _is_lab(word: Word, left: str) -> bool:
    said = left[word.start : word.end]
    return any(other.kind == "lab" and other.end == len(said) for other in known_words(said))


def _said(pattern: MentionPattern, left: str) -> Iterator[Spot]:
    for match in pattern.say.finditer(left):
        groups = [name for name, said in match.groupdict().items() if said]
        if not groups:
            yield Spot(*match.span(), _stored(pattern))
            continue
        start, end = match.span(groups[0])
        said = clean(left[start:end])
        if said and (pattern.only is None or pattern.only.search(said)):
            at = left.index(said, start)
            condition = Condition(pattern.kind, said, column=pattern.column)
            yield Spot(at, at + len(said), condition)


def _stored(pattern: MentionPattern) -> Condition:
    """A fact whose stored value is known beforehand."""
    return Condition(
        pattern.kind, column=pattern.column, values=pattern.stored or None, negated=pattern.negated
    )


def cue_before(left: str, start: int, end: int) -> str:
    """The kind of record that the words nearest to a part of a sentence speak of, or ""."""
    begin, finish = sentence_around(left, start)
    cues = [
        (start - m.end() if m.end() <= start else 2 * (m.start() - end), kind)
        for kind, cue in words_for("cues").items()
        for m in cue.finditer(left, begin, finish)
    ]
    return min(cues)[1] if cues else ""


def cues_in(left: str) -> list[str]:
    """The kinds of record that a text speaks of, in order."""
    found = [
        (m.start(), kind) for kind, cue in words_for("cues").items() for m in cue.finditer(left)
    ]
    return list(dict.fromkeys(kind for _, kind in sorted(found)))


def negated(left: str, start: int) -> bool:
    """Whether the words before a thing say that it must be absent."""
    begin, _ = sentence_around(left, start)
    return pattern_of("negation").search(left[begin:start]) is not None
