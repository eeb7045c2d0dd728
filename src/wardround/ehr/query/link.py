"""Links the words of a query to the texts that the records hold for them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, Protocol

from wardround.ehr.query.model import Condition, Query, Stored, Values, Words
from wardround.ehr.records import Role


class Link(NamedTuple):
    """The stored texts that words mean.

    Attributes:
        role: The column that holds them; it may be of another kind of record.
        texts: The texts, of which any will do.
        is_part: Whether the records need only contain one of them.
    """

    role: Role
    texts: Stored
    is_part: bool = False


class Links(Protocol):
    """The source of links: an index, a catalogue, or what tools have found."""

    def __call__(self, role: Role, words: Words, /) -> Link | None:
        """The link of words in a column; None if nothing is found for them."""


def link(query: Query, links: Links) -> Query:
    """The query with the texts of the records for words; words without a link stay.

    >>> from wardround.ehr.query import Goal
    >>> lasix = Condition("drug", ((Role("drug", "name"), Words("lasix")),))
    >>> linked = link(Query(Goal("count"), (lasix,)), lambda role, _: Link(role, ("Furosemide",)))
    >>> linked.conditions[0].values
    ((Role(kind='drug', column='name'), ('Furosemide',)),)
    """
    conditions, part = (
        tuple(link_condition(each, links) for each in of) for of in (query.conditions, query.part)
    )
    return replace(query, conditions=conditions, part=part)


def link_condition(condition: Condition, links: Links) -> Condition:
    """A condition, its anchor and its alternatives with the texts of the records for words."""
    values, parts = _linked(condition.values, links)
    also, also_parts = _linked(condition.also, links)
    relation = condition.relation
    if relation:
        relation = replace(relation, anchor=link_condition(relation.anchor, links))
    return replace(
        condition,
        kind=_kind(condition, (*values, *parts)),
        values=values,
        also=also,
        containing=(*condition.containing, *parts, *also_parts),
        relation=relation,
        alternatives=tuple(link_condition(each, links) for each in condition.alternatives),
    )


def open_words(condition: Condition) -> Iterator[tuple[Role, Words]]:
    """The words of a condition, its anchor and its alternatives that have no link yet."""
    for role, value in (*condition.values, *condition.also):
        if isinstance(value, Words):
            yield role, value
    others = (condition.relation.anchor,) if condition.relation else ()
    for other in (*others, *condition.alternatives):
        yield from open_words(other)


_Parts = tuple[tuple[Role, Stored], ...]


def _linked(values: Values, links: Links) -> tuple[Values, _Parts]:
    """The values with whole texts for words, and the parts of texts apart."""
    whole: Values = ()
    parts: _Parts = ()
    for role, value in values:
        link = links(role, value) if isinstance(value, Words) else None
        if link and link.is_part:
            parts = (*parts, (link.role, link.texts))
        else:
            whole = (*whole, (link.role, link.texts) if link else (role, value))
    return whole, parts


def _kind(condition: Condition, linked: Values) -> str:
    """The kind of record of a condition, or of its links if all have another kind."""
    is_own = all(role.kind == condition.kind for role, _ in condition.values)
    kinds = {role.kind for role, _ in linked}
    return kinds.pop() if is_own and len(kinds) == 1 else condition.kind
