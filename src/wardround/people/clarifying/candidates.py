"""What a question to a task's user can be about: its ambiguities and the pieces of its gold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from wardround.people.clarifying.fragments import Fragment, fragments
from wardround.people.clarifying.model import Ambiguity, Labelled, Located, Secret
from wardround.people.clarifying.names import spoken
from wardround.people.clarifying.reading import DIALECT, piece, trees
from wardround.people.clarifying.sorts import sorts
from wardround.people.clarifying.telling import listed, tell, tell_aspect
from wardround.people.clarifying.veiling import veiled

# What an implementation ambiguity is about, by its type (Table 7).
_BY_KIND = {
    "decimal": "decimal",
    "join": "join",
    "distinct": "distinct",
    "sort": "order",
    "null": "null",
    "rank": "rank",
    "divide by zero": "zero",
}
_HOW = frozenset({*_BY_KIND.values(), "count", "aggregate"})
# Of these a piece tells the one thing asked for, not what it is done to.
_NARROW = frozenset({"decimal", "distinct", "rank", "zero"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a question can be about.

    Attributes:
        choice: What the question is then taken for.
        aspects: What it is about, as `aspects.toml` names it.
        told: It in plain words.
        texts: Further words by which it is known, the most telling first.
    """

    choice: Labelled | Located
    aspects: tuple[str, ...]
    told: str
    texts: tuple[str, ...]


@lru_cache(maxsize=256)
def candidates(secret: Secret) -> tuple[Candidate, ...]:
    """The ambiguities and then those pieces of the gold that no ambiguity is about."""
    tables = _tables(secret.gold)
    labelled = [_labelled(one, tables) for one in secret.ambiguities]
    taken = {about for one in secret.ambiguities for about in _about(one)}
    whole = {sql for one in secret.ambiguities for sql in _whole(one)}
    unread = {_BY_KIND.get(one.kind) for one in secret.ambiguities if not _about(one)}
    located = [
        _located(one, tables, secret.ambiguities)
        for one in fragments(secret.gold)
        if one.sort == "name"
        or not ((one.sort, one.sql) in taken or one.sql in whole or one.sort in unread)
    ]
    return (*labelled, *located)


@lru_cache(maxsize=1024)
def candidate_of(choice: Labelled | Located, secret: Secret) -> Candidate | None:
    """What was chosen, also where it is a piece that an ambiguity is about."""
    tables = _tables(secret.gold)
    if isinstance(choice, Labelled):
        return _labelled(choice.ambiguity, tables)
    found = (one for one in fragments(secret.gold) if one.sql == choice.fragment)
    return next((_located(one, tables, secret.ambiguities) for one in found), None)


def told(ambiguity: Ambiguity) -> str:
    """What is meant, in plain words.

    >>> told(Ambiguity("elderly", "semantic", ("WHERE age > 80",)))
    'older than 80'
    """
    if ambiguity.meaning:
        return ambiguity.meaning
    pieces = [tree for fragment in ambiguity.fragments for tree in piece(fragment)]
    about = {_BY_KIND.get(ambiguity.kind)} & _NARROW
    narrow = [
        tell_aspect(sort, node) for tree in pieces for sort, node in sorts(tree) if sort in about
    ]
    return listed(narrow or (tell(tree) for tree in pieces))


def _labelled(ambiguity: Ambiguity, tables: Mapping[str, str]) -> Candidate:
    by_kind = _BY_KIND.get(ambiguity.kind)
    aspects = (
        (by_kind,)
        if by_kind
        else ("meaning", *(sort for sort in dict(_about(ambiguity)) if sort != "name"))
    )
    texts = (ambiguity.term, *((ambiguity.meaning,) if ambiguity.meaning else ()))
    pieces = [tree for fragment in ambiguity.fragments for tree in piece(fragment)]
    known_by = (*texts, *_known_by(pieces, tables))
    return Candidate(Labelled(ambiguity), aspects, told(ambiguity), known_by)


def _located(
    fragment: Fragment, tables: Mapping[str, str], ambiguities: Sequence[Ambiguity]
) -> Candidate:
    if fragment.node is None:
        return Candidate(Located(fragment.sql), (fragment.sort,), "", (fragment.sql,))
    texts = () if fragment.sort == "limit" else _known_by([fragment.node], tables)
    said = tell_aspect(fragment.sort, veiled(fragment.node, ambiguities))
    return Candidate(Located(fragment.sql), (fragment.sort,), said, texts)


def _whole(ambiguity: Ambiguity) -> set[str]:
    return {_sql(tree) for fragment in ambiguity.fragments for tree in piece(fragment)}


def _about(ambiguity: Ambiguity) -> list[tuple[str, str]]:
    """Sort and text of the pieces that an ambiguity covers.

    One of how things are carried out covers what it is about alone, and any other all but that.
    """
    by_kind = _BY_KIND.get(ambiguity.kind)
    return [
        (sort, _sql(node))
        for fragment in ambiguity.fragments
        for tree in piece(fragment)
        for sort, node in sorts(tree)
        if sort == by_kind or (by_kind is None and (node is tree or sort not in _HOW))
    ]


def _sql(node: exp.Expr) -> str:
    return node.sql(dialect=DIALECT, comments=False)


def _known_by(trees: Iterable[exp.Expr], tables: Mapping[str, str]) -> tuple[str, ...]:
    """Pieces in plain words, then the names in them with their tables' names."""
    known = list(trees)
    columns = [column for tree in known for column in tree.find_all(exp.Column)]
    names = (f"{tables.get(one.table, '')} {spoken(one.name)}".strip() for one in columns)
    return tuple(dict.fromkeys([*(tell(tree) for tree in known), *names]))


def _tables(gold: Iterable[str]) -> dict[str, str]:
    """What the tables of the gold are called in words, by the names that stand for them."""
    found = (table for tree in trees(gold) for table in tree.find_all(exp.Table))
    return {table.alias_or_name: spoken(table.name) for table in found}
