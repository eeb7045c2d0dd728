"""Recorded values of a database with the words that people have for them.

Words come from the packaged terms, and differ from what the records hold: brands, abbreviations,
lay names and other spellings (EHR-ChatQA, 4.2.2: value mismatch).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.chatqa.illness_titles import illnesses
from wardround.core.packaged_data import read_rows
from wardround.ehr.database import Database
from wardround.ehr.records import Role, Views
from wardround.ehr.terms.conditions import procedures
from wardround.ehr.terms.drugs import agreed_brands, generics
from wardround.ehr.terms.labs import lab_named

_MOST_BRANDS = 2  # the best known
RESPELLED = 1 / 3  # of the times that a value with other spellings is said

Stays: TypeAlias = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A value as people name it.

    Attributes:
        role: the column of records that holds it.
        stored: the recorded texts, of which any will do.
        name: its name in the terms: a generic, a test, an illness.
        words: what people call it; none of them is recorded if there is another.
        stays: the sampled stays with such a record.
        respellings: returns other spellings of its names by kind; None if nobody says them.
    """

    role: Role
    stored: tuple[str, ...]
    name: str
    words: tuple[str, ...]
    stays: frozenset[str]
    respellings: Callable[[], Sequence[Sequence[str]]] | None = field(default=None, compare=False)

    def spoken(self, random: Random) -> str:
        """One of the words, or at times another spelling if there is any."""
        if self.respellings is None or random.random() >= RESPELLED:
            return random.choice(self.words)
        spellings = [names for names in self.respellings() if names]
        return random.choice(random.choice(spellings or [self.words]))


def spoken_values(
    database: Database, views: Views, stays: set[str]
) -> dict[str, tuple[SpokenValue, ...]]:
    """The values of each kind of record that people have words for."""
    values = {}
    for kind, read in _READERS.items():
        if views.has(kind, "name") and views.has(kind, "admission"):
            role = Role(kind, "name")
            values[kind] = tuple(read(role, _by_text(database, views, role, stays)))
    return values


def attribute_words(column: str, text: str) -> str:
    """The words of people for a text of a hospital stay's column.

    The text itself if it has no entry; "" if nobody asks for it.
    """
    return _attribute_words().get((column, text.lower()), text)


@cache
def everyday_words() -> frozenset[str]:
    """The words of people for texts of any column, in lower case."""
    return frozenset(words.lower() for words in _attribute_words().values() if words)


@cache
def _attribute_words() -> Mapping[tuple[str, str], str]:
    rows = read_rows(__package__, "attribute_words.tsv")
    return {(column, text): words for column, text, words in rows}


def _by_text(database: Database, views: Views, role: Role, stays: set[str]) -> Stays:
    text, stay = exp.column(role.column, "t"), exp.column("admission", "t")
    query = exp.select(text, stay).distinct().from_(views.rows(role.kind, "t"))
    query = query.where(text.is_(exp.null()).not_(), stay.is_(exp.null()).not_())
    numbers: defaultdict[str, set[str]] = defaultdict(set)
    for name, number in database.execute(query.sql(views.dialect), rows=None).rows:
        if str(number) in stays:
            numbers[str(name)].add(str(number))
    return {text: frozenset(stays_of_text) for text, stays_of_text in sorted(numbers.items())}


def _drugs(role: Role, recorded: Stays) -> Iterator[SpokenValue]:
    """Drugs of one ingredient; a mixture has no name of its own."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for text in recorded:
        if len(named := generics(text)) == 1:
            texts[named[0]].append(text)
    for generic, stored in texts.items():
        yield _value(
            role, stored, generic, (generic, *agreed_brands(generic)[:_MOST_BRANDS]), recorded
        )


def _diagnoses(role: Role, recorded: Stays) -> Iterator[SpokenValue]:
    """Illnesses by their titles."""
    for name, (words, stored) in illnesses(tuple(recorded)).items():
        yield _value(role, list(stored), name, words, recorded)


def _tests(role: Role, recorded: Stays) -> Iterator[SpokenValue]:
    for text in recorded:
        if lab := lab_named(text):
            yield _value(role, [text], lab.name, (lab.name, *lab.synonyms), recorded)


def _procedures(role: Role, recorded: Stays) -> Iterator[SpokenValue]:
    """Procedures by the names in the terms; a text with the names of several is left out."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for text in recorded:
        named = [name for name, words in _own_names().items() if _has_words(text, words)]
        if len(named) == 1:
            texts[named[0]].append(text)
    for name, stored in texts.items():
        yield _value(role, stored, name, _own_names()[name], recorded)


@cache
def _own_names() -> Mapping[str, tuple[str, ...]]:
    """The names of each procedure that are not part of another's: "surgery" is of many."""
    names = {each.name: (each.name, *each.synonyms) for each in procedures()}
    unique: dict[str, tuple[str, ...]] = {}
    for name, words in names.items():
        others = [other for each, its_words in names.items() if each != name for other in its_words]
        unique[name] = tuple(
            word for word in words if not any(_has_words(o, (word,)) for o in others)
        )
    return {name: words for name, words in unique.items() if words}


def _has_words(text: str, names: Sequence[str]) -> bool:
    """True if a text has a name in whole words: "ect" is not in "electrolyte"."""
    low = text.lower()
    parts = [name for name in map(str.lower, names) if name in low]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", low) for name in parts)


def _value(
    role: Role, stored: list[str], name: str, words: tuple[str, ...], recorded: Stays
) -> SpokenValue:
    known = {text.lower() for text in stored}
    others = tuple(word for word in words if word.lower() not in known)
    stays = frozenset().union(*(recorded[text] for text in stored))
    return SpokenValue(role, tuple(stored), name, others or words, stays)


_Reader: TypeAlias = Callable[[Role, Stays], Iterator[SpokenValue]]
_READERS: Mapping[str, _Reader] = {
    "drug": _drugs,
    "diagnosis": _diagnoses,
    "lab": _tests,
    "procedure": _procedures,
}
KINDS = tuple(_READERS)
