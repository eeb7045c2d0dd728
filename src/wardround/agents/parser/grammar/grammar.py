"""Answers questions by the grammar: reads values, composes a query, renders it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.agents.parser.alias_finder import AliasFinder
from wardround.agents.parser.columns import ColumnTypes, Domain
from wardround.agents.parser.grammar.composition import compose
from wardround.agents.parser.grammar.condition_state import NotRecordedError, NotUnderstoodError
from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.records import (
    grammar_views,
    map_of,
    present_views,
    read_texts,
)
from wardround.agents.parser.grammar.tagger import Item, tag
from wardround.agents.parser.grammar.value_conditions import PREFERRED
from wardround.agents.parser.grammar.year_parts import join_year_parts
from wardround.agents.parser.question_reader import Reading, read, with_mentions
from wardround.agents.parser.value_index import Mention, ValueIndex
from wardround.ehr.database import Database
from wardround.ehr.query import Query, to_sql, to_words
from wardround.ehr.records import RecordMap, Role, Views, dialect_of


@dataclass(frozen=True, slots=True)
class Composed:
    """A question that was composed.

    Attributes:
        sql: The query, which leaves the current time open.
        understood: What it asks for, a sentence each.
    """

    query: Query
    sql: str
    understood: tuple[str, ...]
    reading: Reading


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
    return Grammar(views, read_texts(records, views, database))


@dataclass(frozen=True)
class Grammar:
    """The grammar over the values of a database.

    Attributes:
        views: Its records.
        texts: The recorded texts of each column that questions name.
    """

    views: Views
    texts: Mapping[Role, tuple[str, ...]]

    def compose(self, question: str) -> Composed | NotComposed:
        """The query of a question, with exact names or else with other names."""
        refused: NotComposed | None = None
        for reading in self._readings(question):
            try:
                query = compose(self._items(reading), _first_word(reading), self.views)
            except NotUnderstoodError as error:
                if error.items or refused is None:
                    missing = error.role if isinstance(error, NotRecordedError) else None
                    refused = NotComposed(error.items, reading, missing)
                continue
            sql = to_sql(query, self.views)
            return Composed(query, sql, to_words(query), reading)
        return refused or NotComposed((), read(question, self._index))

    def _readings(self, question: str) -> Iterator[Reading]:
        exact = read(question, self._index)
        spelled = [self._as_spelled(mention, question) for mention in exact.mentions]
        yield with_mentions(question, exact.words, spelled)
        for mentions in sorted(self._aliases.find(exact), key=self._preference):
            yield with_mentions(question, exact.words, mentions)

    def _as_spelled(self, mention: Mention, question: str) -> Mention:
        """The mention with the texts of its words that the question spells, or with all of them."""
        low = question.lower()
        values = {}
        for domain, (text, *_) in mention.values.items():
            name = _letters(text)
            same = [t for t in self.texts[Role(*domain[:2])] if _letters(t) == name]
            values[domain] = tuple(t for t in same if t.lower() in low) or tuple(same)
        return mention._replace(values=values)

    def _preference(self, mentions: Sequence[Mention]) -> int:
        """The place of the kind of record that the other names are resolved in."""
        kinds = {domain.table for mention in mentions for domain in mention.aliases}
        return min((PREFERRED.index(kind) for kind in kinds & set(PREFERRED)), default=9)

    def _items(self, reading: Reading) -> list[Item]:
        return join_year_parts(tag(reading, self.texts))

    @cached_property
    def _index(self) -> ValueIndex:
        return ValueIndex(
            {
                Domain(*role): tuple(text for text in texts if any(map(str.isalnum, text)))
                for role, texts in self.texts.items()
            }
        )

    @cached_property
    def _aliases(self) -> AliasFinder:
        return AliasFinder(self._index, known_words())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _first_word(reading: Reading) -> str:
    return next((word.text for word in reading.words), "")
