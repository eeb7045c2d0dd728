"""Words and forms of other dialects, which sqlglot reads in a query for BigQuery."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.database.googlesql.strictness.refusal import refusal, text_of
from wardround.ehr.database.googlesql.strictness.word_lists import word_list

_CASTS = ("CAST", "SAFE_CAST")
_FOREIGN = (exp.Fetch, exp.Filter, exp.ILike, exp.RegexpILike, exp.SimilarTo)


def check_words(sql: str) -> None:
    """Check a query's words.

    >>> check_words("SELECT COUNT(*) FROM hosp.patients")

    Raises:
        QueryError: It has a function, a type or an operator that GoogleSQL does not.
    """
    tokens = GoogleSql().tokenize(sql)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.token_type in (TokenType.DCOLON, TokenType.MOD):
            raise refusal("syntax", f"{token.text} is no operator.")
        if token.text.upper() == "WITHIN" and after is not None and after.text.upper() == "GROUP":
            raise refusal("analytic only", "there is no WITHIN GROUP.")
        if token.token_type is TokenType.VAR and _opens(after) and not _is_quoted(token, sql):
            _function(token.text)
    for name in _cast_types(tokens):
        if name.upper() not in word_list("types.txt"):
            raise refusal("unknown type", f"{name}.")


def _opens(token: Token | None) -> bool:
    return token is not None and token.token_type is TokenType.L_PAREN


def _is_quoted(token: Token, sql: str) -> bool:
    return sql[token.start] == "`"


def _function(name: str) -> None:
    if name.upper() not in word_list("functions.txt"):
        raise refusal("unknown function", f"{name}.")


def _cast_types(tokens: list[Token]) -> Iterator[str]:
    """The types of CAST(… AS type)."""
    casts: list[bool] = []
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            casts.append(number > 0 and tokens[number - 1].text.upper() in _CASTS)
        elif token.token_type is TokenType.R_PAREN and casts:
            casts.pop()
        elif token.token_type is TokenType.ALIAS and casts and casts[-1]:
            yield tokens[number + 1].text if number + 1 < len(tokens) else ""


def check_forms(query: exp.Query) -> None:
    """Check a query, as parsed.

    Raises:
        QueryError: It has a clause or an operator that GoogleSQL does not, or a name that is
            reserved.
    """
    reserved = word_list("reserved.txt")
    for node in query.walk():
        if isinstance(node, _FOREIGN):
            raise refusal("syntax", f"{text_of(node)[:80]} is no GoogleSQL.")
        if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
            raise refusal("syntax", "there is no DISTINCT ON.")
        if isinstance(node, exp.Identifier) and not node.quoted and node.name.upper() in reserved:
            raise refusal("syntax", f"{node.name} is a reserved word; quote it.")
