"""Queries parsed, with names in lower case and columns qualified."""

from functools import cache, lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope
from sqlglot.schema import MappingSchema

from wardround.benchmarks.clinsql.layouts import likely_layout
from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.schema import load_schema


class UnreadableQueryError(Exception):
    """A query that cannot be parsed, or whose columns cannot be traced."""


def root_scope(sql: str) -> Scope:
    """The scope of a query's last step, with names in lower case and columns qualified.

    Raises:
        UnreadableQueryError: it cannot be parsed, is not a query, or its names cannot be resolved.
    """
    query = parsed(sql)
    tables = list(query.find_all(exp.Table))
    try:
        tree = qualify(
            query.transform(_plain),
            schema=_schema(likely_layout(table.name.lower() for table in tables)),
            dialect="bigquery",
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        scope = build_scope(tree)
    except (SqlglotError, RecursionError, ValueError, KeyError, AttributeError) as error:
        raise UnreadableQueryError("the query cannot be read") from error
    if scope is None:
        raise UnreadableQueryError("it is not a query")
    return scope


@lru_cache(maxsize=64)
def parsed(sql: str) -> exp.Query:
    """A query as it stands, which is not to be changed.

    Raises:
        UnreadableQueryError: it cannot be parsed, or is not a query.
    """
    try:
        tree = parse_one(sql, read=GoogleSql)
    except (SqlglotError, RecursionError) as error:
        raise UnreadableQueryError("the query cannot be parsed") from error
    if not isinstance(tree, exp.Query):
        raise UnreadableQueryError("it is not a query")
    return tree


def _plain(node: exp.Expr) -> exp.Expr:
    """Names in lower case; tables without project and dataset."""
    if isinstance(node, exp.Table) and node.db:
        node.set("db", None)
        node.set("catalog", None)
    if isinstance(node, exp.Identifier):
        node.set("this", node.name.lower())
        node.set("quoted", False)
    return node


@cache
def _schema(layout: str) -> MappingSchema:
    types: dict[str, object] = {
        table.name: {c.name: "STRING" for c in table.columns}
        for table in load_schema(layout).tables
    }
    return MappingSchema(types, dialect="bigquery")
