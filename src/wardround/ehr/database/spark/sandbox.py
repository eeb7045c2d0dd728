"""Permits queries only on Spark, checked by Spark's own parser."""

import json
from collections.abc import Iterator
from typing import Any

from wardround.ehr.database.interface import QueryError

# Root nodes of queries. By Spark's grammar everything below is a query too, except inserts, which
# can occur under WITH and UNION.
_QUERIES = {
    "Aggregate",
    "Distinct",
    "Except",
    "Filter",
    "GlobalLimit",
    "Intersect",
    "LocalLimit",
    "LocalRelation",
    "Offset",
    "Project",
    "Sort",
    "SubqueryAlias",
    "Union",
    "UnresolvedHaving",
    "UnresolvedInlineTable",
    "UnresolvedRelation",
    "UnresolvedWith",
    "WithWindowDefinition",
}

# Expressions that run programs on the cluster, call Java methods, write, or reveal file paths.
_FORBIDDEN = {
    "CallMethodViaReflection": "a call of Java",
    "InputFileBlockLength": "the name of a file",
    "InputFileBlockStart": "the name of a file",
    "InputFileName": "the name of a file",
    "InsertIntoStatement": "INSERT",
    "ScriptTransformation": "TRANSFORM",
    "TryReflect": "a call of Java",
}


def plan_of(session: Any, sql: str) -> Any:
    """The analysed plan of one query, without running it.

    Raises:
        QueryError: If it is not a query, or does more than read.
    """
    state = session._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan(sql)
    if parsed.getClass().getSimpleName() not in _QUERIES:
        raise _denied("a command")
    _check(parsed)
    analysed = state.analyzer().execute(parsed)
    _check(analysed)
    return parsed


def _check(plan: Any) -> None:
    for name in _nodes(json.loads(plan.toJSON())):
        if name in _FORBIDDEN:
            raise _denied(_FORBIDDEN[name])


def _denied(what: str) -> QueryError:
    return QueryError(f"Only reading is allowed here, not {what}; send one SELECT.", "denied")


def _nodes(plan: Any) -> Iterator[str]:
    """The class names of all nodes and expressions, including subqueries."""
    if isinstance(plan, dict):
        if isinstance(kind := plan.get("class"), str):
            yield kind.rpartition(".")[2]
        for part in plan.values():
            yield from _nodes(part)
    elif isinstance(plan, list):
        for part in plan:
            yield from _nodes(part)
