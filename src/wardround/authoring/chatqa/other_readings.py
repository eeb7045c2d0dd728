"""Other records that the words for a value fit, such as white cells in urine beside those in blood.

A question is asked only if it has the same answer whichever of them is meant (EHR-ChatQA, 4.2.2:
every task has one answer).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.query import Condition, Query
from wardround.ehr.query.model import Stored
from wardround.ehr.records import Role
from wardround.ehr.terms.drugs import generics
from wardround.ehr.terms.labs import lab_named

AMBIGUOUS = "words that fit other records with another answer"


@dataclass(frozen=True, slots=True)
class Meanings:
    """Meanings of the words for recorded values beside the records that are asked about.

    Attributes:
        values: the values of each kind of record.
        names: every recorded name by kind.
        codes: the codes of each test's name.
    """

    values: Mapping[str, Sequence[SpokenValue]]
    names: Mapping[str, Sequence[str]]
    codes: Mapping[str, frozenset[str]]

    def other_readings(self, query: Query) -> Iterator[Query]:
        """The question with one of its values read in another way."""
        for conditions in self._with_another(query.conditions):
            yield replace(query, conditions=conditions)
        for part in self._with_another(query.part):
            yield replace(query, part=part)

    def _with_another(self, conditions: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
        """The conditions with one of them read in another way."""
        for number, condition in enumerate(conditions):
            for other in self._other_conditions(condition):
                yield (*conditions[:number], other, *conditions[number + 1 :])

    def _other_conditions(self, condition: Condition) -> Iterator[Condition]:
        for role, stored in condition.values:
            if role.column == "name" and isinstance(stored, tuple):
                for texts in self._other_texts(role.kind, stored):
                    yield replace(condition, values=((role, texts),))
                for code in self._other_codes(role.kind, stored):
                    coded = ((Role(role.kind, "code"), (code,)),)
                    yield replace(condition, also=(*condition.also, *coded))
        if relation := condition.relation:
            for anchor in self._other_conditions(relation.anchor):
                yield replace(condition, relation=replace(relation, anchor=anchor))

    def _other_texts(self, kind: str, stored: Stored) -> Iterator[Stored]:
        """Names that may be meant instead: with all that fit, or of the same thing alone."""
        meant = [each for each in self.values.get(kind, ()) if set(each.stored) <= set(stored)]
        others = [name for name in self.names.get(kind, ()) if name not in stored]
        fitting = tuple(text for text in others if any(_fits(text, each) for each in meant))
        if fitting:
            yield (*stored, *fitting)
        yield from ((text,) for text in fitting if any(_is_same(text, each) for each in meant))

    def _other_codes(self, kind: str, stored: Stored) -> Iterator[str]:
        """The codes of a name that stands for several tests."""
        for text in stored if kind == "lab" else ():
            codes = self.codes.get(text, frozenset())
            yield from sorted(codes) if len(codes) > 1 else ()


def _fits(text: str, value: SpokenValue) -> bool:
    """True if words for a value also name another text.

    Titles of illnesses are read word by word where values are made.
    """
    match value.role.kind:
        case "diagnosis":
            return False
        case "drug" if value.name in generics(text):
            return True
    either = "|".join(re.escape(word.lower()) for word in value.words)
    return _is_same(text, value) or bool(re.search(rf"(?<!\w)(?:{either})(?!\w)", text.lower()))


def _is_same(text: str, value: SpokenValue) -> bool:
    """True if the terms have one name for a text and a test."""
    lab = lab_named(text) if value.role.kind == "lab" else None
    return lab is not None and lab.name == value.name
