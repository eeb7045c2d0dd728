"""Cuts comments, DISTINCT and ROUND from the text of a statement."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ErrorLevel, SqlglotError

# Start, end and replacement of a piece of the text.
Cut: TypeAlias = tuple[int, int, str]

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}


def without(sql: str, removing: Iterable[str]) -> str:
    """Remove "comments", "distinct" or "round" from a statement; the rest is unchanged.

    Raises:
        SqlglotError: it cannot be parsed.
    """
    tokens = _tokens(sql)
    return _cut(sql, (cut for what in removing for cut in _CUTS[what](sql, tokens)))


def _cut(sql: str, cuts: Iterable[Cut]) -> str:
    """The text without its cuts, which may be nested."""
    pieces, end_of_last = [], 0
    for start, end, instead in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if start >= end_of_last:
            pieces += [sql[end_of_last:start], instead]
            end_of_last = end
    return "".join([*pieces, sql[end_of_last:]]).strip()


def _tokens(sql: str) -> list[Token]:
    """The tokens, after checking that they and comments make up the whole text."""
    tokens = Postgres().tokenize(sql)
    comments = (sql[start:end].lstrip() for start, end in _gaps(sql, tokens))
    # sqlglot tokenizes only the first word of some statements.
    if not all(comment.startswith(("--", "/*")) for comment in comments):
        raise SqlglotError("its syntax is not supported")
    return tokens


def _comments(sql: str, tokens: list[Token]) -> Iterator[Cut]:
    return ((start, end, " ") for start, end in _gaps(sql, tokens))


def _gaps(sql: str, tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """The spans of non-blank text between tokens."""
    starts = [token.start for token in tokens] + [len(sql)]
    ends = [0] + [token.end + 1 for token in tokens]
    return ((start, end) for start, end in zip(ends, starts, strict=True) if sql[start:end].strip())


def _distinct(sql: str, tokens: list[Token]) -> Iterator[Cut]:
    """The cut of each `SELECT DISTINCT`, without `DISTINCT ON`."""
    places = [index for index, token in enumerate(tokens) if _begins_distinct(tokens, index)]
    if not places:
        return
    named = [
        distinct for distinct in _tree(sql, tokens).find_all(exp.Distinct) if _of_query(distinct)
    ]
    if len(named) != len(places):
        raise SqlglotError("its DISTINCT are not found")
    for index in places:
        yield tokens[index].start, tokens[index + 1].start, ""


def _begins_distinct(tokens: list[Token], index: int) -> bool:
    before = index > 0 and tokens[index - 1].token_type is TokenType.SELECT
    after = index + 1 < len(tokens) and tokens[index + 1].token_type is not TokenType.ON
    return before and after and tokens[index].token_type is TokenType.DISTINCT


def _of_query(distinct: exp.Distinct) -> bool:
    return isinstance(distinct.parent, exp.Select) and not distinct.args.get("on")


def _round(sql: str, tokens: list[Token]) -> Iterator[Cut]:
    """The cuts of each call of ROUND: its name, and its second argument."""
    if not any(token.text.upper() == "ROUND" for token in tokens):
        return
    places = {token.start: index for index, token in enumerate(tokens)}
    for call in _tree(sql, tokens).find_all(exp.Round):
        index = places[call.meta["start"]]
        yield tokens[index].start, tokens[index + 1].start, ""
        closing, comma = _arguments(tokens, index + 1)
        if comma is not None:
            yield comma.start, closing.start, ""


def _arguments(tokens: list[Token], index: int) -> tuple[Token, Token | None]:
    """The token that closes a call's arguments, and the first comma among them, if any."""
    depth, comma = 0, None
    for token in tokens[index:]:
        if token.token_type in _OPENING:
            depth += 1
        elif token.token_type in _CLOSING:
            depth -= 1
        elif token.token_type is TokenType.COMMA and depth == 1:
            comma = comma or token
        if depth == 0:
            return token, comma
    raise SqlglotError("a call is not closed")


def syntax_tree(sql: str) -> exp.Expr:
    """The syntax tree of one statement.

    Raises:
        SqlglotError: it cannot be parsed, or is not one statement.
    """
    return _tree(sql, _tokens(sql))


def _tree(sql: str, tokens: list[Token]) -> exp.Expr:
    parser = _Parser(dialect=Postgres(), error_level=ErrorLevel.IMMEDIATE)
    trees: list[exp.Expr] = [tree for tree in parser.parse(tokens, sql) if tree is not None]
    if len(trees) != 1 or isinstance(trees[0], exp.Command):
        raise SqlglotError("it is not a single statement of a known form")
    return trees[0]


class _Parser(Postgres.Parser):  # type: ignore[misc, valid-type]
    def _warn_unsupported(self) -> None:
        """Raise instead: the warning would log the statement, which may contain patient data."""
        raise SqlglotError("its syntax is not supported")


_CUTS: Mapping[str, Callable[[str, list[Token]], Iterator[Cut]]] = MappingProxyType(
    {"comments": _comments, "distinct": _distinct, "round": _round}
)
