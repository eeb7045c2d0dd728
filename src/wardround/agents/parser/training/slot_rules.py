"""Finds which literals of training queries are slots, because questions name them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wardround.agents.pairs import Pair
from wardround.agents.parser.columns import ColumnTypes, Domain
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.sql.skeletons import Skeleton, literals, shape, skeleton_of
from wardround.agents.parser.tokens import number, words
from wardround.ehr.database import Dialect, quote_text

# Numbers in a context are slots if at least this share of the questions names them.
_MIN_NUMBER_SHARE = 0.5
# Texts of a column are slots if at least this share of the questions names them.
_MIN_TEXT_SHARE = 0.2


class ShapeGroup(NamedTuple):
    """Pairs whose SQL differs only in times and in what their questions name.

    Attributes:
        members: The numbers of the pairs.
        skeleton: The skeleton of the first pair's query.
    """

    members: list[int]
    skeleton: Skeleton


class SlotRules(NamedTuple):
    """Select the literals of the queries that are slots.

    Attributes:
        domains: The sets of values that questions name.
        fixed: The text columns whose values questions never name.
        spoken_contexts: The contexts of the numbers that questions name.
    """

    domains: tuple[Domain, ...]
    fixed: frozenset[str]
    spoken_contexts: frozenset[str]


def group_by_shape(pairs: Sequence[Pair], dialect: Dialect) -> list[ShapeGroup]:
    """Group pairs by the shape of their SQL, in the order of the pairs."""
    members: dict[str, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        if pair.sql is not None:
            members[shape(pair.sql, _naming(pair.question))].append(at)
    return [
        ShapeGroup(group, skeleton_of(pairs[group[0]].sql or "", dialect))
        for group in members.values()
    ]


def find_slot_rules(
    groups: Sequence[ShapeGroup], pairs: Sequence[Pair], columns: ColumnTypes
) -> SlotRules:
    """Find which literals questions name often enough to be slots."""
    by_column: dict[str, list[bool]] = defaultdict(list)
    by_context: dict[str, list[bool]] = defaultdict(list)
    for group in groups:
        is_named = _naming(pairs[group.members[0]].question)
        for literal in literals(group.skeleton.tree, columns):
            named = (
                by_column[literal.domain.column] if literal.domain else by_context[literal.context]
            )
            named.append(is_named(literal.node.name))
    fixed = frozenset(name for name, named in by_column.items() if _share(named) < _MIN_TEXT_SHARE)
    spoken = frozenset(
        name for name, named in by_context.items() if _share(named) >= _MIN_NUMBER_SHARE
    )
    domains = {
        literal.domain
        for group in groups
        for literal in literals(group.skeleton.tree, columns, fixed)
        if literal.domain
    }
    return SlotRules(tuple(sorted(domains)), fixed, spoken)


def find_ignored(pairs: Sequence[Pair], readings: Sequence[Reading]) -> list[str]:
    """Names of values that questions mostly use without meaning the value ("other", "rate")."""
    balance: Counter[str] = Counter()
    for pair, reading in zip(pairs, readings, strict=True):
        sql = (pair.sql or "").lower()
        for mention in reading.mentions if sql else ():
            values = {value.lower() for (value,) in mention.values.values()}
            is_meant = any(quote_text(v) in sql or (v.isdigit() and v in sql) for v in values)
            balance[reading.name_of(mention)] += 1 if is_meant else -1
    return sorted(name for name, count in balance.items() if count < 0)


def _naming(question: str) -> Callable[[str], bool]:
    """A predicate: whether the question names a text, or a number in digits or letters."""
    text = question.lower()
    tokens = {word.text for word in words(question)}
    tokens |= {str(value) for word in tokens if (value := number(word)) is not None}

    def is_named(literal: str) -> bool:
        name = literal.lower()
        return name in tokens or (len(name) > 2 and not name.isdigit() and name in text)

    return is_named


def _share(named: Sequence[bool]) -> float:
    return sum(named) / max(len(named), 1)
