"""Counts a table's rows and finds the spans of its times, in one pass."""

from collections.abc import Collection, Mapping

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_text
from wardround.ehr.inspection.findings import TableFacts, TimeSpan
from wardround.ehr.inspection.full_scan import ask, ask_number
from wardround.ehr.schema import Table, quoted

_TIMES = {"DATE", "TIMESTAMP"}


def table_facts(
    database: Database, table: str, times: Collection[str], current_time: str | None
) -> TableFacts:
    """Rows and spans of a table.

    Args:
        database: The database.
        table: The table's name as the database writes it.
        times: Its columns that hold times.
        current_time: The time later than which rows are counted, if any.
    """
    ends = "".join(f", min({quoted(c)}), max({quoted(c)})" for c in times)
    rows, *found = ask(database, f"SELECT count(*){ends} FROM {quoted(table)}")  # noqa: S608
    spans = (
        _span(database, table, column, first, last, current_time)
        for column, first, last in zip(times, found[::2], found[1::2], strict=True)
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
        late = ask_number(database, sql)
    return TimeSpan(table, column, str(first), str(last), late)


def time_columns(table: Table | None, columns: Mapping[str, ColumnInfo]) -> list[str]:
    """The columns that hold times, by the schema or else by the types that they are declared with.

    Args:
        table: What the schema knows of the table, if it does.
        columns: The columns that are there, by name in lower case.

    >>> time_columns(None, {"seen": ColumnInfo("Seen", "DATE"), "n": ColumnInfo("N", "INT")})
    ['Seen']
    """
    if table is None:
        return [
            info.name for info in columns.values() if info.type.startswith(("DATE", "TIMESTAMP"))
        ]
    known = [column.name for column in table.columns if column.type in _TIMES]
    return [columns[name].name for name in known if name in columns]
