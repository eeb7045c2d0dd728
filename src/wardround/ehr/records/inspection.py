"""The findings of a record map in a database, and the places where the two do not fit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from wardround.ehr.database import Database, Dialect, QueryError
from wardround.ehr.records.dialect_forms import days_between, dialect_of
from wardround.ehr.records.map_file import line_of
from wardround.ehr.records.model import RecordMap, record_kinds
from wardround.ehr.records.recognition import missing, present_kinds
from wardround.ehr.records.views import view
from wardround.ehr.schema import headless_tables

# Enough rows to see a wrong type; records of a stay may be entered a day before or after it.
_SAMPLE = 200
_STAYS = {"stay": "icu", "admission": "admission"}
_KEYS = {**{kind: kind for kind in ("patient", "admission", "visit", "hospital")}, "icu": "stay"}
_ZONE = re.compile(r"\d(Z|[+-]\d\d(:?\d\d)?)$")
_SLACK = 1.0


@dataclass(frozen=True, slots=True)
class KindFacts:
    """The records of a kind.

    Attributes:
        records: How many there are.
        patients: How many patients they are of; None for a kind of no patient.
        without_patient: How many are of nobody in the kind `patient`.
        outside: How many are more than a day before or after the stay that they name; None if the
            kind names no stay.
        columns: The columns that the map gives.
    """

    kind: str
    records: int
    patients: int | None
    without_patient: int
    outside: int | None
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapFacts:
    """The findings of a map.

    Attributes:
        kinds: The kinds that the database has records of.
        absent: The other kinds: the map lacks them, or their tables are missing or empty.
        faults: Sentences on what does not fit, each with its line of the map.
    """

    layout: str
    kinds: tuple[KindFacts, ...]
    absent: tuple[str, ...]
    faults: tuple[str, ...]


def examine_records(records: RecordMap, database: Database, text: str, name: str) -> MapFacts:
    """Read every kind of a map in a database.

    Args:
        records: The map.
        database: The database.
        text: The text of the map's file, for the lines of faults.
        name: The file's name.

    Raises:
        UserError: Views are not written for the database's engine.
    """
    columns = {t: [column.name for column in database.columns(t)] for t in database.tables()}
    present = present_kinds(records, columns)
    names = (*absent_names(records, columns, text), *_shared(records, text))
    faults = [f"{name}, {each}" for each in names]
    kinds = []
    for kind in present.kinds:
        try:
            wrong = _wrong_types(present, kind, database)
            if not wrong:
                kinds.append(_kind_facts(present, kind, database))
        except QueryError as error:  # the engine's message may quote a patient's value
            wrong = [f"{kind!r} cannot be read: the database reports a {error.kind} error."]
        faults += [f"{name}, line {line_of(text, kind)}: {each}" for each in wrong]
    contradictions = _contradictions(kinds) if "patient" in records.kinds else _NOBODY
    faults += [f"{name}, line {line_of(text, kind)}: {each}" for kind, each in contradictions]
    filled = tuple(each for each in kinds if each.records)
    empty = {each.kind for each in kinds if not each.records}
    absent = tuple(k for k in record_kinds() if k in empty or not present.has(k))
    return MapFacts(records.layout, filled, absent, tuple(faults))


def absent_names(
    records: RecordMap, columns: Mapping[str, Sequence[str]], text: str
) -> Iterator[str]:
    """Sentences on the tables and columns that a map names and a database lacks, with the line."""
    headless = {table.lower() for table in headless_tables(columns)}
    tables = {table.lower() for table in columns} - headless
    for kind, sources in records.kinds.items():
        absent = missing(RecordMap("", {kind: sources}), columns)
        for table in dict.fromkeys(table for table, _ in absent if table not in tables):
            line = line_of(text, kind, table)
            if table in headless:
                yield f"line {line}: {kind!r} names {table}, which was read without its header."
            else:
                yield f"line {line}: {kind!r} names no table of yours: {table}."
        for table, column in (pair for pair in absent if pair[0] in tables):
            line = line_of(text, kind, column)
            yield f"line {line}: {kind!r} names a column that {table} has not: {column}."


def _kind_facts(records: RecordMap, kind: str, database: Database) -> KindFacts:
    columns, dialect = records.columns(kind), dialect_of(database)
    rows = f"({view(records, kind, dialect)}) e"
    if "patient" not in columns:
        ((count,),) = database.execute(f"SELECT COUNT(*) FROM {rows}").rows  # noqa: S608
        return KindFacts(kind, int(count or 0), None, 0, None, columns)
    people = f"({view(records, 'patient', dialect)}) p" if records.has("patient") else ""
    is_known = f"EXISTS (SELECT 1 FROM {people} WHERE p.patient = e.patient)" if people else "1 = 0"  # noqa: S608
    unknown = f"SUM(CASE WHEN {is_known} THEN 0 ELSE 1 END)"
    sql = f"SELECT COUNT(*), COUNT(DISTINCT e.patient), {unknown} FROM {rows}"  # noqa: S608
    ((count, patients, nobody),) = database.execute(sql).rows
    outside = _outside(records, kind, database)
    return KindFacts(kind, int(count or 0), int(patients or 0), int(nobody or 0), outside, columns)


def _outside(records: RecordMap, kind: str, database: Database) -> int | None:
    """The records more than a day before or after their stay; None if they name no stay."""
    columns, dialect = records.columns(kind), dialect_of(database)
    key = next((k for k, of in _STAYS.items() if k in columns and records.has(of, "time")), "")
    if kind in _STAYS.values() or not key or "time" not in columns:
        return None
    stays, rows = view(records, _STAYS[key], dialect), view(records, kind, dialect)
    early = f"{_days(dialect, 'e.time', 's.time')} > {_SLACK}"
    late = f"{_days(dialect, 's.finish', 'e.time')} > {_SLACK}"
    has_finish = records.has(_STAYS[key], "finish")
    either = f"({early} OR {late})" if has_finish else early
    sql = (
        f"SELECT COUNT(*) FROM ({rows}) e JOIN ({stays}) s ON s.{key} = e.{key} "  # noqa: S608
        f"WHERE {either}"
    )
    ((count,),) = database.execute(sql).rows
    return int(count or 0)


def _days(dialect: Dialect, start: str, end: str) -> str:
    """The days between two columns, which may be dates."""
    ends = [exp.cast(exp.column(*reversed(each.split("."))), "TIMESTAMP") for each in (start, end)]
    if dialect == "sqlite":
        ends = [each.this for each in ends]
    return days_between(ends[0], ends[1], dialect).sql(dialect)


def _wrong_types(records: RecordMap, kind: str, database: Database) -> list[str]:
    """Columns whose cells are not what the kind says."""
    types, columns = record_kinds()[kind].columns, records.columns(kind)
    sql = f"SELECT * FROM ({view(records, kind, dialect_of(database))}) e"  # noqa: S608
    rows = database.execute(sql, rows=_SAMPLE).rows
    return [
        f"column {column!r} of {kind!r} {wrong}."
        for at, column in enumerate(columns)
        if (wrong := _wrong_cells(types[column], [row[at] for row in rows]))
    ]


def _wrong_cells(type: str, cells: Sequence[object]) -> str:
    """The reason why cells are not of a type; empty if they are."""
    if not all(_fits(type, cell) for cell in cells):
        return f"must be a {type}, but some of its cells are not"
    zoned = type == "time" and any(_ZONE.search(str(cell)[10:]) for cell in cells)
    return "has a time zone; times are compared as local ones, so remove it in the map" * zoned


def _fits(type: str, cell: object) -> bool:
    if cell is None or type not in ("number", "time"):
        return True
    if type == "number":
        return isinstance(cell, int | float)
    try:
        datetime.fromisoformat(str(cell))
    except ValueError:
        return False
    return True


_NOBODY = (("patient", "there is no kind 'patient', so no record belongs to anybody."),)


def _contradictions(kinds: list[KindFacts]) -> Iterator[tuple[str, str]]:
    """Faults that no map of a clinical record can have, by kind; one fault of records of nobody."""
    patients = next((each for each in kinds if each.kind == "patient"), None)
    if patients is None:  # it cannot be read, which is said
        return
    if not patients.records:
        yield "patient", "the kind 'patient' has no rows, so no record belongs to anybody."
        return
    if patients.records != patients.patients:
        rows = f"'patient' has {patients.records:,} rows for {patients.patients:,} patients."
        yield "patient", rows
    for each in kinds:
        if each.without_patient:
            some = f"{each.without_patient:,} of {each.records:,} rows"
            yield each.kind, f"{some} of {each.kind!r} are of nobody."


def _shared(records: RecordMap, text: str) -> Iterator[str]:
    """Kinds whose records have one key: then each row is a record of both."""
    seen: dict[tuple[str, str, str], str] = {}
    for kind, source in ((k, each) for k, sources in records.kinds.items() for each in sources):
        key = source.columns.get(_KEYS.get(kind, "record"))
        if key is None:
            continue
        first = seen.setdefault((source.tables.split()[0], source.where, key.sql), kind)
        if first != kind:
            line = line_of(text, kind, "from")
            yield f"line {line}: {kind!r} has the rows and the key of {first!r}, {key.sql}."
