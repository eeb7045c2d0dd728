"""SQL statements with their syntax trees and the source text of nodes."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from sqlglot import Token, TokenType, exp, parse_one
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from wardround.ehr.database.postgres.statement_splitter import split_statements

Node = TypeVar("Node", bound=exp.Expr)

DIALECT = "postgres"
# The largest number of a node's tokens before its first name and after its last.
_REACH = 12
# Other statements have bodies in other languages, or cannot be ambiguous.
_READ = re.compile(
    r"\s*(?:\(|(?:select|with|insert|update|delete|values"
    r"|create\s+(?:table|(?:or\s+replace\s+)?view))\b)",
    re.IGNORECASE,
)
_CLAUSES = (exp.Join, exp.Order, exp.Where, exp.Group, exp.Having, exp.Limit)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its tokens and syntax tree."""

    sql: str
    tokens: tuple[Token, ...]
    tree: exp.Expr

    def nodes(self, *kinds: type[Node]) -> Iterator[tuple[Node, str]]:
        """Yields nodes of these kinds with their text; skips nodes without one."""
        for node in self.tree.find_all(*kinds):
            if text := self.text(node):
                yield node, text

    def text(self, node: exp.Expr) -> str:
        """Returns the source text of a node; "" if it is not found.

        >>> [statement] = read_statements(["SELECT round(avg(a)::numeric,  2) FROM t"])
        >>> statement.text(statement.tree.find(exp.Round))
        'round(avg(a)::numeric,  2)'
        """
        start, end = self.span(node)
        return self.sql[start:end]

    def span(self, node: exp.Expr) -> tuple[int, int]:
        """Returns start and end of the shortest text that parses as a node; (0, 0) if none does."""
        marks = [part.meta for part in node.walk() if "start" in part.meta]
        if not marks:
            return 0, 0
        first = self._token_at(min(mark["start"] for mark in marks))
        last = self._token_at(max(mark["end"] for mark in marks))
        for start, end in _stretches(first, last, len(self.tokens)):
            tokens = self.tokens[start : end + 1]
            if _balanced(tokens):
                span = tokens[0].start, tokens[-1].end + 1
                if _reads_as(self.sql[slice(*span)], node):
                    return span
        return 0, 0

    def tables(self) -> tuple[str, ...]:
        """Returns the distinct names of the statement's tables."""
        return tuple(dict.fromkeys(table.name for table in self.tree.find_all(exp.Table)))

    def _token_at(self, offset: int) -> int:
        return bisect_right([token.start for token in self.tokens], offset) - 1


def read_statements(texts: Iterable[str]) -> tuple[Statement, ...]:
    """Parses the statements of texts; skips those that do not parse.

    >>> [each.tree.key for each in read_statements(["SELECT 1; hardly SQL; DELETE FROM t"])]
    ['select', 'delete']
    """
    split = chain.from_iterable(map(split_statements, texts))
    return tuple(filter(None, map(_read, split)))


def is_negated(node: exp.Expr) -> bool:
    """True if a check is `IS NOT` or has a NOT around it; sqlglot versions use either form."""
    return bool(node.args.get("negate")) or isinstance(node.parent, exp.Not)


def _read(sql: str) -> Statement | None:
    if not _READ.match(sql):
        return None
    try:
        tree = parse_one(sql, dialect=DIALECT)
        tokens = tuple(Postgres().tokenize(sql))
    except (SqlglotError, RecursionError):
        return None
    return None if isinstance(tree, exp.Command) else Statement(sql, tokens, tree)


def _stretches(first: int, last: int, count: int) -> Iterator[tuple[int, int]]:
    """Yields first and last token of growing ranges around these two, the shortest first."""
    for more in range(2 * _REACH + 1):
        for before in range(max(0, more - _REACH), min(more, _REACH) + 1):
            start, end = first - before, last + more - before
            if start >= 0 and end < count:
                yield start, end


def _balanced(tokens: Iterable[Token]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0:
            return False
    return depth == 0


def _reads_as(text: str, node: exp.Expr) -> bool:
    # No requested node starts so, and the parser would log a warning.
    if text.upper().startswith(("SET ", "CREATE ")):
        return False
    into = next((kind for kind in _CLAUSES if isinstance(node, kind)), None)
    try:
        return parse_one(text, dialect=DIALECT, into=into) == node
    except (SqlglotError, RecursionError):
        return False
