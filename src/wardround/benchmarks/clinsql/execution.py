"""Runs each submitted or gold query once and keeps its outcome, which many leaves ask about."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.benchmarks.clinsql.items.result_files import CsvTable, csv_table
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.ehr.database import Cell, Database, QueryError, ResultTable

# Published golds have at most 1,773 rows; a longer result than this is an error of its query.
MOST_ROWS = 1_000_000
_KEPT, _KEPT_ROWS, _KEPT_ANCHORS = 256, 5_000, 1_000


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of a query.

    Attributes:
        columns: the result's column names; empty if there is none.
        rows: its rows.
        error: why there is no result; "" if there is one.
        kind: the kind of the `QueryError`, if there is no result.
    """

    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    error: str = ""
    kind: str = ""

    @property
    def succeeded(self) -> bool:
        """True if the query gave a result, of no rows as well."""
        return not self.error

    @property
    def csv(self) -> CsvTable:
        """The result in the published form; the placeholder if it failed or gave no row."""
        return csv_table(self.columns, self.rows)


class Executions:
    """Outcomes of queries on a database; any thread may use it.

    Args:
        database: where queries run.
        seconds: the time limit of a query.
    """

    def __init__(self, database: Database, seconds: float) -> None:
        self.database = database
        self.seconds = seconds
        self._known = BoundedCache[str, Execution](_KEPT)
        self._without = BoundedCache[int, Executions](_KEPT_ANCHORS)

    def hiding(self, subject_id: int | None) -> "Executions":
        """Outcomes on the database without a patient's rows; on the whole one for None."""
        if subject_id is None:
            return self
        return self._without.computed(
            subject_id, lambda: Executions(self.database.hiding(subject_id), self.seconds), bool
        )

    def of(self, sql: str) -> Execution:
        """The outcome of a query; one that reached a limit is not run again either."""
        return self._known.computed(sql, lambda: self._run(sql), _lasts)

    def remember(self, sql: str, result: ResultTable) -> None:
        """Keeps the result of an agent's own query, if it is whole."""
        if not result.truncated and len(result.rows) <= _KEPT_ROWS:
            self._known.add(sql, Execution(result.columns, result.rows))

    def _run(self, sql: str) -> Execution:
        try:
            result = self.database.execute(sql, rows=MOST_ROWS, seconds=self.seconds)
        except QueryError as error:
            return Execution(error=str(error), kind=error.kind)
        if result.truncated:
            return Execution(error=f"The result has more than {MOST_ROWS:,} rows.", kind="limit")
        return Execution(result.columns, result.rows)


def _lasts(execution: Execution) -> bool:
    return len(execution.rows) <= _KEPT_ROWS
