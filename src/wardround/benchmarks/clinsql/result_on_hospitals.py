"""Compares the whole result of a query with the gold's on the run's database, then on others."""

from collections.abc import Iterator

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.result_comparison import AskedForm, compared_result

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
    wanted = here.of(gold)
    if not wanted.rows:
        return Finding("undecided", "the gold gives no row here")
    found = _compared(here.of(sql), wanted, asked)
    for hospital in hospitals if found.state == "passed" else ():
        wanted = hospital.of(gold)
        elsewhere = _compared(hospital.of(sql), wanted, asked) if wanted.succeeded else found
        if elsewhere.state != "passed":
            return Finding(elsewhere.state, f"{elsewhere.reason} on another hospital")
    return found


def _compared(mine: Execution, gold: Execution, asked: AskedForm) -> Finding:
    if mine.kind in _STOPPED:
        return Finding("undecided", "the query is stopped")
    if not mine.succeeded:
        return Finding("failed", f"the query fails ({mine.kind})")
    wanted = ResultFacts(gold.columns, gold.rows)
    return compared_result(ResultFacts(mine.columns, mine.rows), wanted, asked)
