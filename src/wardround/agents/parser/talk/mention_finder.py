"""Finding the things a sentence names: known words first, then what stands where a thing may."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from wardround.agents.parser.talk.attribute_words import said_in
from wardround.agents.parser.talk.patterns import (
    MentionPattern,
    about_words,
    bounds,
    meaning,
    mentions,
    words_for,
)
from wardround.agents.parser.talk.patterns import phrase as pattern_of
from wardround.agents.parser.talk.request import Condition, Kind
from wardround.agents.parser.talk.vocabulary import Word, known_words

_LAB_AFTER = re.compile(
    r"^,? (?:lab|test|level|value|result|reading|measurement|concentration|count)s?\b"
)
_FEW_WORDS = r"(?: (?!(?:and|or|but|after|before)\b)[a-z]+){0,3}? "  # "a potassium that fell below"
_DRUG_CUE = re.compile(
    r"\b(?:prescri\w*|medic\w*|drugs?|dos\w+|order\w*|treat\w*|pills?|got|given|received|taking"
    r"|took|started)\b"
)
_DIAGNOSED = re.compile(r"\b(?:diagnos\w+|suffer\w*|known for)\b")

_NEAR = 20  # characters before a word in which another tells what it is

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


def find_things(text: str, left: str, spoken_of: Collection[Kind] = ()) -> list[Spot]:
    """All things named, in order.

    Args:
        text: a sentence, as said.
        left: the same in lower case, with what is understood already struck out.
        spoken_of: the kinds of record that were spoken of before.
    """
    spots: list[Spot] = []
    for spot in sorted(_known(text, left, spoken_of), key=lambda s: (s.start - s.end, s.start)):
        if "|" not in left[spot.start : spot.end]:
            spots.append(spot)
            left = strike(left, spot.start, spot.end)
    for table in ("facts", "mentions"):
        for pattern in mentions(table):
            for spot in _said(pattern, left):
                spots.append(spot)
                left = strike(left, spot.start, spot.end)
    return sorted(spots, key=lambda spot: spot.start)


def clean(said: str) -> str:
    """The words for a thing without what only introduces or ends them.

    >>> clean("any of the heart failure patients"), clean("certain conditions")
    ('heart failure', '')
    """
    said = said.strip(" ,.?!|'-")
    shorter = about_words("tail").sub("", about_words("lead").sub("", said)).strip()
    return "" if about_words("empty").fullmatch(shorter) or meaning("kinds", shorter) else shorter


def _known(text: str, left: str, spoken_of: Collection[Kind]) -> Iterator[Spot]:
    """Attributes and clinical words; of a word that is two things, what its sentence is about."""
    low = text.lower()
    for start, end, saying in said_in(left, spoken_of):
        condition = Condition(saying.kind, low[start:end], saying.column, saying.stored)
        yield Spot(start, end, condition)
    found = list(known_words(text))
    tests = {(word.start, word.end) for word in found if word.kind == "lab"}
    words = [w for w in found if _fits(w, low, left, (w.start, w.end) in tests)]
    for word in sorted(words, key=lambda word: _PREFERRED.index(word.kind)):
        yield Spot(word.start, word.end, _named(word.kind, low[word.start : word.end]))


_PREFERRED = ("drug", "class", "vital", "lab", "procedure", "diagnosis")


def _named(kind: str, said: str) -> Condition:
    return Condition("drug", said, column="class") if kind == "class" else Condition(kind, said)


def _fits(word: Word, text: str, left: str, is_test: bool) -> bool:
    """Whether a word can be of its kind where it stands."""
    of_drugs = _DRUG_CUE.search(left) is not None
    match word.kind:
        case "lab" | "vital":
            return _is_measured(word.end, text) or not of_drugs
        case "drug":
            return not is_test or (of_drugs and not _is_measured(word.end, text))
        case "procedure":
            return _DIAGNOSED.search(left[max(0, word.start - _NEAR) : word.start]) is None
        case "diagnosis":
            return _PURPOSE_OF.match(left[word.end :]) is None
        case _:
            return True


def _is_measured(end: int, text: str) -> bool:
    """Whether the words that follow speak of a test or put a bound on a number."""
    rest = text[end:]
    said = (limit.replace("{number}", r"\d") for limit in bounds().values())
    return _LAB_AFTER.match(rest) is not None or any(
        re.match(f"{_FEW_WORDS}(?:{pattern})", rest) for pattern in said
    )


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
    """A fact that needs no looking up."""
    return Condition(pattern.kind, column=pattern.column, negated=pattern.negated)


def cue_before(left: str, start: int, end: int) -> str:
    """The kind of record that the words nearest to a part of a sentence speak of, or ""."""
    cues = [
        (start - m.end() if m.end() <= start else 2 * (m.start() - end), kind)
        for kind, cue in words_for("cues").items()
        for m in cue.finditer(left)
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
    return pattern_of("negation").search(left[:start]) is not None


def chained(spots: Iterable[Spot], left: str) -> Iterator[tuple[Spot, str]]:
    """The spots, each with the word that joins it to one of the same kind before it, or ""."""
    before: Spot | None = None
    for spot in spots:
        joint = ""
        if before and before.condition.kind == spot.condition.kind:
            between = pattern_of("joint").fullmatch(left[before.end : spot.start])
            joint = (between["word"] or ",") if between else ""
        yield spot, joint
        before = spot
