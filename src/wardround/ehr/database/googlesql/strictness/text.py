"""The text of a query as GoogleSQL's analyser reads it: one statement, paths in parts."""

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.database.googlesql.steps import shorten_columns


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
