"""What a question to a task's user can be about: its ambiguities and the pieces of its gold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from wardround.people.clarifying.ambiguity_scope import BY_KIND, covered
from wardround.people.clarifying.fragments import Fragment, fragments
from wardround.people.clarifying.gold_parser import piece, trees
from wardround.people.clarifying.model import Ambiguity, Labelled, Located, Secret
from wardround.people.clarifying.names import spoken
from wardround.people.clarifying.node_kinds import sorts
from wardround.people.clarifying.packaged import sounding_like
from wardround.people.clarifying.plain_words import listed, tell, tell_aspect
from wardround.people.clarifying.redaction import veiled

# Of these a piece tells the one thing asked for, not what it is done to.
_NARROW = frozenset({"decimal", "distinct", "rank", "zero"})
# What all statements share, so that an ambiguity about one of them is about all.
_SHARED = frozenset({"change", "transaction"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a question can be about.

    Attributes:
        choice: What the question is then taken for.
        aspects: What it is about, as `aspects.toml` names it.
        told: It in plain words.
        texts: Further words by which it is known, the most telling first.
        heard: What it speaks of besides, in its piece or its meaning as it was written down.
    """

    choice: Labelled | Located
    aspects: tuple[str, ...]
    told: str
    texts: tuple[str, ...]
    heard: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def candidates(secret: Secret) -> tuple[Candidate, ...]:
    """The ambiguities and then those pieces of the gold that no ambiguity is about."""
    tables, pieces = _tables(secret.gold), fragments(secret.gold)
    about = [covered(one, pieces) for one in secret.ambiguities]
    labelled = [
        _labelled(one, taken, tables) for one, taken in zip(secret.ambiguities, about, strict=True)
    ]
    taken = {one.number for found in about for one in found if one.sort != "name"}
    shared = _SHARED & {one.sort for found in about for one in found}
    located = [
        _located(one, tables, secret.ambiguities)
        for one in pieces
        if not (one.number in taken or one.sort in shared)
    ]
    return (*labelled, *located)


@lru_cache(maxsize=1024)
def candidate_of(choice: Labelled | Located, secret: Secret) -> Candidate | None:
    """What was chosen, also where it is a piece that an ambiguity is about."""
    tables = _tables(secret.gold)
    if isinstance(choice, Labelled):
        about = covered(choice.ambiguity, fragments(secret.gold))
        return _labelled(choice.ambiguity, about, tables)
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
    about = {BY_KIND.get(ambiguity.kind)} & _NARROW
    narrow = [
        tell_aspect(sort, node) for tree in pieces for sort, node in sorts(tree) if sort in about
    ]
    return listed(narrow or (tell(tree) for tree in pieces))


def _labelled(
    ambiguity: Ambiguity, about: Iterable[Fragment], tables: Mapping[str, str]
) -> Candidate:
    texts = (ambiguity.term, *((ambiguity.meaning,) if ambiguity.meaning else ()))
    pieces = [tree for fragment in ambiguity.fragments for tree in piece(fragment)]
    found = [BY_KIND.get(ambiguity.kind, "meaning"), *(one.sort for one in about)]
    found += ["output"] * any(isinstance(tree, exp.Alias) for tree in pieces)
    aspects = tuple(one for one in dict.fromkeys(found) if one != "name")
    known_by = (*texts, *_known_by(pieces, tables))
    within = [sort for tree in pieces for sort, _ in sorts(tree)]
    heard = tuple(dict.fromkeys([*within, *sounding_like(ambiguity.meaning)]))
    return Candidate(Labelled(ambiguity), aspects, told(ambiguity), known_by, heard)


def _located(
    fragment: Fragment, tables: Mapping[str, str], ambiguities: Sequence[Ambiguity]
) -> Candidate:
    if fragment.node is None:
        return Candidate(Located(fragment.sql), (fragment.sort,), "", (fragment.sql,))
    texts = () if fragment.sort == "limit" else _known_by([fragment.node], tables)
    # What tells one thing alone tells nothing of what it is done to.
    alone = fragment.sort in _NARROW or fragment.sort == "name"
    node = fragment.node if alone else veiled(fragment.node, ambiguities)
    said = tell_aspect(fragment.sort, node) or fragment.sort
    return Candidate(Located(fragment.sql), (fragment.sort,), said, texts)


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
