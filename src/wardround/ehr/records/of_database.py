"""The records of a database: its layout's map or its own, and the latest time in it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.records.dialect_forms import dialect_of
from wardround.ehr.records.inspection import absent_names
from wardround.ehr.records.map_file import read_map
from wardround.ehr.records.model import RecordMap
from wardround.ehr.records.recognition import present_kinds, record_map
from wardround.ehr.records.views import view

# One day; the user can interrupt.
_SECONDS = 86_400.0
# Later times mean "never ends" or "unknown".
_NEVER = "9000-01-01"
# A vocabulary is one also where it is empty.
_TERMS = ("synonym", "class")


def records_of(database: Database, path: Path | None = None) -> RecordMap:
    """The record map of a database, without what the database lacks; empty tables count as absent.

    Args:
        database: The database.
        path: A map of its own; that of its layout if left out.

    Raises:
        UserError: The map cannot be read, names a table or column that the database lacks, or finds
            no patient; or the layout has no map.
    """
    columns = {t: [column.name for column in database.columns(t)] for t in database.tables()}
    if path:
        written = read_map(path)
        _check_names(written, columns, path, database.url)
        records, by = present_kinds(written, columns), f"the record map {path}"
        remedy = f"see `wardround doctor {database.url} --map {path}`"
    else:
        layout_map = record_map(columns)
        if layout_map is None:
            raise UserError(
                f"Database {database.url} has tables of its own; propose a record map with "
                f"`wardround data map {database.url} --to map.toml`, read it, and give it with "
                "--map."
            )
        records, by = layout_map, f"the layout {layout_map.layout}"
        remedy = f"see `wardround doctor {database.url}`"
    if not records.has("patient", "patient"):
        raise UserError(f"Database {database.url} has no table of patients by {by}; {remedy}.")
    dialect = dialect_of(database)
    filled = {
        kind: sources
        for kind, sources in records.kinds.items()
        if kind in _TERMS or _has_rows(view(records, kind, dialect), database)
    }
    if "patient" not in filled:
        raise UserError(f"Database {database.url} has no patient, so there is nothing to ask.")
    return replace(records, kinds=filled)


def _check_names(
    records: RecordMap, columns: Mapping[str, Sequence[str]], path: Path, url: str
) -> None:
    """Refuse a file that names what a database lacks; a map that it changes may have more."""
    text = path.read_text(encoding="utf-8")
    written = {kind: records.kinds[kind] for kind in tomllib.loads(text) if kind in records.kinds}
    for fault in absent_names(replace(records, kinds=written), columns, text):
        raise UserError(f"The record map does not fit {url}: {path}, {fault}")


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
