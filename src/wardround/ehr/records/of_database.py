"""The records of a database: its layout's map, or a map of its own, and the latest time in it."""

from datetime import datetime
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.records.dialect_forms import dialect_of
from wardround.ehr.records.map_file import read_map
from wardround.ehr.records.model import RecordMap
from wardround.ehr.records.recognition import present_kinds, record_map
from wardround.ehr.records.views import view

# One day; the user can interrupt.
_SECONDS = 86_400.0
# Later times stand for "never ends" or "unknown".
_NEVER = "9000-01-01"


def records_of(database: Database, path: Path | None = None) -> RecordMap:
    """The record map of a database, without what the database lacks.

    Args:
        database: The database.
        path: A map of its own; that of its layout if left out.

    Raises:
        UserError: The map cannot be read, none is known for the layout, or it finds no patient.
    """
    columns = {t: [column.name for column in database.columns(t)] for t in database.tables()}
    if path:
        found = present_kinds(read_map(path), columns)
        by = f"the record map {path}"
        remedy = f"see `wardround doctor {database.url} --map {path}`"
    else:
        known = record_map(columns)
        if known is None:
            raise UserError(
                f"Database {database.url} has tables of its own; propose a record map with "
                f"`wardround data map {database.url} --to map.toml`, read it, and give it with "
                "--map."
            )
        found, by = known, f"the layout {known.layout}"
        remedy = f"see `wardround doctor {database.url}`"
    if not found.has("patient", "patient"):
        raise UserError(f"Database {database.url} has no table of patients by {by}; {remedy}.")
    if not _has_rows(view(found, "patient", dialect_of(database)), database):
        raise UserError(f"Database {database.url} has no patient, so there is nothing to ask.")
    return found


def latest_time(records: RecordMap, database: Database) -> datetime | None:
    """The latest time of any record, to the second; None where no record has a time."""
    dialect = dialect_of(database)
    times = []
    for kind in records.kinds:
        if records.has(kind, "time"):
            rows = view(records, kind, dialect, ("time",))
            sql = f"SELECT MAX(e.time) FROM ({rows}) e WHERE e.time < '{_NEVER}'"  # noqa: S608
            ((cell,),) = database.execute(sql, rows=1, seconds=_SECONDS).rows
            times += [datetime.fromisoformat(str(cell))] if cell else []
    latest = max((time.replace(tzinfo=None) for time in times), default=None)
    return latest.replace(microsecond=0) if latest else None


def _has_rows(query: str, database: Database) -> bool:
    return bool(database.execute(f"SELECT 1 FROM ({query}) e LIMIT 1", rows=1).rows)  # noqa: S608
