"""Compares the whole result of a query with the gold's on the run's database, then on others."""

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.query_scopes import UnreadableQueryError, parsed
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold_comparison.result_comparison import (
    AskedForm,
    compared_result,
)

# Errors of a query that was stopped: another run may end.
_STOPPED = ("timeout", "limit")


def compared_results(
    sql: str, gold: str, hospitals: Iterator[Executions], asked: AskedForm
) -> Finding:
    """The first difference of a query's result from the gold's; passed if there is none.

    Args:
        sql: The query.
        gold: The gold query.
        hospitals: The run's database, then the others, on each of which the gold's outcome is
            kept. One on which the gold fails compares nothing.
        asked: What the question asks of the form of its result.
    """
    here = next(hospitals)
    if not here.of(gold).rows:
        return Finding("undecided", "the gold gives no row here")
    found = _compared(sql, gold, here, asked)
    for hospital in hospitals if found.state == "passed" else ():
        elsewhere = _compared(sql, gold, hospital, asked)
        if elsewhere.state != "passed":
            return Finding(elsewhere.state, f"{elsewhere.reason} on another hospital")
    return found


def _compared(sql: str, gold: str, hospital: Executions, asked: AskedForm) -> Finding:
    mine, wanted = hospital.of(sql), hospital.of(gold)
    if not wanted.succeeded:
        return Finding("passed", "the gold fails there")
    if mine.kind in _STOPPED:
        return Finding("undecided", "the query is stopped")
    if not mine.succeeded:
        return Finding("failed", f"the query fails ({mine.kind})")
    found = compared_result(_facts(mine), _facts(wanted), asked)
    if found.state == "failed" and asked.digits is not None:
        return _rounded_otherwise(sql, gold, hospital, asked) or found
    return found


def _rounded_otherwise(
    sql: str, gold: str, hospital: Executions, asked: AskedForm
) -> Finding | None:
    """Passed if values a unit apart are equal before they are rounded.

    Sums differ by the order of their terms, and where they lie between two rounded numbers, so do
    these.
    """
    mine, wanted = hospital.of(sql), hospital.of(gold)
    a_unit_apart = replace(asked, units=1.0)
    if compared_result(_facts(mine), _facts(wanted), a_unit_apart).state != "passed":
        return None
    before = [hospital.of(unrounded(query)) for query in (sql, gold)]
    if not all(each.succeeded for each in before):
        return None
    mine, wanted = before
    found = compared_result(_facts(mine), _facts(wanted), replace(asked, digits=None))
    return found if found.state == "passed" else None


def unrounded(sql: str) -> str:
    """A query whose result is not rounded.

    >>> unrounded("SELECT ROUND(AVG(x), 2) AS mean FROM t")
    'SELECT AVG(x) AS mean FROM t'
    """
    try:
        query = parsed(sql).copy()
    except UnreadableQueryError:
        return sql
    for column in query.selects:
        for rounded in list(column.find_all(exp.Round)):
            rounded.replace(rounded.this)
    return query.sql("bigquery")


def _facts(result: Execution) -> ResultFacts:
    return ResultFacts(result.columns, result.rows)
