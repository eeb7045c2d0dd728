"""Tags a question with the items of the lexicon and the values of the database."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wardround.agents.parser.grammar.lexicon import (
    HARMLESS,
    WORDS,
    Meaning,
    Phrase,
    lexicon,
    prefixes,
)
from wardround.agents.parser.names.alias_index import PART
from wardround.agents.parser.names.value_index import Mention
from wardround.agents.parser.question_reader import Reading
from wardround.ehr.query import Link, Links, Period, Words
from wardround.ehr.records import Role
from wardround.ehr.text.segments import sentences
from wardround.ehr.times import TimeFilter, template
from wardround.ehr.times import model as times

_CALENDAR = times.Period | times.Ago | times.Calendar | times.Part
_TO_BE_AND_HAVE = ("is", "are", "was", "were", "be", "been", "has", "have", "had")
_FINITE = frozenset((*_TO_BE_AND_HAVE, "do", "does", "did", "who", "that"))
_SEPARATOR = re.compile(r"[^\w]+")

Values = Mapping[Role, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a question with its meanings.

    Attributes:
        first, last: Range of the words; `last` is exclusive.
        meanings: The meanings of a phrase of the lexicon, by kind.
        values: The recorded texts that it names, by role.
        periods: The time that it names, which meets all of them.
        number: The number that it names.
        written: The words of the question, if they name values.
        is_part: Whether it is only a part of the names of its values.
        is_finite: Whether it is a verb that begins a predicate, such as "are".
        sentence: The number of its sentence.
    """

    first: int
    last: int
    meanings: Mapping[str, tuple[str, ...]]
    values: Values
    periods: tuple[Period, ...] = ()
    number: float | None = None
    written: str = ""
    is_part: bool = False
    is_finite: bool = False
    sentence: int = 0

    def means(self, kind: str, *names: str) -> bool:
        """True if it has a meaning of a kind, by any name or by one of those given."""
        meanings = self.meanings.get(kind, ())
        return bool(meanings) if not names else any(name in meanings for name in names)

    def meaning(self, kind: str) -> str:
        """Its first meaning of a kind; "" if it has none."""
        return next(iter(self.meanings.get(kind, ())), "")

    @property
    def is_harmless(self) -> bool:
        """True if the question means the same without it."""
        return HARMLESS in self.meanings

    @property
    def is_unknown(self) -> bool:
        """True for a word without a meaning."""
        return not (self.meanings or self.values or self.periods or self.number is not None)


def tag(reading: Reading, texts: Mapping[Role, Sequence[str]]) -> list[Item]:
    """The items of a question from left to right; an unknown word is an item without meaning.

    Args:
        reading: The question with the values that it names.
        texts: The recorded texts of each column that lay words stand for.
    """
    tokens = tuple(word.text for word in reading.words)
    starts = [span.start for span in sentences(reading.question, "en")]
    times = {time.first: time for time in reading.times if _is_condition(time.filter)}
    spans = {time.first: time for time in reading.times if _is_span(time.filter)}
    numbers = {number.at: number.value for number in reading.numbers}
    mentions = {mention.first: mention for mention in reading.mentions}
    items: list[Item] = []
    at = 0
    while at < len(tokens):
        last, meanings = _longest_phrase(tokens, at)
        mention = mentions.get(at)
        if at in spans:
            item = Item(at, spans[at].last, {"span": (_length(spans[at].filter),)}, {})
        elif at in times:
            period = _period(tokens[at], times[at].filter)
            item = Item(at, times[at].last, {}, {}, periods=(period,))
        elif mention and mention.last >= last and (mention.last > last or not meanings):
            is_part = any(alias.probability == PART for alias in mention.aliases.values())
            item = Item(at, mention.last, {}, _values(mention), is_part=is_part)
        elif at in numbers and last == at + 1:
            item = Item(at, last, _by_kind(meanings), {}, number=numbers[at])
        elif lay := [entry.name for entry in meanings if entry.kind == WORDS]:
            item = Item(at, last, _by_kind(meanings), _lay_values(lay, texts))
        else:
            same = _values(mention) if mention and mention.last == last else {}
            is_finite = tokens[at] in _FINITE
            item = Item(at, last, _by_kind(meanings), same, is_finite=is_finite)
        written = reading.written(at, item.last) if item.values else ""
        sentence = bisect_right(starts, reading.words[at].start)
        items.append(replace(item, written=written, sentence=sentence))
        at = item.last
    return items


def item_links(items: Sequence[Item]) -> Links:
    """The links of the words of items to the texts that they name."""
    texts = {(role, item.written): named for item in items for role, named in item.values.items()}

    def find(role: Role, words: Words) -> Link | None:
        named = texts.get((role, words.text))
        return Link(role, named) if named else None

    return find


def _is_condition(filter: TimeFilter) -> bool:
    """True if a time compares the time of a record with the calendar."""
    return isinstance(filter.template.meaning, _CALENDAR)


def _is_span(filter: TimeFilter) -> bool:
    """True for how far apart two records are at most: "within 2 days"."""
    return isinstance(filter.template.meaning, times.Following)


def _length(filter: TimeFilter) -> str:
    """A number and a unit."""
    ((unit, number),) = filter.values.items()
    return f"{number} {unit}"


def _period(first_word: str, filter: TimeFilter) -> Period:
    """The period of a time; one before or after a calendar date leaves out the date itself."""
    before, after = filter.template.id.endswith("-until"), filter.template.id.endswith("-since")
    if (first_word == "before" and before) or (first_word == "after" and after):
        kind = filter.template.id.rsplit("-", 1)[0]
        return Period(
            TimeFilter(template(f"{kind}-{'since' if before else 'until'}"), filter.values), True
        )
    return Period(filter)


def _longest_phrase(tokens: Sequence[str], first: int) -> tuple[int, Sequence[Meaning]]:
    """The end and the meanings of the longest phrase at a position."""
    longest: tuple[int, Sequence[Meaning]] = (first + 1, ())
    phrase: Phrase = ()
    for last in range(first, len(tokens)):
        phrase = (*phrase, tokens[last])
        if meanings := lexicon().get(phrase):
            longest = last + 1, meanings
        if phrase not in prefixes():
            break
    return longest


def _by_kind(meanings: Sequence[Meaning]) -> Mapping[str, tuple[str, ...]]:
    kinds = dict.fromkeys(meaning.kind for meaning in meanings)
    return {kind: tuple(item.name for item in meanings if item.kind == kind) for kind in kinds}


def _values(mention: Mention) -> Values:
    return {Role(domain.table, domain.column): texts for domain, texts in mention.values.items()}


def _lay_values(names: Sequence[str], texts: Mapping[Role, Sequence[str]]) -> Values:
    """The recorded texts for lay words such as "admission.marital.married"."""
    return {role: values for role, values in _lay_entries(names, texts) if values}


def _lay_entries(
    names: Sequence[str], texts: Mapping[Role, Sequence[str]]
) -> Iterator[tuple[Role, tuple[str, ...]]]:
    for name in names:
        kind, column, parts = name.split(".", 2)
        role = Role(kind, column)
        yield (
            role,
            tuple(
                text for text in texts.get(role, ()) if any(_has(text, p) for p in parts.split("|"))
            ),
        )


def _has(text: str, part: str) -> bool:
    """True if a recorded text has a part, or is equal to a part that begins with "="."""
    text = text.lower()
    return (
        text == part[1:] if part.startswith("=") else f" {part}" in f" {_SEPARATOR.sub(' ', text)}"
    )
