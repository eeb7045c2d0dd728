"""Recorded values of a database with the words that people have for them.

Words come from the packaged terms, and differ from what the records hold: brands, abbreviations
and lay names (EHR-ChatQA, 4.2.2: value mismatch).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from wardround.ehr.database import Database
from wardround.ehr.records import Role, Views
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.diagnoses import formal_names
from wardround.ehr.terms.drugs import brands, generics
from wardround.ehr.terms.labs import lab_named

_MOST_BRANDS = 2  # the best known
_HISTORIES = ("history", "risk", "screening", "without", "exposure", "encounter for")


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A value as people name it.

    Attributes:
        role: the column of records that holds it.
        stored: the recorded texts, of which any will do.
        words: what people call it, each different from every recorded text if there is one.
        people: the number of patients with such a record.
    """

    role: Role
    stored: tuple[str, ...]
    words: tuple[str, ...]
    people: int

    def spoken(self, random: Random) -> str:
        """One of the words."""
        return random.choice(self.words)


def spoken_values(database: Database, views: Views) -> dict[str, list[SpokenValue]]:
    """The values of each kind of record that people have words for."""
    readers = {"drug": _drugs, "diagnosis": _diagnoses, "lab": _tests}
    found = {}
    for kind, read in readers.items():
        if views.has(kind, "name"):
            found[kind] = list(read(_people(database, views, Role(kind, "name"))))
    return found


def _people(database: Database, views: Views, role: Role) -> dict[str, frozenset[object]]:
    """The patients by recorded text."""
    sql = (
        f"SELECT DISTINCT t.{role.column}, t.patient FROM ({views.sql[role.kind]}) t "
        f"WHERE t.{role.column} IS NOT NULL"
    )
    people: defaultdict[str, set[object]] = defaultdict(set)
    for text, patient in database.execute(sql, rows=None).rows:
        people[str(text)].add(patient)
    return {text: frozenset(who) for text, who in people.items()}


def _drugs(people: Mapping[str, frozenset[object]]) -> Iterator[SpokenValue]:
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for text in sorted(people):
        if len(named := generics(text)) == 1:
            texts[named[0]].append(text)
    for generic, stored in texts.items():
        words = (generic, *brands(generic)[:_MOST_BRANDS])
        yield _value(Role("drug", "name"), stored, words, people)


def _diagnoses(people: Mapping[str, frozenset[object]]) -> Iterator[SpokenValue]:
    for condition in conditions():
        for word in condition.names:
            formal = formal_names(word) or (word,)
            stored = [t for t in sorted(people) if _is_of(t.lower(), formal)]
            if stored:
                words = tuple(name for name in condition.names if (formal_names(name) or (name,)) == formal)
                yield _value(Role("diagnosis", "name"), stored, words, people)
                break


def _is_of(text: str, formal: tuple[str, ...]) -> bool:
    return any(name in text for name in formal) and not any(each in text for each in _HISTORIES)


def _tests(people: Mapping[str, frozenset[object]]) -> Iterator[SpokenValue]:
    for text in sorted(people):
        if lab := lab_named(text):
            yield _value(Role("lab", "name"), [text], (lab.name, *lab.synonyms), people)


def _value(
    role: Role, stored: list[str], words: tuple[str, ...], people: Mapping[str, frozenset[object]]
) -> SpokenValue:
    recorded = {text.lower() for text in stored}
    others = tuple(word for word in words if word.lower() not in recorded)
    who = frozenset().union(*(people[text] for text in stored))
    return SpokenValue(role, tuple(stored), others or words, len(who))
