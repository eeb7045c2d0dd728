"""Answers questions by the grammar: reads values, composes a query, renders it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.agents.parser.alias_finder import AliasFinder
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.grammar.composition import compose
from wardround.agents.parser.grammar.conditions import PREFERRED, NotUnderstoodError
from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.query import Query
from wardround.agents.parser.grammar.query_sql import render_query
from wardround.agents.parser.grammar.records import Records, Role
from wardround.agents.parser.grammar.tagger import Item, tag
from wardround.agents.parser.question_reader import Reading, read, with_mentions
from wardround.agents.parser.value_index import Mention, ValueIndex
from wardround.ehr.times import Dialect


@dataclass(frozen=True, slots=True)
class Composed:
    """A question that was composed.

    Attributes:
        sql: The query, which leaves the current time open.
    """

    query: Query
    sql: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class NotComposed:
    """A question that was not composed.

    Attributes:
        items: The words that fit nowhere; empty where the question states no goal.
    """

    items: tuple[Item, ...]
    reading: Reading


@dataclass(frozen=True)
class Grammar:
    """The grammar over the values of a database.

    Attributes:
        records: The records of its layout.
        texts: The recorded texts of each column that questions name.
        dialect: The SQL dialect.
    """

    records: Records
    texts: Mapping[Role, tuple[str, ...]]
    dialect: Dialect

    def compose(self, question: str) -> Composed | NotComposed:
        """The query of a question, with exact names or else with other names."""
        refused: NotComposed | None = None
        for reading in self._readings(question):
            try:
                query = compose(self._items(reading), _first_word(reading), self.records)
            except NotUnderstoodError as error:
                if error.items or refused is None:
                    refused = NotComposed(error.items, reading)
                continue
            return Composed(query, render_query(query, self.records, self.dialect), reading)
        return refused or NotComposed((), read(question, self._index))

    def _readings(self, question: str) -> Iterator[Reading]:
        exact = read(question, self._index)
        yield exact
        for mentions in sorted(self._aliases.find(exact), key=self._preference):
            yield with_mentions(question, exact.words, mentions)

    def _preference(self, mentions: Sequence[Mention]) -> int:
        """The place of the kind of record that the other names are resolved in."""
        kinds = {domain.table for mention in mentions for domain in mention.aliases}
        return min((PREFERRED.index(kind) for kind in kinds & set(PREFERRED)), default=9)

    def _items(self, reading: Reading) -> list[Item]:
        return tag(reading, self.texts)

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


def _first_word(reading: Reading) -> str:
    return next((word.text for word in reading.words), "")
