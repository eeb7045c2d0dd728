"""The pieces of gold SQL that a question can be about, as a flat numbered list (N)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from wardround.people.clarifying.changes import Sort
from wardround.people.clarifying.gold_parser import DIALECT, trees
from wardround.people.clarifying.node_kinds import sorts


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of the gold SQL.

    Attributes:
        number: Its place in the list, from 1.
        sort: What it is, such as "order" or "period"; `aspects.toml` has a table for each.
        sql: Its text.
        node: Its tree; None for a line that no grammar reads.
    """

    number: int
    sort: Sort
    sql: str
    node: exp.Expr | None = field(default=None, repr=False, compare=False)


def fragments(gold: Iterable[str]) -> tuple[Fragment, ...]:
    """Every piece of the gold that tells something, each once, from the top of the tree down.

    >>> for one in fragments(["SELECT COUNT(*) FROM patients WHERE anchor_age > 80 LIMIT 5"]):
    ...     print(one.number, one.sort, one.sql)
    1 count COUNT(*)
    2 limit LIMIT 5
    3 threshold anchor_age > 80
    """
    statements = list(gold)
    found: dict[tuple[Sort, str], exp.Expr | None] = {}
    for tree in trees(statements):
        for sort, node in sorts(tree):
            found.setdefault((sort, node.sql(dialect=DIALECT, comments=False)), node)
    if not found:
        found = {("line", line): None for line in _lines(statements)}
    pairs = enumerate(found.items(), start=1)
    return tuple(Fragment(number, sort, sql, node) for number, ((sort, sql), node) in pairs)


def listing(pieces: Iterable[Fragment]) -> str:
    """The pieces as a numbered list for a model.

    >>> print(listing(fragments(["SELECT 1 LIMIT 5"])))
    1. [limit] LIMIT 5
    """
    return "\n".join(f"{one.number}. [{one.sort}] {' '.join(one.sql.split())}" for one in pieces)


def _lines(statements: Iterable[str]) -> Iterator[str]:
    for statement in statements:
        yield from filter(None, (line.strip() for line in re.split(r"[;\n]", statement)))
