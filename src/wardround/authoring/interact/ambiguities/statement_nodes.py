"""Statements with their trees, and where in the text a node of a tree stands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp, parse_one
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from wardround.ehr.database.postgres.statement_splitter import split_statements

DIALECT = "postgres"
# The most tokens of a node before its first name and after its last.
_REACH = 12
# The rest of the language has bodies in other languages, or nothing that could be unclear.
_READ = re.compile(
    r"\s*(?:\(|(?:select|with|insert|update|delete|values"
    r"|create\s+(?:table|(?:or\s+replace\s+)?view))\b)",
    re.IGNORECASE,
)
_CLAUSES = (exp.Join, exp.Order, exp.Where, exp.Group, exp.Having, exp.Limit)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as text, as tokens and as a tree."""

    sql: str
    tokens: tuple[Token, ...]
    tree: exp.Expr

    def between(self, start: int, end: int) -> str:
        """The text from one place to another, the end not with it."""
        return self.sql[start:end]


def read_statements(texts: Iterable[str]) -> tuple[Statement, ...]:
    """The statements of some texts; those that no grammar reads are left out.

    >>> [one.tree.key for one in read_statements(["SELECT 1; hardly SQL; DELETE FROM t"])]
    ['select', 'delete']
    """
    split = (one for text in texts for one in split_statements(text))
    return tuple(found for one in split if (found := _read(one)) is not None)


def text_of(node: exp.Expr, statement: Statement) -> str:
    """The text of a node as it was written; "" where it is not found.

    >>> [one] = read_statements(["SELECT round(avg(a)::numeric,  2) FROM t"])
    >>> text_of(one.tree.find(exp.Round), one)
    'round(avg(a)::numeric,  2)'
    """
    place = span_of(node, statement)
    return statement.between(*place) if place else ""


def span_of(node: exp.Expr, statement: Statement) -> tuple[int, int] | None:
    """The text of a node in its statement: the shortest that parses as that node.

    Args:
        node: A node of the statement's tree.
        statement: In whose text it is looked for.
    """
    marks = [one.meta for one in node.walk() if "start" in one.meta]
    if not marks:
        return None
    first = _token_at(min(mark["start"] for mark in marks), statement)
    last = _token_at(max(mark["end"] for mark in marks), statement)
    for start, end in _stretches(first, last, len(statement.tokens)):
        tokens = statement.tokens[start : end + 1]
        if _balanced(tokens):
            stretch = tokens[0].start, tokens[-1].end + 1
            if _reads_as(statement.between(*stretch), node):
                return stretch
    return None


def is_negated(node: exp.Expr) -> bool:
    """True if a check is `IS NOT` or has a NOT around it; sqlglot has had both forms."""
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


def _token_at(place: int, statement: Statement) -> int:
    return bisect_right([token.start for token in statement.tokens], place) - 1


def _stretches(first: int, last: int, count: int) -> Iterator[tuple[int, int]]:
    """Places of first and last token, the least additions first."""
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
    # No piece that is looked for begins so, and what is left of such a one is told to be odd.
    if text.upper().startswith(("SET ", "CREATE ")):
        return False
    into = next((kind for kind in _CLAUSES if isinstance(node, kind)), None)
    try:
        return parse_one(text, dialect=DIALECT, into=into) == node
    except (SqlglotError, RecursionError):
        return False
