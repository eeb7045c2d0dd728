"""Answers questions by the grammar: reads values, composes a query, renders it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wardround.agents.parser.columns import ColumnTypes, Domain
from wardround.agents.parser.grammar.composition import compose
from wardround.agents.parser.grammar.condition_state import NotRecordedError, NotUnderstoodError
from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.records import (
    grammar_views,
    map_of,
    present_views,
    read_texts,
    read_vocabulary,
)
from wardround.agents.parser.grammar.tagger import Item, item_links, tag
from wardround.agents.parser.grammar.value_conditions import PREFERRED
from wardround.agents.parser.names.alias_finder import AliasFinder
from wardround.agents.parser.names.name_parts import at_an_end, in_the_head
from wardround.agents.parser.names.value_index import Mention, Names, ValueIndex
from wardround.agents.parser.question_reader import Reading, read, with_mentions
from wardround.agents.parser.tokens import Word, words
from wardround.ehr.database import Database
from wardround.ehr.query import Link, Period, Query, Words, link, open_words, to_sql, to_words
from wardround.ehr.records import RecordMap, Role, Views, dialect_of
from wardround.ehr.times import TimeFilter, time_filter
from wardround.ehr.times.model import Calendar

_SHOWN = 40

# Numbers of fewer digits are identifiers only behind such a word.
_ID_DIGITS = 5
_OWNERS = frozenset(
    [
        *("patient", "person", "subject", "pt", "admission", "stay", "visit", "hospitalization"),
        *("id", "number", "no", "nr", "#", "."),
    ]
)

_YEARS = range(1900, 2400)
_MONTHS_OF_YEAR = 12


@dataclass(frozen=True, slots=True)
class Composed:
    """A question that was composed.

    Attributes:
        sql: The query, which leaves the current time open.
        understood: What it asks for, a sentence each.
        linked: What recorded names its words stand for, a sentence each.
    """

    query: Query
    sql: str
    understood: tuple[str, ...]
    reading: Reading
    linked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotComposed:
    """A question that was not composed.

    Attributes:
        items: The words that fit nowhere; empty where the question states no goal.
        missing: The kind of record, or its column, that the records of the database lack.
    """

    items: tuple[Item, ...]
    reading: Reading
    missing: Role | None = None


def read_grammar(columns: ColumnTypes, database: Database) -> "Grammar | None":
    """The grammar over the records of a database; None for a layout that it does not know."""
    records = map_of(columns)
    return grammar_of(records, database) if records else None


def grammar_of(records: RecordMap, database: Database) -> "Grammar":
    """The grammar over the records of a map."""
    views = present_views(grammar_views(records, dialect_of(database)), database)
    texts = read_texts(records, views, database)
    return Grammar(views, texts, *read_vocabulary(views, texts, database))


@dataclass(frozen=True)
class Grammar:
    """The grammar over the values of a database.

    Attributes:
        views: Its records.
        texts: The recorded texts of each column that questions name.
        synonyms: Other names that the records themselves give, with the recorded texts.
        classes: Classes that the records themselves give, with the recorded texts in them.
    """

    views: Views
    texts: Mapping[Role, tuple[str, ...]]
    synonyms: Names = field(default_factory=dict)
    classes: Names = field(default_factory=dict)

    def compose(self, question: str) -> Composed | NotComposed:
        """The query of a question, with exact names or else with other names."""
        refused: NotComposed | None = None
        for reading in self._readings(question):
            items = self._items(reading)
            try:
                asked = compose(items, _first_word(reading), self.views)
            except NotUnderstoodError as error:
                if error.items or refused is None:
                    missing = error.role if isinstance(error, NotRecordedError) else None
                    refused = NotComposed(error.items, reading, missing)
                continue
            query = link(asked, item_links(items))
            sql = to_sql(query, self.views)
            others = self.texts if self._has_terms else {}
            linked = tuple(linked_names(asked, reading, others, self.synonyms))
            return Composed(query, sql, to_words(query), reading, linked)
        return refused or NotComposed((), read(question, self._index))

    def tagged(self, question: str) -> tuple[Reading, list[Item]]:
        """The items of a question, with all names that are found, whatever it asks for."""
        *_, reading = self._readings(question)
        return reading, self._items(reading)

    def link(self, role: Role, words: Words) -> Link | None:
        """The texts by which a column names words, or else those that contain them."""
        linked = [
            text
            for reading in self._readings(words.text)
            for mention in reading.mentions
            for text in mention.values.get(Domain(*role), ())
        ]
        part = words.text.lower()
        texts = linked or [text for text in self.texts[role] if part in text.lower()]
        return Link(role, tuple(dict.fromkeys(texts))) if texts else None

    def _readings(self, question: str) -> Iterator[Reading]:
        exact = _without_bare_numbers(read(question, self._index))
        spelled = [self._as_spelled(mention, exact) for mention in exact.mentions]
        yield with_mentions(question, exact.words, spelled)
        for mentions in sorted(self._aliases.find(exact), key=self._preference):
            yield with_mentions(question, exact.words, mentions)

    def _as_spelled(self, mention: Mention, reading: Reading) -> Mention:
        """The mention with the texts of its words that the question spells, or with all of them.

        The members of a class are not spelled alike.
        """
        low = reading.question.lower()
        written = _letters(reading.name_of(mention))
        values = {}
        for domain, texts in mention.values.items():
            names = set(map(_letters, texts))
            same = [t for t in self.texts[Role(*domain[:2])] if _letters(t) in names]
            equal = [t for t in same if _letters(t) == written]
            spelled = [t for t in equal if t.lower() in low] or equal
            values[domain] = (*spelled, *(t for t in same if t not in equal))
        return mention._replace(values=values)

    def _preference(self, mentions: Sequence[Mention]) -> int:
        """The place of the kind of record that the other names are resolved in."""
        kinds = {domain.table for mention in mentions for domain in mention.aliases}
        return min((PREFERRED.index(kind) for kind in kinds & set(PREFERRED)), default=9)

    def _items(self, reading: Reading) -> list[Item]:
        return join_year_parts(tag(reading, self.texts))

    @property
    def _has_terms(self) -> bool:
        """True if the records have a vocabulary, even an empty one."""
        return self.views.has("synonym") or self.views.has("class")

    @cached_property
    def _index(self) -> ValueIndex:
        return ValueIndex(
            {
                Domain(*role): tuple(text for text in texts if any(map(str.isalnum, text)))
                for role, texts in self.texts.items()
            },
            synonyms=self.synonyms,
            classes=self.classes,
        )

    @cached_property
    def _aliases(self) -> AliasFinder:
        """Finds other names; with a vocabulary at hand a part of a term has to be of its head."""
        is_part = in_the_head if self._has_terms else at_an_end
        return AliasFinder(self._index, known_words(), is_part)


def _without_bare_numbers(reading: Reading) -> Reading:
    """The reading without short numbers that no word makes identifiers: ages, years, counts."""
    named = [mention for mention in reading.mentions if not _is_bare_number(mention, reading.words)]
    if len(named) == len(reading.mentions):
        return reading
    return with_mentions(reading.question, reading.words, named)


def _is_bare_number(mention: Mention, words: Sequence[Word]) -> bool:
    text = words[mention.first].text
    before = words[mention.first - 1].text if mention.first else ""
    is_short = mention.last == mention.first + 1 and text.isdigit() and len(text) < _ID_DIGITS
    return is_short and before not in _OWNERS


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _first_word(reading: Reading) -> str:
    return next((word.text for word in reading.words), "")


def linked_names(
    query: Query,
    reading: Reading,
    texts: Mapping[Role, Sequence[str]],
    synonyms: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """A sentence on each name of a question that stands for other or several recorded names.

    All recorded names are listed, and those that have the words too but are not counted.

    Args:
        query: The query of the question before its words are linked.
        reading: The question.
        texts: The recorded names that may have the words of others; empty if none are looked for.
        synonyms: Other names that the records give, with the recorded names.
    """
    used = {each for part in (*query.conditions, *query.part) for each in open_words(part)}
    for mention in reading.mentions:
        for domain, values in mention.values.items():
            role = Role(domain.table, domain.column)
            written = reading.written(mention.first, mention.last)
            is_used = (role, Words(written)) in used
            if is_used and [value.lower() for value in values] != [written.lower()]:
                named = [_with_synonym(value, written, synonyms) for value in values]
                yield f'"{written}" stands for {_listed(named)}.'
            if is_used and (left := _left_out(written, texts.get(role, ()), values)):
                listed = _listed([f"'{text}'" for text in left])
                yield f'Not counted, though "{written}" is a part: {listed}.'


def _left_out(written: str, recorded: Sequence[str], counted: Sequence[str]) -> tuple[str, ...]:
    """The recorded names that have all words of a name and are not counted."""
    others = (text for text in recorded if text not in counted)
    return tuple(text for text in others if _has_words(text, written))


def _with_synonym(value: str, written: str, synonyms: Mapping[str, Sequence[str]]) -> str:
    """A recorded name, with its synonym that has the words of a question if it has them not."""
    if not _has_words(value, written):
        for other, values in synonyms.items():
            if value in values and _has_words(other, written):
                return f"'{value}' (also called '{other}')"
    return f"'{value}'"


def _has_words(text: str, written: str) -> bool:
    return {w.text for w in words(written) if w.text.isalnum()} <= {w.text for w in words(text)}


def _listed(texts: Sequence[str]) -> str:
    left = len(texts) - _SHOWN
    shown = ", ".join(texts[:_SHOWN])
    return f"{shown} and {left} more" if left > 0 else shown


def join_year_parts(items: Sequence[Item]) -> list[Item]:
    """The items with "first half of 2100" and "between March and May 2100" as one time each."""
    joined: list[Item] = []
    at = 0
    while at < len(items):
        item, end = _time_at(items, at)
        joined.append(item)
        at = end
    return joined


def _time_at(items: Sequence[Item], at: int) -> tuple[Item, int]:
    """The time that begins at an item, or the item; and the position after it."""
    item = items[at]
    if part := item.meaning("part"):
        number, of = map(int, part.split())
        end = next((n for n in range(at + 1, min(at + 4, len(items))) if _year(items[n])), None)
        if end is not None and all(entry.is_harmless for entry in items[at + 1 : end]):
            months = _MONTHS_OF_YEAR // of
            run = _run(_year(items[end]), months * (number - 1) + 1, months * number)
            return replace(item, last=items[end].last, meanings={}, periods=run), end + 1
    is_opening = item.means("compare", "between") or item.is_harmless
    if is_opening and (run := _months(items[at + 1 : at + 4])):
        return replace(item, last=items[at + 3].last, meanings={}, periods=run), at + 4
    return item, at + 1


def _year(item: Item) -> int:
    """The year that an item is; 0 if it is none."""
    if item.number in _YEARS:
        return int(item.number or 0)
    filters = _filters(item)
    is_year = len(filters) == 1 and filters[0].template.id == "abs-year-in"
    return filters[0].values["year"] if is_year else 0


def _filters(item: Item) -> list[TimeFilter]:
    return [each.filter for each in item.periods if isinstance(each.filter, TimeFilter)]


def _months(items: Sequence[Item]) -> tuple[Period, ...]:
    """The run of "March", "and", "May 2100"."""
    if len(items) < 3 or not items[0].means("month"):
        return ()
    if not (items[1].means("link", "and") or items[1].is_harmless):
        return ()
    last = _filters(items[2])
    if len(last) != 1 or last[0].template.meaning != Calendar("month", "="):
        return ()
    first, values = int(items[0].meaning("month")), last[0].values
    return _run(values["year"], first, values["month"]) if first < values["month"] else ()


def _run(year: int, first: int, last: int) -> tuple[Period, ...]:
    """The months from the first to the last of a year."""
    since = time_filter("abs-month-since", year=year, month=first)
    until = time_filter("abs-month-until", year=year, month=last)
    return Period(since), Period(until)
