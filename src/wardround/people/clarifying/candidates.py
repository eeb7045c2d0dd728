"""Candidate subjects of a question: the task's ambiguities and the fragments of its gold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from wardround.people.clarifying.fragments import Fragment, fragments
from wardround.people.clarifying.further_fragments import further_fragments
from wardround.people.clarifying.gold_parser import DIALECT, parse_fragment, parse_statements
from wardround.people.clarifying.names import readable_name
from wardround.people.clarifying.node_kinds import aspects_of
from wardround.people.clarifying.plain_words import listed, verbalize, verbalize_aspect
from wardround.people.clarifying.redaction import redacted
from wardround.people.clarifying.secret import Ambiguity, Labelled, Located, Secret

# Aspect of an implementation ambiguity, by its type (Huo et al. 2025, Table 7).
BY_KIND = {
    "decimal": "decimal",
    "join": "join",
    "distinct": "distinct",
    "sort": "order",
    "null": "null",
    "rank": "rank",
    "divide by zero": "zero",
}
_IMPLEMENTATION = frozenset({*BY_KIND.values(), "count", "aggregate", "denominator"})
_CONDITIONS = frozenset({"threshold", "period", "choice", "exclusion"})

# For these aspects a reply gives the setting alone, not the expression it applies to.
_NARROW = frozenset({"decimal", "distinct", "rank", "zero"})
# Aspects that all statements share: an ambiguity about any of them covers them all.
_SHARED = frozenset({"change", "transaction"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible subject of a question.

    Attributes:
        choice: The action that this subject leads to.
        aspects: Its aspects, as `replies.toml` names them.
        words: Its meaning in plain words.
        texts: Texts to match a question against, the most specific first.
        mentioned: Further aspects in its fragments.
    """

    choice: Labelled | Located
    aspects: tuple[str, ...]
    words: str
    texts: tuple[str, ...]
    mentioned: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def candidates(secret: Secret) -> tuple[Candidate, ...]:
    """Returns the ambiguities, then the gold fragments outside every ambiguity's scope."""
    tables, pieces = _table_names(secret.gold), fragments(secret.gold)
    scopes = [fragments_in_scope(ambiguity, pieces) for ambiguity in secret.ambiguities]
    labelled = [
        _labelled(ambiguity, scope, tables)
        for ambiguity, scope in zip(secret.ambiguities, scopes, strict=True)
    ]
    covered = [fragment for scope in scopes for fragment in scope]
    numbers = {fragment.number for fragment in covered if fragment.aspect != "name"}
    shared = _SHARED & {fragment.aspect for fragment in covered}
    located = [
        _located(fragment, tables, secret.ambiguities)
        for fragment in pieces
        if not (fragment.number in numbers or fragment.aspect in shared)
        and not isinstance(fragment.node, exp.Delete)  # a removal, below
        and not _is_listed(fragment, pieces)
    ]
    further = (
        _located(fragment, tables, secret.ambiguities)
        for fragment in further_fragments(secret.gold)
    )
    return (*labelled, *located, *further)


@lru_cache(maxsize=1024)
def candidate_of(choice: Labelled | Located, secret: Secret) -> Candidate | None:
    """Returns the candidate of a choice, also for a fragment within an ambiguity's scope."""
    tables = _table_names(secret.gold)
    if isinstance(choice, Labelled):
        about = fragments_in_scope(choice.ambiguity, fragments(secret.gold))
        return _labelled(choice.ambiguity, about, tables)
    known = (*fragments(secret.gold), *further_fragments(secret.gold))
    matching = (f for f in known if f.sql == choice.fragment)
    return next((_located(fragment, tables, secret.ambiguities) for fragment in matching), None)


def _is_listed(fragment: Fragment, pieces: Iterable[Fragment]) -> bool:
    """True for a column of the output where there are others: the user names them all."""
    return (
        fragment.aspect == "output"
        and isinstance(fragment.node, exp.Column)
        and any(
            fragment.node in piece.node.expressions
            for piece in pieces
            if piece.aspect == "output" and isinstance(piece.node, exp.Tuple)
        )
    )


def meaning_in_words(ambiguity: Ambiguity) -> str:
    """Puts an ambiguity's meaning in plain words.

    >>> meaning_in_words(Ambiguity("elderly", "semantic", ("WHERE age > 80",)))
    'older than 80'
    """
    if ambiguity.meaning:
        return ambiguity.meaning
    pieces = [tree for fragment in ambiguity.fragments for tree in parse_fragment(fragment)]
    about = {BY_KIND.get(ambiguity.kind)} & _NARROW
    narrow = [
        verbalize_aspect(aspect, node)
        for tree in pieces
        for aspect, node in aspects_of(tree)
        if aspect in about
    ]
    return listed(narrow or (verbalize(tree) for tree in pieces))


def _labelled(
    ambiguity: Ambiguity, about: Iterable[Fragment], tables: Mapping[str, str]
) -> Candidate:
    texts = (ambiguity.term, *((ambiguity.meaning,) if ambiguity.meaning else ()))
    pieces = [tree for fragment in ambiguity.fragments for tree in parse_fragment(fragment)]
    labels = [BY_KIND.get(ambiguity.kind, "meaning"), *(fragment.aspect for fragment in about)]
    labels += ["output"] * any(isinstance(tree, exp.Alias) for tree in pieces)
    aspects = tuple(aspect for aspect in dict.fromkeys(labels) if aspect != "name")
    known_by = (*texts, *_descriptions(pieces, tables), *_other_readings(ambiguity))
    mentioned = tuple(dict.fromkeys(aspect for tree in pieces for aspect, _ in aspects_of(tree)))
    words = meaning_in_words(ambiguity)
    return Candidate(Labelled(ambiguity), aspects, words, known_by, mentioned)


def _other_readings(ambiguity: Ambiguity) -> tuple[str, ...]:
    """Returns the alternative readings in plain words: a question may offer them."""
    readings = (parse_fragment(reading) for reading in ambiguity.otherwise)
    return tuple(filter(None, (listed(map(verbalize, trees)) for trees in readings)))


def _located(
    fragment: Fragment, tables: Mapping[str, str], ambiguities: Sequence[Ambiguity]
) -> Candidate:
    if fragment.node is None:
        return Candidate(Located(fragment.sql), (fragment.aspect,), "", (fragment.sql,))
    texts = () if fragment.aspect == "limit" else _descriptions([fragment.node], tables)
    is_bare = fragment.aspect in _NARROW or fragment.aspect == "name"
    node = fragment.node if is_bare else redacted(fragment.node, ambiguities)
    words = _with_counted_rows(verbalize_aspect(fragment.aspect, node), fragment.node)
    words = words or fragment.aspect
    return Candidate(Located(fragment.sql), (fragment.aspect,), words, texts)


def _with_counted_rows(words: str, node: exp.Expr) -> str:
    """Names the rows that a fragment counts, where its words speak of entries."""
    counts = (count for count in node.find_all(exp.Count) if isinstance(count.this, exp.Star))
    rows = next(filter(None, map(_counted_rows, counts)), "entries")
    return re.sub("number of entries(?! with)", f"number of {rows}", words)


def _counted_rows(count: exp.Count) -> str:
    """Names the rows that `COUNT(*)` counts, by its alias or else by the table they are from.

    >>> count = parse_fragment("SELECT COUNT(*) AS stays FROM admissions")[0].find(exp.Count)
    >>> _counted_rows(count)
    'stays'
    >>> _counted_rows(parse_fragment("SELECT COUNT(*) FROM icustays")[0].find(exp.Count))
    'ICU stays'
    """
    select = count.find_ancestor(exp.Select)
    source = select.args.get("from_") if select is not None else None
    table = source.this.name if source and isinstance(source.this, exp.Table) else ""
    alias = count.parent.alias if isinstance(count.parent, exp.Alias) else count.meta.get("alias")
    name = readable_name(alias or table)
    return name if name.endswith("s") else ""


def _descriptions(trees: Sequence[exp.Expr], tables: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the trees in plain words, then their column names with table names."""
    columns = [column for tree in trees for column in tree.find_all(exp.Column)]
    names = (f"{tables.get(c.table, '')} {readable_name(c.name)}".strip() for c in columns)
    return tuple(dict.fromkeys([*(verbalize(tree) for tree in trees), *names]))


def _table_names(gold: Iterable[str]) -> dict[str, str]:
    """Returns readable table names of the gold, by alias."""
    tables = (table for tree in parse_statements(gold) for table in tree.find_all(exp.Table))
    return {table.alias_or_name: readable_name(table.name) for table in tables}


def fragments_in_scope(ambiguity: Ambiguity, pieces: Sequence[Fragment]) -> list[Fragment]:
    """Returns the fragments that an ambiguity is about, matched by their text.

    An implementation ambiguity covers the fragments of its type's aspect: those that overlap its
    own fragment, or else all of them. Any other covers the fragments within its own, or else the
    narrowest condition around it; implementation fragments only where they are all there is.
    """
    texts = [_text(fragment) for fragment in ambiguity.fragments]
    if kind := BY_KIND.get(ambiguity.kind):
        touched = [
            fragment for fragment in pieces if fragment.aspect == kind and _touches(fragment, texts)
        ]
        of_kind = touched or [fragment for fragment in pieces if fragment.aspect == kind]
        return [
            fragment
            for fragment in pieces
            if fragment in of_kind or _is_implementation(fragment, texts)
        ]
    within = [
        fragment
        for fragment in pieces
        if any(_without_spaces(fragment.sql) in text for text in texts)
    ]
    inside = [
        fragment
        for fragment in within
        if fragment.aspect not in _IMPLEMENTATION or _is_implementation(fragment, texts)
    ]
    return inside or _enclosing_condition(texts, pieces)


def _is_implementation(fragment: Fragment, texts: Sequence[str]) -> bool:
    """True if an implementation fragment equals the ambiguity's own fragment."""
    return fragment.aspect in _IMPLEMENTATION and _without_spaces(fragment.sql) in texts


def _touches(fragment: Fragment, texts: Iterable[str]) -> bool:
    text = _without_spaces(fragment.sql)
    return any(text in own_text or own_text in text for own_text in texts)


def _enclosing_condition(texts: Sequence[str], pieces: Iterable[Fragment]) -> list[Fragment]:
    enclosing = [
        fragment
        for fragment in pieces
        if fragment.aspect in _CONDITIONS
        and any(text in _without_spaces(fragment.sql) for text in texts)
    ]
    return sorted(enclosing, key=lambda fragment: len(fragment.sql))[:1]


def _text(fragment: str) -> str:
    read = " ".join(tree.sql(dialect=DIALECT, comments=False) for tree in parse_fragment(fragment))
    return _without_spaces(read or fragment)


def _without_spaces(sql: str) -> str:
    return "".join(sql.lower().split())
