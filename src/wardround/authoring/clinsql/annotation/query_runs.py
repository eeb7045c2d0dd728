"""Runs of an item's query, each an entry of its log."""

from wardround.authoring.clinsql.annotation.item_changes import ItemChange
from wardround.authoring.clinsql.annotation.rules import result_digest
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.result_files import write_csv
from wardround.core.errors import UserError


def ran(executions: Executions, sql: str) -> Execution:
    """The outcome of a query.

    Raises:
        UserError: There is no query.
    """
    if not sql.strip():
        raise UserError("There is no query to run; write one.")
    return executions.of(sql)


def recorded_run(change: ItemChange, executions: Executions) -> Execution:
    """Runs the item's query and logs the digest of its result."""
    sql = change.record.field("sql").text
    outcome = ran(executions, sql)
    values = {"error": outcome.error, "result": result_digest(_csv(outcome))}
    change.log("ran", "sql", sql, values)
    return outcome


def prove_result(change: ItemChange, executions: Executions, stored: str) -> None:
    """Runs the query once more for the validator.

    Raises:
        UserError: It fails, or its result is not the stored one.
    """
    result = _csv(recorded_run(change, executions))
    if not result or result_digest(result) != result_digest(stored):
        raise UserError("The query does not give the stored result; run it and look.")


def _csv(outcome: Execution) -> str:
    return write_csv(outcome.csv) if outcome.succeeded else ""
