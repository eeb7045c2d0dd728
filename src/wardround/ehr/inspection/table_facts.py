"""Row counts and time ranges of tables, in one pass."""

from collections.abc import Collection

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_text
from wardround.ehr.inspection.findings import TableFacts, TimeSpan
from wardround.ehr.schema import quoted

# One day; the user can interrupt.
_SECONDS = 86_400.0


def query_row(database: Database, sql: str) -> tuple[Cell, ...]:
    """The single row of a query."""
    return database.execute(sql, rows=1, seconds=_SECONDS).rows[0]


def query_number(database: Database, sql: str) -> int:
    """The single number of a query."""
    return int(str(query_row(database, sql)[0]))


def table_facts(
    database: Database, table: str, times: Collection[str], current_time: str | None
) -> TableFacts:
    """The row count and time ranges of a table.

    Args:
        database: The database.
        table: The table's name in the database.
        times: Its time columns.
        current_time: The time after which rows count as late, if any.
    """
    ends = "".join(f", min({quoted(c)}), max({quoted(c)})" for c in times)
    rows, *limits = query_row(database, f"SELECT count(*){ends} FROM {quoted(table)}")  # noqa: S608
    spans = (
        _span(database, table, column, first, last, current_time)
        for column, first, last in zip(times, limits[::2], limits[1::2], strict=True)
    )
    return TableFacts(table, int(str(rows)), tuple(spans))


def _span(
    database: Database, table: str, column: str, first: Cell, last: Cell, now: str | None
) -> TimeSpan:
    if first is None or last is None:
        return TimeSpan(table, column, None, None)
    late = 0
    if now and str(last) > now:
        which = f"{quoted(column)} > {quote_text(now)}"
        sql = f"SELECT count(*) FROM {quoted(table)} WHERE {which}"  # noqa: S608
        late = query_number(database, sql)
    return TimeSpan(table, column, str(first), str(last), late)
