"""Lets queries run on Spark and nothing else, told apart by Spark's own parser."""

import json
from collections.abc import Iterator
from typing import Any

from wardround.ehr.database.interface import QueryError

# Nodes that the top of a query can be. By Spark's grammar everything below it is a query too, but
# for inserts, which hide under WITH and UNION.
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

# These run a program on the cluster's machines, call any Java method, write, or tell where files
# are.
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
    """The analysed plan of one query, which has not run yet.

    Raises:
        QueryError: If it is not a query, or asks for more than reading.
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
    """The class of every node and expression, those of subqueries included."""
    if isinstance(plan, dict):
        if isinstance(kind := plan.get("class"), str):
            yield kind.rpartition(".")[2]
        for part in plan.values():
            yield from _nodes(part)
    elif isinstance(plan, list):
        for part in plan:
            yield from _nodes(part)
