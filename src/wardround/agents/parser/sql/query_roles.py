"""Tells where a learned query gives words of the question another role than they have.

A kind is learned from wordings, and a new wording can name its parts in other roles: two events in
the other order, the hospital for the ICU, "which" for "how many". Roles are read from the syntax
tree of the query and from the closed classes of the lexicon, and both have to agree.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.parser.grammar.lexicon import lexicon
from wardround.agents.parser.names.value_index import Mention
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm, Filler
from wardround.agents.parser.sql.generator import MARKER
from wardround.agents.parser.sql.skeletons import parse_sql
from wardround.ehr.records import Views

_BOOLEAN = (exp.Predicate, exp.Exists, exp.Not)
_AUXILIARIES = frozenset(["is", "are", "was", "were", "did", "does", "do", "has", "have", "had"])
# Words that ask for more than yes or no, or offer answers.
_OPEN_WORDS = frozenset(["what", "which", "who", "when", "where", "how", "or", "way", "list"])
_LONGEST = 7
_COLUMN = re.compile(r"\b(\w+\.\w+) as ")
# The meanings of words for ICU stays, by kind.
_ICU = {"noun": ("icu",), "measure": ("icu_length",), "event": ("icu", "icu_in")}


class Phrase(NamedTuple):
    """A phrase of the lexicon in a question, with the range of its words."""

    first: int
    last: int
    meaning: str


def misread_roles(
    filled: FilledForm, reading: Reading, records: Views | None = None
) -> tuple[str, ...]:
    """The words whose role the query does not have, in the order of the question.

    Args:
        filled: The form of the query.
        reading: The question.
        records: The records of the layout, which tell ICU stays from hospital stays.
    """
    tree = parse_sql(filled.variant.form.sql, filled.variant.form.dialect)
    words = [*_order_words(tree, filled, reading), *_form_words(tree, reading)]
    if records:
        words += _stay_words(tree, reading, records)
    return tuple(dict.fromkeys(words))


def _order_words(tree: exp.Expr, filled: FilledForm, reading: Reading) -> Iterator[str]:
    """Words such as "after" whose event is on the other side of the query, or on none."""
    earlier, later = _events(tree, filled)
    named = sorted((*earlier, *later), key=lambda mention: mention.first)
    words = list(_phrases(reading, "sequence"))
    is_ordered = any(_comparisons(tree))
    if is_ordered and not words:
        yield from (reading.name_of(mention) for mention in named[:1])
    for word in words:
        meaning = word.meaning
        behind = next((mention for mention in named if mention.first >= word.last), None)
        before = [mention for mention in named if mention.last <= word.first]
        is_placed = (
            behind in (earlier if meaning == "after" else later)
            if behind
            else bool(before) and before[-1] in (later if meaning == "after" else earlier)
        )
        if not is_ordered or not is_placed:
            yield _text(word, reading)


def _phrases(reading: Reading, kind: str) -> Iterator[Phrase]:
    """The phrases of a kind that are in no name and no time."""
    inside = {at for name in reading.mentions for at in range(name.first, name.last)}
    inside |= {at for time in reading.times for at in range(time.first, time.last)}
    at = 0
    while at < len(reading.words):
        phrases = [] if at in inside else list(_phrases_at(reading, at, kind))
        if phrases:
            yield max(phrases, key=lambda phrase: phrase.last)
        at = max((phrase.last for phrase in phrases), default=at + 1)


def _phrases_at(reading: Reading, first: int, kind: str) -> Iterator[Phrase]:
    tokens = tuple(word.text for word in reading.words[first : first + _LONGEST])
    for size in range(1, len(tokens) + 1):
        for meaning in lexicon().get(tokens[:size], ()):
            if meaning.kind == kind:
                yield Phrase(first, first + size, meaning.name)


def _comparisons(tree: exp.Expr) -> Iterator[tuple[exp.Column, exp.Column]]:
    """The columns of each order of two events, the earlier first."""
    for node in tree.find_all(exp.LT, exp.LTE, exp.GT, exp.GTE):
        left, right = node.left, node.right
        if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
            continue
        if left.table != right.table:
            is_ascending = isinstance(node, exp.LT | exp.LTE)
            yield (left, right) if is_ascending else (right, left)


def _events(tree: exp.Expr, filled: FilledForm) -> tuple[list[Mention], list[Mention]]:
    """The names of the earlier and of the later event; a patient of both is of neither."""
    for first, second in _comparisons(tree):
        earlier = list(_names_in_subquery(tree, first.table, filled))
        later = list(_names_in_subquery(tree, second.table, filled))
        both = [mention for mention in earlier if mention in later]
        return (
            [mention for mention in earlier if mention not in both],
            [mention for mention in later if mention not in both],
        )
    return [], []


def _names_in_subquery(tree: exp.Expr, alias: str, filled: FilledForm) -> Iterator[Mention]:
    """The names in the subquery of an alias."""
    for subquery in tree.find_all(exp.Subquery):
        if subquery.alias != alias:
            continue
        for literal in subquery.find_all(exp.Literal):
            filler = _filler(literal, filled)
            if isinstance(filler, Mention):
                yield filler


def _filler(literal: exp.Literal, filled: FilledForm) -> Filler | None:
    marker = MARKER.fullmatch(literal.sql())
    return filled.fillers[int(marker["slot"])] if marker else None


def _stay_words(tree: exp.Expr, reading: Reading, records: Views) -> Iterator[str]:
    """Words for the ICU where the query has hospital stays only, and the other way round."""
    icu, hospital = (_columns_of(records.sql.get(kind, "")) for kind in ("icu", "admission"))
    used = {f"{column.table}.{column.name}".lower() for column in tree.find_all(exp.Column)}
    unread = replace(reading, times=())
    of_icu = [
        phrase
        for kind, names in _ICU.items()
        for phrase in _phrases(unread, kind)
        if phrase.meaning in names
    ]
    if icu and not used & (icu - hospital):
        yield from (_text(phrase, reading) for phrase in of_icu[:1])
    of_stay = [phrase for phrase in _phrases(unread, "noun") if phrase.meaning == "admission"]
    if of_stay and not of_icu and used & (icu - hospital) and not used & (hospital - icu):
        yield _text(of_stay[0], reading)


def _columns_of(view: str) -> frozenset[str]:
    """The columns that a view selects, with their tables."""
    return frozenset(_COLUMN.findall(view.partition(" FROM ")[0].lower()))


def _form_words(tree: exp.Expr, reading: Reading) -> Iterator[str]:
    """The words of a question of another form: yes or no, or a number or name."""
    first = reading.words[0].text if reading.words else ""
    select = tree.find(exp.Select)
    selected = select.expressions[0].unalias() if select and select.expressions else None
    is_boolean = isinstance(selected, _BOOLEAN)
    asking = [*_phrases(reading, "goal")]
    if is_boolean and asking:
        yield _text(asking[0], reading)
    texts = {word.text for word in reading.words}
    if first in _AUXILIARIES and not (asking or is_boolean or texts & _OPEN_WORDS):
        yield first


def _text(phrase: Phrase, reading: Reading) -> str:
    return " ".join(word.text for word in reading.words[phrase.first : phrase.last])
