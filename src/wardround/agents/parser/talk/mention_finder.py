"""Finds mentions of things in a sentence: known terms first, then unknown ones by pattern."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from wardround.agents.parser.talk.patterns import (
    MentionPattern,
    bounds,
    meaning_of,
    mention_patterns,
    word_pattern,
    word_patterns,
)
from wardround.agents.parser.talk.patterns import phrase as pattern_of
from wardround.agents.parser.talk.request import Clause, Kind, clause
from wardround.agents.parser.talk.vocabulary import Term, find_terms
from wardround.core.packaged_data import read_rows
from wardround.ehr.query import Condition, Words

_LAB_AFTER = re.compile(
    r"^,? (?:lab|test|level|value|result|reading|measurement|concentration|count)s?\b"
)
_FEW_WORDS = r"(?: (?!(?:and|or|but|after|before)\b)[a-z]+){0,3}? "  # "a potassium that fell below"
_DRUG_CUE = re.compile(
    r"\b(?:prescri\w*|medic\w*|drugs?|dos\w+|order\w*|treat\w*|pills?|got|given|received?|taking|took"
    r"|started|(?<!to )get(?! (?:me|us|the)\b))\b"
)
_DIAGNOSED = re.compile(r"\b(?:diagnos\w+|suffer\w*|known for)\b")

_NEAR = 20  # characters before a term in which a cue counts

# "Pain medicines" and "diabetes tests" name a purpose, not a diagnosis.
_PURPOSE_OF = re.compile(r"^ (?:medic\w+|drugs?|pills?|meds|tests?|treatments?|therap\w+)\b")
# An organism is named before the culture that it grew in, as in "E. coli in a blood culture".
_CULTURED = re.compile(r"^ (?:in|on|from) (?:[a-z]+ ){0,2}?(?:cultures?|specimens?|swabs?)\b")


class Mention(NamedTuple):
    """A clause worded at `text[start:end]`."""

    start: int
    end: int
    condition: Clause

    def changed(self, **changes: Any) -> "Mention":
        """The mention with parts of its clause changed."""
        return self._replace(condition=replace(self.condition, **changes))

    def stating(self, **changes: Any) -> "Mention":
        """The mention with parts of the condition of its clause changed."""
        return self._replace(condition=self.condition.changed(**changes))

    def worded(self, **changes: Any) -> "Mention":
        """The mention with parts of the words of its clause changed."""
        return self._replace(condition=self.condition.worded(**changes))


def mask_span(text: str, start: int, end: int) -> str:
    """The text with a range masked; positions stay.

    >>> mask_span("on lasix", 3, 8)
    'on |||||'
    """
    return text[:start] + "|" * (end - start) + text[end:]


def find_mentions(text: str, remaining: str, spoken_of: Collection[Kind] = ()) -> list[Mention]:
    """All mentions, in order.

    Args:
        text: A sentence.
        remaining: The same in lower case, with what was read before masked.
        spoken_of: The kinds of record mentioned before.
    """
    mentions: list[Mention] = []
    for mention in sorted(
        _known(text, remaining, spoken_of), key=lambda s: (s.start - s.end, s.start)
    ):
        if "|" not in remaining[mention.start : mention.end]:
            mentions.append(mention)
            remaining = mask_span(remaining, mention.start, mention.end)
    for table in ("facts", "mentions"):
        for pattern in mention_patterns(table):
            for mention in _pattern_mentions(pattern, remaining):
                mentions.append(mention)
                remaining = mask_span(remaining, mention.start, mention.end)
    return sorted((_grown(each, text.lower()) for each in mentions), key=lambda each: each.start)


def _grown(mention: Mention, text: str) -> Mention:
    """The mention as an organism if it is in a culture."""
    named = mention.condition
    is_grown = named.kind == "diagnosis" and _CULTURED.match(text[mention.end :])
    return mention._replace(condition=clause("culture", named.phrase)) if is_grown else mention


def clean(wording: str) -> str:
    """The words for a thing without words that only introduce or end them.

    >>> clean("any of the heart failure patients"), clean("certain conditions")
    ('heart failure', '')
    """
    wording = wording.strip(" ,.?!|'-")
    shorter = word_pattern("tail").sub("", word_pattern("lead").sub("", wording)).strip()
    return (
        "" if word_pattern("empty").fullmatch(shorter) or meaning_of("kinds", shorter) else shorter
    )


def _known(text: str, remaining: str, spoken_of: Collection[Kind]) -> Iterator[Mention]:
    """Mentions of attributes and clinical terms; ambiguous terms are resolved by the sentence."""
    low = text.lower()
    for start, end, attribute in find_attributes(remaining, spoken_of):
        named = Words(low[start:end], names=attribute.stored)
        yield Mention(start, end, Clause(Condition(attribute.kind), named, attribute.column))
    terms = list(find_terms(text))
    tests = {(word.start, word.end) for word in terms if word.kind == "lab"}
    words = [w for w in terms if _fits(w, low, remaining, (w.start, w.end) in tests)]
    for word in sorted(words, key=lambda word: _PREFERRED.index(word.kind)):
        yield Mention(word.start, word.end, _named(word.kind, low[word.start : word.end]))


_PREFERRED = ("drug", "class", "vital", "lab", "procedure", "diagnosis")


def _named(kind: str, wording: str) -> Clause:
    return clause("drug", wording, "class") if kind == "class" else clause(kind, wording)


def _fits(word: Term, text: str, remaining: str, is_test: bool) -> bool:
    """True if a term can be of its kind in this context."""
    of_drugs = _DRUG_CUE.search(remaining) is not None
    match word.kind:
        case "lab" | "vital":
            return _is_measured(word.end, text) or not of_drugs
        case "drug":
            return not is_test or (of_drugs and not _is_measured(word.end, text))
        case "procedure":
            is_kind = meaning_of("kinds", text[word.start : word.end]) != ""
            before = remaining[max(0, word.start - _NEAR) : word.start]
            return not is_kind and _DIAGNOSED.search(before) is None
        case "diagnosis":
            return _PURPOSE_OF.match(remaining[word.end :]) is None
        case _:
            return True


def _is_measured(end: int, text: str) -> bool:
    """True if the words that follow name a test or bound a number."""
    rest = text[end:]
    wording = (limit.replace("{number}", r"\d") for limit in bounds().values())
    return _LAB_AFTER.match(rest) is not None or any(
        re.match(f"{_FEW_WORDS}(?:{pattern})", rest) for pattern in wording
    )


def _pattern_mentions(pattern: MentionPattern, remaining: str) -> Iterator[Mention]:
    for match in pattern.say.finditer(remaining):
        groups = [name for name, wording in match.groupdict().items() if wording]
        if not groups:
            yield Mention(*match.span(), _stored(pattern))
            continue
        start, end = match.span(groups[0])
        wording = clean(remaining[start:end])
        if wording and (pattern.only is None or pattern.only.search(wording)):
            at = remaining.index(wording, start)
            named = clause(pattern.kind, wording, pattern.column)
            yield Mention(at, at + len(wording), named)


def _stored(pattern: MentionPattern) -> Clause:
    """A condition that needs no lookup."""
    return Clause(Condition(pattern.kind, is_negated=pattern.negated), column=pattern.column)


def nearest_cue(remaining: str, start: int, end: int) -> str:
    """The kind of record whose cue is nearest to a range, or ""."""
    cues = [
        (_distance(cue_match, start, end), kind)
        for kind, cue in word_patterns("cues").items()
        for cue_match in cue.finditer(remaining)
    ]
    return min(cues)[1] if cues else ""


def is_of_an_end(remaining: str, start: int, end: int) -> bool:
    """True if a time is that of a discharge or death, to which no cue of a record is nearer.

    >>> sentence = "how many of the patients admitted in may died in june"
    >>> is_of_an_end(sentence, 34, 40), is_of_an_end(sentence, 46, 53)
    (False, True)
    """
    ends = [_distance(match, start, end) for match in pattern_of("ending").finditer(remaining)]
    cues = (cue.finditer(remaining) for cue in word_patterns("cues").values())
    others = [_distance(match, start, end) for matches in cues for match in matches]
    return bool(ends) and min(ends) < min(others, default=len(remaining))


def _distance(cue: re.Match[str], start: int, end: int) -> int:
    """The characters between a cue and a range; a cue after it is twice as far."""
    return start - cue.end() if cue.end() <= start else 2 * (cue.start() - end)


def cues_in(remaining: str) -> list[str]:
    """The kinds of record that a text has cues of, in order."""
    cues = [
        (m.start(), kind)
        for kind, cue in word_patterns("cues").items()
        for m in cue.finditer(remaining)
    ]
    return list(dict.fromkeys(kind for _, kind in sorted(cues)))


def negated(remaining: str, start: int) -> bool:
    """True if the words before a mention negate it."""
    return pattern_of("negation").search(remaining[:start]) is not None


def with_conjunctions(mentions: Iterable[Mention], remaining: str) -> Iterator[tuple[Mention, str]]:
    """The mentions, each with the conjunction that joins it to one of its kind before it, or ""."""
    before: Mention | None = None
    for mention in mentions:
        conjunction = ""
        if before and before.condition.kind == mention.condition.kind:
            between = pattern_of("joint").fullmatch(remaining[before.end : mention.start])
            conjunction = (between["word"] or ",") if between else ""
        yield mention, conjunction
        before = mention


@dataclass(frozen=True, slots=True)
class AttributeWording:
    """Wordings of an attribute.

    Attributes:
        kind: The kind of record that has it.
        column: Its column.
        stored: The texts that records may hold, the likeliest first.
        cue: A pattern that the same sentence must match.
        wording: A pattern of the wordings.
    """

    kind: Kind
    column: str
    stored: tuple[str, ...]
    cue: re.Pattern[str]
    wording: re.Pattern[str]


@cache
def attribute_wordings() -> tuple[AttributeWording, ...]:
    """All packaged attributes, in the order of precedence."""
    rows = read_rows("wardround.agents.parser.talk", "attributes.tsv")
    return tuple(_attribute_wording(*row) for row in rows)


def find_attributes(
    sentence: str, spoken_of: Collection[Kind]
) -> Iterator[tuple[int, int, AttributeWording]]:
    """Every attribute in a lower-case sentence; ranges may overlap.

    Args:
        sentence: The sentence.
        spoken_of: Kinds of record mentioned before, which need no cue.
    """
    for attribute in attribute_wordings():
        if attribute.kind in spoken_of or attribute.cue.search(sentence):
            for match in attribute.wording.finditer(sentence):
                yield match.start(), match.end(), attribute


def _attribute_wording(
    kind: str, column: str, stored: str, cue: str, wording: str
) -> AttributeWording:
    either = "|".join(wording.split("; "))
    return AttributeWording(
        kind,
        column,
        tuple(stored.split("; ")),
        re.compile(cue),
        re.compile(rf"(?<![\w-])(?:{either})(?![\w-])"),
    )
