"""A copy of a database that holds some patients' rows only, for people who may see no others.

What is not in the file can be reached by no query, catalogue or file name.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.ehr.database import Database, open_database
from wardround.ehr.database.interface import ColumnInfo
from wardround.ehr.database.names import quote_name
from wardround.ehr.ingest.attached_copy import AttachedCopy, attached_copy
from wardround.ehr.ingest.patient_removal import id_levels, sql_list
from wardround.ehr.records import dialect_of, record_map, view
from wardround.ehr.schema import load_schema, recognise

_SECONDS = 600.0
# The kinds of record of a stay in a unit, with the columns that name it.
_UNITS = {"icu": ("name", "last", "ward"), "transfer": ("name", "ward")}

Tables = Mapping[str, Sequence[ColumnInfo]]


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


@dataclass(frozen=True, slots=True)
class _IdColumns:
    """The identifying columns of a layout from the person down, and those of each table."""

    levels: Sequence[str]
    tables: Mapping[str, tuple[str, ...]]


def scoped_copy(location: str, folder: Path, scope: Scope) -> str:
    """Copies the rows of a database that a person may see into a new file.

    A row is copied if it has an identifier of the patients and none of anyone else. A table without
    identifying columns is copied if the layout has it, with the layout's columns, and is empty
    otherwise. Enumerations become texts; views are left out.

    Args:
        location: A SQLite or DuckDB file.
        folder: A private folder for the copy.
        scope: What the person may see.

    Returns:
        The copy's path.

    Raises:
        UserError: The database is not a file, its layout does not say which rows are whose, or a
            patient, unit or column does not exist.
    """
    if is_url(location):
        raise UserError(
            f"Patients, units and columns of {location} cannot be withheld from a person; serve a "
            "SQLite or DuckDB file, or leave them out of the users' file and serve each group with "
            "a role of the server that sees no more than they may."
        )
    source = Path(location).expanduser()
    copy = folder / source.name
    with closing(open_database(location)) as database:
        described = database.columns_by_table()
        in_units = _patients_in(database, described, scope.units) if scope.units else None
        dialect = database.dialect
    with attached_copy(source, copy, dialect) as opened:
        tables = {table: described[table] for table in opened.source_tables()}
        masked = _masked(tables, scope.masked)
        parts = dict.fromkeys(tables, _Part())
        if scope.patients or in_units is not None:
            id_columns = _id_columns(location, tables)
            _keep_identifiers(opened, location, id_columns, scope.patients, in_units)
            parts = _own_parts(tables, id_columns)
        for table, part in parts.items():
            opened.copy_rows(table, tables[table], part.hidden | masked[table], part.where)
    return str(copy)


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


def _id_columns(location: str, tables: Tables) -> _IdColumns:
    names = {table: [column.name for column in columns] for table, columns in tables.items()}
    levels = id_levels(location, names)
    return _IdColumns(
        levels,
        {
            table: tuple(level for level in levels if level in {name.lower() for name in each})
            for table, each in names.items()
        },
    )


def _own_parts(tables: Tables, id_columns: _IdColumns) -> dict[str, _Part]:
    """The part of each table that is of the patients, or of nobody.

    A table is of nobody if its layout gives it no identifying column: one that lacks its own is
    still about patients.
    """
    layout = recognise({table: [c.name for c in columns] for table, columns in tables.items()})
    schema = load_schema(layout).tables if layout else ()
    known = {table.name: {column.name for column in table.columns} for table in schema}
    of_nobody = {name: names for name, names in known.items() if not names & {*id_columns.levels}}
    parts = {}
    for table, columns in tables.items():
        if of_patients := id_columns.tables[table]:
            parts[table] = _Part(_own_row(of_patients))
        elif (layout_columns := of_nobody.get(table.lower())) is None:
            parts[table] = _Part("1 = 0")
        else:
            added = (c.name for c in columns if c.name.lower() not in layout_columns)
            parts[table] = _Part(hidden=frozenset(added))
    return parts


def _keep_identifiers(
    opened: AttachedCopy,
    location: str,
    id_columns: _IdColumns,
    patients: Collection[str],
    in_units: Collection[str] | None,
) -> None:
    """Notes the identifiers of the patients and of their stays as they are stored.

    Raises:
        UserError: A patient does not exist.
    """
    level = id_columns.levels[0]
    everyone = _union(
        f"SELECT {level} AS id FROM {_source(table)}"  # noqa: S608
        for table, columns in id_columns.tables.items()
        if level in columns
    )
    limits = [each for each in (patients or None, in_units) if each is not None]
    condition = " AND ".join(
        f"CAST(id AS VARCHAR) IN ({sql_list(each)})" if each else "1 = 0" for each in limits
    )
    if patients:
        stored = f"SELECT CAST(id AS VARCHAR) FROM ({everyone}) e WHERE CAST(id AS VARCHAR) IN "  # noqa: S608
        present = {str(row[0]) for row in opened.query(f"{stored}({sql_list(patients)})")}
        if absent := sorted(set(patients) - present):
            raise UserError(f"Database {location} has no {level} {', '.join(absent)}.")
    sql = f"SELECT id FROM ({everyone}) e WHERE {condition}"  # noqa: S608
    opened.execute(f"CREATE TEMP TABLE {_own(level)} AS {sql}")
    for lower in id_columns.levels[1:]:
        _keep_stays(opened, lower, id_columns.tables)


def _keep_stays(opened: AttachedCopy, level: str, id_columns: Mapping[str, Sequence[str]]) -> None:
    """Notes the identifiers, such as stays, that belong to the patients and to nobody else."""
    higher = {
        table: columns[: columns.index(level)]
        for table, columns in id_columns.items()
        if level in columns and columns[0] != level
    }
    stays = _union(
        f"SELECT {level} AS id FROM {_source(table)} WHERE {_own_row(columns)}"  # noqa: S608
        for table, columns in higher.items()
    )
    opened.execute(f"CREATE TEMP TABLE {_own(level)} AS {stays or 'SELECT NULL AS id'}")
    for table, columns in higher.items():
        shared = f"SELECT {level} FROM {_source(table)} WHERE NOT {_own_identifiers(columns)}"  # noqa: S608
        opened.execute(
            f"DELETE FROM {_own(level)} WHERE id IN "  # noqa: S608
            f"(SELECT {level} FROM ({shared}) e WHERE {level} IS NOT NULL)"
        )
    opened.execute(f"DELETE FROM {_own(level)} WHERE id IS NULL")  # noqa: S608


def _union(queries: Iterable[str]) -> str:
    """The distinct rows of queries; those of the first come first, whose type counts."""
    return " UNION ".join(queries)


def _source(table: str) -> str:
    return f"source.{quote_name(table)}"


def _own(level: str) -> str:
    """The temporary table of the identifiers that a person may see."""
    return f"own_{level}"


def _own_row(columns: Sequence[str]) -> str:
    """The condition that a row has an identifier of the patients and none of anyone else."""
    filled = " OR ".join(f"{column} IS NOT NULL" for column in columns)
    return f"(({filled}) AND {_own_identifiers(columns)})"


def _own_identifiers(columns: Sequence[str]) -> str:
    """The condition that each identifier of a row is missing or of the patients."""
    each = (f"({name} IS NULL OR {name} IN (SELECT id FROM {_own(name)}))" for name in columns)  # noqa: S608
    return f"({' AND '.join(each)})"
