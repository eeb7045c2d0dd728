"""What an interviewer knows of a database: columns, keys, values, and what is written of them."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import orjson

from wardround.agents.parser.columns import Domain, column_types, values_of
from wardround.agents.parser.interview.valuing import ValueFinder
from wardround.agents.parser.linking import ValueIndex
from wardround.agents.parser.nouns import noun_of
from wardround.ehr.database import Database
from wardround.ehr.values.embedders import WordLlamaEmbedder

_MEANING = re.compile(r"^- (\w+)\.([\w.]+): (.+)$", re.M)
_ENTRY = re.compile(r'^- (\{"id":.*\})$', re.M)

# Keys, units and figures are said as such, not as names.
_UNSAID = re.compile(r"_id$|_code$|uom|_unit|^unit|abbrev|_val", re.IGNORECASE)

# What is as far from a column's description as this is not called by it.
_LEAST = 0.38
_LITTLE = 0.1
_SAME_NAME = 0.5
# What is as near as another is told from it no more finely; the first then counts.
_STEPS = 20


class Column(NamedTuple):
    """A column; `kind` is "text", "whole", "number" or "time"."""

    table: str
    name: str
    kind: str

    @property
    def sql(self) -> str:
        """Its name with its table's."""
        return f"{self.table}.{self.name}"

    @property
    def is_key(self) -> bool:
        """Whether it identifies something."""
        return bool(re.search(r"_id$|^itemid$|_code$|_version$", self.name))


@dataclass(frozen=True)
class Chart:
    """A database as an interviewer sees it.

    Attributes:
        columns: All columns but row numbers.
        references: The table that a column's foreign key points to, by the column's SQL.
        values: Finds the values that a text names.
        table_names: The column that tells which table a row is of, by the table that has it.
        meanings: What is written of columns, by their SQL; what nothing is written of is absent.
        knowledge: The definitions of terms, by name.
    """

    columns: tuple[Column, ...]
    references: Mapping[str, str]
    values: ValueFinder
    table_names: Mapping[str, str]
    meanings: Mapping[str, str]
    knowledge: Mapping[str, str]

    def of(self, table: str) -> tuple[Column, ...]:
        """A table's columns."""
        return tuple(one for one in self.columns if one.table == table)

    def column(self, table: str, name: str) -> Column | None:
        """A column by its name."""
        return next((one for one in self.of(table) if one.name == name), None)

    def home(self, key: str) -> str:
        """The table with a row for each of what a key identifies; "" for none."""
        pointed = [to for sql, to in self.references.items() if sql.endswith(f".{key}")]
        return max(pointed, key=pointed.count, default="")

    def shared_key(self, one: str, other: str) -> str:
        """The narrowest key that two tables have; "" for none."""
        names = {column.name for column in self.of(other) if column.is_key}
        shared = [c.name for c in self.of(one) if c.name in names and self.home(c.name)]
        spread = {name: self._holders(name) for name in shared}
        return min(spread, key=lambda name: (spread[name], -shared.index(name)), default="")

    def ends(self, table: str) -> tuple[Column, Column] | None:
        """When a table's rows begin and end; None where they have no length."""
        times = [column for column in self.of(table) if column.kind == "time"]
        keys = [column for column in self.of(table) if column.is_key]
        return (times[0], times[1]) if len(times) == 2 and len(keys) > 1 else None

    def events_of(self, dictionary: str) -> tuple[tuple[str, str], ...]:
        """The tables whose rows a dictionary's entries are of, each with the key to it.

        What has times of its own is no dictionary.
        """
        if any(column.kind == "time" for column in self.of(dictionary)):
            return ()
        return tuple(
            (sql.split(".")[0], sql.split(".")[1])
            for sql, to in self.references.items()
            if to == dictionary and not sql.endswith("_version")
        )

    def linked(
        self, phrase: str, kinds: tuple[str, ...] = (), tables: Collection[str] = ()
    ) -> Column | None:
        """The column that a phrase means.

        Args:
            phrase: Some words.
            kinds: Its kind is one of these, and then it is no key; () for any.
            tables: Where to look, when it is sure that it is one of their columns.
        """
        scores = self._scores(phrase)
        fits = [
            at
            for at, one in enumerate(self.columns)
            if not kinds or (one.kind in kinds and not one.is_key)
            if not tables or one.table in tables
        ]
        best = max(fits, key=lambda at: (round(float(scores[at]) * _STEPS), -at), default=None)
        least = _LITTLE if tables else _LEAST
        return None if best is None or scores[best] < least else self.columns[best]

    def _scores(self, phrase: str) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
        asked = WordLlamaEmbedder().encode([phrase.lower()])[0]
        said = {word.rstrip("s") for word in re.findall(r"[a-z]+", phrase.lower())}
        named = [_SAME_NAME * _share(words, said) for words in self._names]
        return np.asarray(self._vectors @ asked + named, dtype=np.float32)

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words that columns are named by."""
        return frozenset(word for one in self.columns for word in _in_words(one.name).split())

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words that columns are named or described by."""
        described = (word for text in self.meanings.values() for word in text.lower().split())
        return self.name_words | frozenset(described)

    @cached_property
    def _names(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(re.findall(r"[a-z]+", one.name.lower())) for one in self.columns)

    @cached_property
    def _vectors(self) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        described = [self._described(one) for one in self.columns]
        return WordLlamaEmbedder().encode(described)

    def _described(self, one: Column) -> str:
        words = noun_of(one.sql) if one.is_key else _in_words(one.name)
        meaning = re.sub(r"\(refers to.*?\)", "", self.meanings.get(one.sql, ""))
        return f"{words}: {meaning}" if meaning else f"{words} of {one.table.replace('_', ' ')}"

    def _holders(self, key: str) -> int:
        return sum(one.name == key for one in self.columns)


def _in_words(name: str) -> str:
    """A column's name as words.

    >>> _in_words("admittime"), _in_words("org_name")
    ('admit time', 'org name')
    """
    return re.sub(r"(?<=[a-z]{2})(time|date|unit)$", r" \1", name.replace("_", " "))


def _share(words: frozenset[str], said: set[str]) -> float:
    """Whether all words of a name are said, or all that is said is in it."""
    singular = {word.rstrip("s") for word in words}
    if singular <= said:
        return 1.0
    return 0.5 if said and said <= singular else 0.0


@dataclass(frozen=True)
class Shape:
    """What a database itself tells: columns, foreign keys, values."""

    columns: tuple[Column, ...]
    references: Mapping[str, str]
    values: ValueFinder
    table_names: Mapping[str, str]

    def with_texts(self, *texts: str) -> Chart:
        """The chart, with what a room tells in words: an instruction's text, or tools' JSON."""
        meanings = {key: value for text in texts for key, value in _meanings(text)}
        knowledge = {name: text for one in texts for name, text in _entries(one)}
        told = (meanings, knowledge)
        return Chart(self.columns, self.references, self.values, self.table_names, *told)


def shape_of(database: Database) -> Shape:
    """Reads what a database has."""
    types = column_types(database)
    columns = tuple(
        Column(table, name, kind)
        for table in types
        for name, kind in types[table].items()
        if name != "row_id"
    )
    references = {
        f"{table.lower()}.{one.name.lower()}": one.references.split("(")[0].lower()
        for table in database.tables()
        for one in database.columns(table)
        if one.references
    }
    texts = [one for one in columns if one.kind == "text" and not _UNSAID.search(one.name)]
    names = _table_names(texts, {one.table for one in columns}, database)
    index = ValueIndex(_domains(texts, names, database), database)
    return Shape(columns, references, ValueFinder(index), names)


def _table_names(texts: list[Column], tables: set[str], database: Database) -> dict[str, str]:
    """By table the column whose values are names of tables."""
    return {
        one.table: one.name
        for one in texts
        if set(values_of(Domain(one.table, one.name), database)) <= tables
    }


def _domains(texts: list[Column], names: Mapping[str, str], database: Database) -> Iterator[Domain]:
    """The columns of text; where another tells which table a row is of, by that."""
    for one in texts:
        other = names.get(one.table, one.name)
        named = values_of(Domain(one.table, other), database) if other != one.name else []
        yield from (Domain(one.table, one.name, ((other, name),)) for name in named)
        if not named:
            yield Domain(one.table, one.name)


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    for found in _MEANING.finditer(text):
        yield f"{found[1]}.{found[2]}".lower(), found[3]
    loaded = _json(text)
    if isinstance(loaded, dict):
        yield from ((str(name).lower(), str(value)) for name, value in loaded.items())


def _entries(text: str) -> Iterator[tuple[str, str]]:
    loaded = _json(text)
    listed = loaded if isinstance(loaded, list) else map(orjson.loads, _ENTRY.findall(text))
    for one in listed:
        yield str(one["knowledge"]), str(one["definition"])


def _json(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
