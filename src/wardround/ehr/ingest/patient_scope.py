"""A copy of a database that holds some patients' rows only, for people who may see no others.

No query, catalogue or file name reaches what is not in the file.
"""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.database.engine import PrivateCopy, engine_of
from wardround.ehr.ingest.identifying_columns import (
    IdentifyingColumns,
    Layout,
    Tables,
    identifying_columns,
    is_nested,
    layout_of,
)
from wardround.ehr.ingest.own_identifiers import OwnIdentifiers
from wardround.ehr.ingest.patient_removal import sql_list
from wardround.ehr.records import dialect_of, record_map, view

_SECONDS = 600.0
# The kinds of record of a stay in a unit, with the columns that name it.
_UNITS = {"icu": ("name", "last", "ward"), "transfer": ("name", "ward")}


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a database that a person may see.

    Attributes:
        patients: the patients; empty for all.
        units: the care units or wards in which the patients have or had a stay; empty for all.
        masked: the columns that they may not see, as `table.column`.
    """

    patients: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a table that a person may see: its rows, less some columns."""

    where: str = "1 = 1"
    hidden: frozenset[str] = frozenset()


@contextmanager
def scoped_copy(location: str, folder: Path, scope: Scope) -> Iterator[PrivateCopy]:
    """Copies the rows of a database that a person may see into a new one, for the block.

    A row is copied if it has an identifier of the patients and none of anyone else, in columns of a
    site's own too that are named or declared like identifiers. A table without identifying columns
    is copied if the layout has it, with the layout's columns, and is left out otherwise.
    Enumerations become texts; nested values of a site's own and views are left out.

    Args:
        location: The database's path or URL.
        folder: A private folder for a copy that is a file.
        scope: The patients and columns that the person may see.

    Yields:
        The copy.

    Raises:
        UserError: Such a database cannot be copied, its layout does not say which rows are whose,
            or a patient, unit or column does not exist.
    """
    with closing(engine_of(location).private_copy(location, folder)) as copy:
        _fill(copy, location, scope)
        yield copy


def _fill(copy: PrivateCopy, location: str, scope: Scope) -> None:
    with closing(open_database(location)) as database:
        described = database.columns_by_table()
        in_units = _patients_in(database, described, scope.units) if scope.units else None
    with copy.fill() as opened:
        tables = {table: described[table] for table in opened.source_tables()}
        masked = _masked(tables, scope.masked)
        parts = dict.fromkeys(tables, _Part())
        if scope.patients or in_units is not None:
            layout = layout_of(tables)
            identifying = identifying_columns(location, tables, layout)
            identifiers = OwnIdentifiers(opened, identifying)
            identifiers.keep(location, scope.patients, in_units)
            parts = _own_parts(tables, layout, identifying, identifiers)
        for table, part in parts.items():
            opened.copy_rows(table, tables[table], part.hidden | masked[table], part.where)


def _patients_in(database: Database, tables: Tables, units: Collection[str]) -> list[str]:
    """The patients who have or had a stay in one of some units, as texts.

    Raises:
        UserError: The layout has no units, or a unit has no stays.
    """
    records = record_map({table: [c.name for c in columns] for table, columns in tables.items()})
    kinds = [kind for kind in _UNITS if records and records.has(kind, "patient")]
    if records is None or not kinds:
        raise UserError(f"Database {database.url} does not say which patients were in which unit.")
    patients: set[str] = set()
    present: set[str] = set()
    for kind in kinds:
        stays = view(records, kind, dialect_of(database), ("patient", *_UNITS[kind]))
        for name in sorted(set(_UNITS[kind]) & set(records.columns(kind))):
            sql = (
                f"SELECT DISTINCT CAST(e.patient AS VARCHAR), CAST(e.{name} AS VARCHAR)"  # noqa: S608
                f" FROM ({stays}) e WHERE CAST(e.{name} AS VARCHAR) IN ({sql_list(units)})"
            )
            for patient, unit in database.execute(sql, rows=None, seconds=_SECONDS).rows:
                present.add(str(unit))
                patients.update([str(patient)] if patient is not None else [])
    if absent := sorted(set(units) - present):
        raise UserError(f"Database {database.url} has no stay in the unit {', '.join(absent)}.")
    return sorted(patients)


def _masked(tables: Tables, masked: Collection[str]) -> dict[str, set[str]]:
    """The columns to mask by table, as the database writes them.

    Raises:
        UserError: There is no such column.
    """
    columns = {
        f"{table}.{c.name}".lower(): (table, c.name) for table, each in tables.items() for c in each
    }
    hidden: dict[str, set[str]] = {table: set() for table in tables}
    for name in masked:
        if name.lower() not in columns:
            raise UserError(f"The database has no column {name} to mask; name it as table.column.")
        table, column = columns[name.lower()]
        hidden[table].add(column)
    return hidden


def _own_parts(
    tables: Tables, layout: Layout, identifying: IdentifyingColumns, identifiers: OwnIdentifiers
) -> dict[str, _Part]:
    """The rows of each table that belong to the patients, or to nobody.

    A table has rows of nobody if its layout gives it no identifying column. A table that lacks the
    column of its layout is still about patients and stays empty, as does one about people whom it
    does not name. A table that the layout does not have is left out.
    """
    parts = {}
    for table, columns in tables.items():
        known = layout.tables.get(table.lower(), frozenset())
        added = [column for column in columns if column.name.lower() not in known]
        if condition := identifiers.own_row(table):
            parts[table] = _Part(condition, frozenset(c.name for c in added if is_nested(c)))
        elif known:
            is_about_people = table.lower() in layout.withheld
            is_of_nobody = known.isdisjoint(identifying.types) and not is_about_people
            rows = "1 = 1" if is_of_nobody else "1 = 0"
            parts[table] = _Part(rows, frozenset(c.name for c in added))
    return parts
