"""Runs of an item's query, each an entry of its log."""

from wardround.annotation.clinsql.item_changes import ItemChange
from wardround.annotation.clinsql.rules import result_digest
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.published.result_files import write_csv
from wardround.core.errors import UserError


def ran(executions: Executions, sql: str) -> Execution:
    """The outcome of a query.

    Raises:
        UserError: There is no query.
    """
    if not sql.strip():
        raise UserError("There is no query to run; write one.")
    return executions.of(sql)


def log_run(change: ItemChange, sql: str, outcome: Execution) -> None:
    """Logs a run with the digest of its result; it ran before the item was held.

    Raises:
        UserError: The item's query is another one by now.
    """
    if change.record.field("sql").text != sql:
        raise UserError("The query was changed meanwhile; run it again.")
    values = {"error": outcome.error, "result": result_digest(csv_of(outcome))}
    change.log("ran", "sql", sql, values)


def prove_result(outcome: Execution, stored: str) -> None:
    """Refuses a stored result that is not the query's.

    Raises:
        UserError: The query fails, or its result is not the stored one.
    """
    result = csv_of(outcome)
    if not result or result_digest(result) != result_digest(stored):
        raise UserError("The query does not give the stored result; run it and look.")


def csv_of(outcome: Execution) -> str:
    """A result as it is stored; "" for a query that failed."""
    return write_csv(outcome.csv) if outcome.succeeded else ""
