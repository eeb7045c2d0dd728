"""Gold SQL as a flat numbered list of fragments (Huo et al. 2025, N)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from wardround.people.clarifying.changes import Aspect
from wardround.people.clarifying.gold_parser import DIALECT, parse_statements
from wardround.people.clarifying.node_kinds import aspects_of


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment of the gold SQL.

    Attributes:
        number: Its position in the list, from 1.
        aspect: Its kind, such as "order" or "period"; `replies.toml` has a line for each.
        sql: Its text.
        node: Its tree; None for a line that does not parse.
    """

    number: int
    aspect: Aspect
    sql: str
    node: exp.Expr | None = field(default=None, repr=False, compare=False)


def fragments(gold: Iterable[str]) -> tuple[Fragment, ...]:
    """Lists the gold's informative fragments, each once, from the top of the tree down.

    >>> for fragment in fragments(["SELECT COUNT(*) FROM patients WHERE anchor_age > 80 LIMIT 5"]):
    ...     print(fragment.number, fragment.aspect, fragment.sql)
    1 count COUNT(*)
    2 limit LIMIT 5
    3 threshold anchor_age > 80
    """
    statements = list(gold)
    fragments_by_key: dict[tuple[Aspect, str], exp.Expr | None] = {}
    for tree in parse_statements(statements):
        for aspect, node in aspects_of(tree):
            fragments_by_key.setdefault((aspect, node.sql(dialect=DIALECT, comments=False)), node)
    if not fragments_by_key:
        fragments_by_key = {("line", line): None for line in _lines(statements)}
    pairs = enumerate(fragments_by_key.items(), start=1)
    return tuple(Fragment(number, aspect, sql, node) for number, ((aspect, sql), node) in pairs)


def listing(pieces: Iterable[Fragment]) -> str:
    """Formats fragments as a numbered list for a prompt.

    >>> print(listing(fragments(["SELECT 1 LIMIT 5"])))
    1. [limit] LIMIT 5
    """
    return "\n".join(
        f"{fragment.number}. [{fragment.aspect}] {' '.join(fragment.sql.split())}"
        for fragment in pieces
    )


def _lines(statements: Iterable[str]) -> Iterator[str]:
    for statement in statements:
        yield from filter(None, (line.strip() for line in re.split(r"[;\n]", statement)))
