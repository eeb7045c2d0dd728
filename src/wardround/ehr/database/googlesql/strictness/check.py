"""Refuses, before a query runs here, what BigQuery would refuse."""

from collections.abc import Iterator
from pathlib import Path

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from wardround.ehr.database.googlesql.charlson import CHARLSON, comorbidities
from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.database.googlesql.script import one_query
from wardround.ehr.database.googlesql.steps import shorten_columns
from wardround.ehr.database.googlesql.strictness import analyser
from wardround.ehr.database.googlesql.strictness.queries import Resolver
from wardround.ehr.database.googlesql.strictness.refusal import refusal, text_of
from wardround.ehr.database.googlesql.strictness.word_lists import word_list
from wardround.ehr.database.interface import QueryError

_CASTS = ("CAST", "SAFE_CAST")
_FOREIGN = (exp.Fetch, exp.Filter, exp.ILike, exp.RegexpILike, exp.SimilarTo)

_PERCENTILES = (exp.PercentileCont, exp.PercentileDisc)

Columns = analyser.Columns


def check(sql: str, columns: Columns, module: Path | None = None) -> None:
    """Check one query, by GoogleSQL's own analyser or by sqlglot's syntax tree.

    Args:
        sql: The query, perhaps after DECLARE and SET.
        columns: The columns of each table, with BigQuery's types.
        module: The analyser's compiled module; None if it is not installed.

    Raises:
        QueryError: BigQuery would refuse it, or it cannot be parsed.
    """
    query = one_query(sql)
    _check_plan(query)
    every = {**columns, CHARLSON: columns.get(CHARLSON, _charlson())}
    if module is not None:
        analyser.check(analysed_text(sql, query), every, module)
    else:
        check_words(sql)
        check_forms(query)
        _resolve(query, every)


def _resolve(query: exp.Query, columns: Columns) -> None:
    try:
        Resolver(columns).output(query, {})
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.", "limit") from error


def _charlson() -> dict[str, str]:
    flags = [each.name for each in comorbidities()]
    names = ["subject_id", "hadm_id", "age_score", *flags, "charlson_comorbidity_index"]
    return dict.fromkeys(names, "INT64")


def _check_plan(query: exp.Query) -> None:
    """Refuses what BigQuery refuses when it plans a query, beyond the analyser's rules.

    Raises:
        QueryError: BigQuery would not plan it.
    """
    for node in query.find_all(*_PERCENTILES):
        if node.find_ancestor(exp.Window, exp.Query) is None or not _is_windowed(node):
            raise refusal("analytic only", f"{node.sql_name()} is an analytic function only.")
    for join in query.find_all(exp.Join):
        on = join.args.get("on")
        if on is not None:
            _check_condition(join, on)


def _check_condition(join: exp.Join, on: exp.Expr) -> None:
    if any(query.find(exp.Table) is not None for query in on.find_all(exp.Query)):
        raise refusal("join condition", "put the subquery into WHERE or a step of its own.")
    outer = bool(join.side) and not isinstance(join.this, exp.Unnest)
    joined = join.this.alias_or_name
    sides = _tables(on)
    if outer and joined in sides and "" not in sides and len(sides) > 1:
        parts = on.unnest().flatten() if isinstance(on.unnest(), exp.And) else [on.unnest()]
        if not any(_equates(part.unnest(), joined) for part in parts):
            raise refusal("join condition", f"{join.side} JOIN needs an equality of both sides.")


def _equates(part: exp.Expr, joined: str) -> bool:
    """True for an equality of the joined table with a table before it."""
    if not isinstance(part, exp.EQ):
        return False
    sides = (_tables(part.this), _tables(part.expression))
    return {joined} in sides and all(side == {joined} or joined not in side for side in sides)


def _tables(node: exp.Expr) -> set[str]:
    return {column.table for column in node.find_all(exp.Column)}


def _is_windowed(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.IgnoreNulls | exp.RespectNulls):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def analysed_text(sql: str, query: exp.Query) -> str:
    """The statement as written, or as generated if it was changed.

    Args:
        sql: The text that was sent.
        query: The same, parsed, with its variables filled in.

    >>> from sqlglot import parse_one
    >>> query = parse_one("SELECT 1 FROM `p.d.t`", read=GoogleSql)
    >>> analysed_text("SELECT 1 FROM `p.d.t`;", query)
    'SELECT 1 FROM `p`.`d`.`t`'
    """
    plain = query.copy()
    shortened = shorten_columns(plain)
    tokens = GoogleSql().tokenize(sql)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        sql = sql[: tokens.pop().start]
    if shortened or any(token.token_type is TokenType.SEMICOLON for token in tokens):
        sql = plain.sql(GoogleSql, comments=False)
        tokens = GoogleSql().tokenize(sql)
    for token in reversed(tokens):
        if sql[token.start] == "`" and "." in token.text:
            parts = ".".join(f"`{name}`" for name in token.text.split("."))
            sql = sql[: token.start] + parts + sql[token.end + 1 :]
    return sql


def check_words(sql: str) -> None:
    """Check a query's words.

    >>> check_words("SELECT COUNT(*) FROM hosp.patients")

    Raises:
        QueryError: It has a function, a type or an operator that GoogleSQL does not.
    """
    tokens = GoogleSql().tokenize(sql)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.token_type in (TokenType.DCOLON, TokenType.MOD):
            raise refusal("syntax", f"{token.text} is not an operator.")
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
