"""Refusals: the rule of GoogleSQL that a query breaks, and BigQuery's kind of error."""

from typing import Literal

from sqlglot import exp

from wardround.ehr.database.googlesql.script import FAULTS
from wardround.ehr.database.interface import QueryError

Rule = Literal[
    "comparable types",
    "argument types",
    "unknown function",
    "unknown type",
    "unknown column",
    "ambiguous column",
    "duplicate alias",
    "grouped columns",
    "aggregate not allowed",
    "window not allowed",
    "nested aggregates",
    "analytic only",
    "window form",
    "table name",
    "join condition",
    "set columns",
    "subquery columns",
    "orderable types",
    "syntax",
]

# BigQuery's kinds of error.
_KINDS: dict[Rule, str] = {
    "comparable types": "types that BigQuery does not compare",
    "argument types": "no signature for these argument types",
    "unknown function": "function not found",
    "unknown type": "type not found",
    "unknown column": "unrecognized name",
    "ambiguous column": "ambiguous column name",
    "duplicate alias": "duplicate table alias",
    "grouped columns": "neither grouped nor aggregated",
    "aggregate not allowed": "aggregate function not allowed here",
    "window not allowed": "analytic function not allowed here",
    "nested aggregates": "aggregate of an aggregate",
    "analytic only": "function needs an OVER clause",
    "window form": "OVER clause not allowed in this form",
    "table name": "table not found or without a dataset",
    "join condition": "unsupported condition of a join",
    "set columns": "columns of the two queries do not match",
    "subquery columns": "subquery with a wrong number of columns",
    "orderable types": "type that cannot be ordered",
    "syntax": "syntax error",
}


def refusal(rule: Rule, detail: str) -> QueryError:
    """The error for a query that breaks a rule.

    >>> print(refusal("unknown function", "MEDIAN"))
    BigQuery refuses this query (unknown function: function not found): MEDIAN
    """
    return QueryError(f"BigQuery refuses this query ({rule}: {_KINDS[rule]}): {detail}", "syntax")


def text_of(node: exp.Expr) -> str:
    """The text of an expression; of a function that lacks arguments, its name."""
    try:
        return node.sql("bigquery")
    except FAULTS:
        return node.key.upper()
