"""Words of a query are linked to the texts of the records, and nothing else changes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given

from tests.ehr.query.generated_queries import queries, ward
from wardround.ehr.query import (
    Condition,
    Goal,
    Link,
    Query,
    Relation,
    Term,
    Words,
    link,
    open_words,
    to_sql,
    to_words,
)
from wardround.ehr.query.model import Values
from wardround.ehr.records import Role

LAYOUT = "mimic_iv"
NAME = Role("drug", "name")
LASIX = Condition("drug", ((NAME, Words("lasix")),))


class Catalogue:
    """Gives words for texts, and links them back."""

    def __init__(self) -> None:
        self.links: dict[tuple[Role, Words], Link] = {}

    def in_words(self, query: Query) -> Query:
        conditions, part = (tuple(map(self._said, c)) for c in (query.conditions, query.part))
        return replace(query, conditions=conditions, part=part)

    def __call__(self, role: Role, words: Words) -> Link | None:
        return self.links.get((role, words))

    def _said(self, condition: Condition) -> Condition:
        relation = condition.relation
        return replace(
            condition,
            values=tuple(self._worded(condition.values)),
            also=tuple(self._worded(condition.also)),
            relation=relation and replace(relation, anchor=self._said(relation.anchor)),
            alternatives=tuple(map(self._said, condition.alternatives)),
        )

    def _worded(self, values: Values) -> Iterator[tuple[Role, Words | Term]]:
        for role, value in values:
            if isinstance(value, tuple):
                words = Words(f"thing {len(self.links)}")
                self.links[role, words] = Link(role, value)
                yield role, words
            else:
                yield role, value


@given(queries(LAYOUT))
def test_a_query_in_words_is_linked_to_the_query(query: Query) -> None:
    catalogue = Catalogue()
    asked = catalogue.in_words(query)
    assert link(asked, catalogue) == query
    parts = (*asked.conditions, *asked.part)
    assert {each for part in parts for each in open_words(part)} == set(catalogue.links)
    if catalogue.links:
        with pytest.raises(ValueError, match=r"thing \d+"):
            to_sql(asked, ward(LAYOUT, "duckdb").views)


def linked(condition: Condition, found: Link | None) -> Condition:
    (only,) = link(Query(Goal("count"), (condition,)), lambda role, words: found).conditions
    return only


def test_parts_of_names_are_contained() -> None:
    condition = linked(LASIX, Link(NAME, ("furosemide",), is_part=True))
    assert condition == Condition("drug", containing=((NAME, ("furosemide",)),))


def test_a_thing_of_another_kind_makes_the_condition_one_of_that_kind() -> None:
    role = Role("procedure", "name")
    assert linked(LASIX, Link(role, ("x",))) == Condition("procedure", ((role, ("x",)),))
    # The sex of a patient is of another kind than its condition.
    sex = Condition("sex", ((Role("patient", "sex"), Term("female")),))
    assert linked(sex, None) == sex


def test_words_without_a_link_stay() -> None:
    assert linked(LASIX, None) == LASIX


def test_words_are_said_as_they_are() -> None:
    after = Condition("procedure", relation=Relation("after", LASIX))
    assert to_words(Query(Goal("count"), (after,)))[1] == (
        'Underwent a procedure after being prescribed "lasix", at any time of the patient.'
    )
