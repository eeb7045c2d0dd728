"""The current time of questions about a database: a published one, or one from its records."""

from collections.abc import Collection, Mapping
from datetime import datetime

from wardround.core.current_time import CurrentTime
from wardround.core.option_types import TIME_FORMAT
from wardround.ehr.database import Database
from wardround.ehr.database.interface import ColumnInfo
from wardround.ehr.schema import Table, load_schema, quoted, recognise

# One day; the user can interrupt.
_SECONDS = 86_400.0
_TIMES = {"DATE", "TIMESTAMP"}

# Later times stand for "never ends" or "unknown".
_NEVER = "9000-01-01"


def current_time(database: Database, published: str, layouts: Collection[str]) -> CurrentTime:
    """The published current time if it fits the records, else the end of the records.

    It fits unless records are later. On a schema that is none of the layouts it was published for,
    the records also have to end in its year; otherwise "last month" would hold nothing.

    Args:
        database: The database that is asked about.
        published: The current time that belongs to the tasks or to the layouts.
        layouts: The schemas for which it was published. Their records end with a year, those of
            other schemas on any day.
    """
    schema, last = latest_record(database)
    if last is None:
        return CurrentTime(published)
    is_mapped = schema not in layouts
    time = last.strftime(TIME_FORMAT)
    late = time > published
    if not late and not (is_mapped and time[:4] < published[:4]):
        return CurrentTime(published)
    end = last.replace(hour=23, minute=59, second=0, microsecond=0)
    end = end if is_mapped else end.replace(month=12, day=31)
    # The benchmarks' days end a minute before midnight; a record may be from that minute.
    end = end if end >= last else end.replace(second=59)
    side = "later than" if late else "long before"
    return CurrentTime(
        end.strftime(TIME_FORMAT),
        f"the records go to {time}, {side} {published}, the published one",
    )


def latest_record(database: Database) -> tuple[str | None, datetime | None]:
    """The schema of a database, and the latest time in its columns of times, to the second.

    Columns of other types than dates and times are looked at in known schemas only.
    """
    columns = {
        table.lower(): {info.name.lower(): info for info in infos}
        for table, infos in ((name, database.columns(name)) for name in database.tables())
    }
    name = recognise(columns)
    tables = {table.name: table for table in load_schema(name).tables} if name else {}
    latest: list[datetime] = []
    for table, infos in columns.items():
        times = [quoted(each) for each in time_columns(tables.get(table), infos)]
        if not times:
            continue
        ends = ", ".join(f"max(CASE WHEN {c} < '{_NEVER}' THEN {c} END)" for c in times)
        sql = f"SELECT {ends} FROM {quoted(table)}"  # noqa: S608
        result = database.execute(sql, rows=None, seconds=_SECONDS)
        latest += [time for cell in result.rows[0] if (time := _time(cell)) is not None]
    return name, max(latest, default=None)


def _time(cell: object) -> datetime | None:
    """A time of an engine to the second; None of other texts, which some engines allow."""
    try:
        time = datetime.fromisoformat(str(cell))
    except ValueError:
        return None
    return time.replace(tzinfo=None, microsecond=0)


def time_columns(table: Table | None, columns: Mapping[str, ColumnInfo]) -> list[str]:
    """The time columns, by schema or else by declared type.

    Args:
        table: The table's definition in the schema, if any.
        columns: The existing columns, by name in lower case.

    >>> time_columns(None, {"seen": ColumnInfo("Seen", "DATE"), "n": ColumnInfo("N", "INT")})
    ['Seen']
    """
    if table is None:
        return [
            info.name for info in columns.values() if info.type.startswith(("DATE", "TIMESTAMP"))
        ]
    declared = [column.name for column in table.columns if column.type in _TIMES]
    return [columns[name].name for name in declared if name in columns]
