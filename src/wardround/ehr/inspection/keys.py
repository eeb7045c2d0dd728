"""Finds keys that are not unique and keys that dangle, one query each."""

from collections.abc import Collection, Iterator, Mapping

from wardround.ehr.database import Database
from wardround.ehr.database.interface import ColumnInfo
from wardround.ehr.ingest.patient_removal import identifying_columns
from wardround.ehr.inspection.findings import Dangling, Repeated
from wardround.ehr.inspection.full_scan import ask_number
from wardround.ehr.schema import Schema, Table, quoted

Columns = Mapping[str, Mapping[str, ColumnInfo]]


def repeated_keys(database: Database, schema: Schema, present: Columns) -> Iterator[Repeated]:
    """The keys of the schema that are not unique.

    A primary key that the database itself declares is unique by that and not looked at.

    Args:
        database: The database.
        schema: Says what the keys are.
        present: The columns that are there by table, in lower case.
    """
    for table in schema.tables:
        columns = present.get(table.name, {})
        for key in _keys(table, columns):
            if rows := _repeats(database, table.name, key):
                yield Repeated(table.name, key, rows)


def _keys(table: Table, columns: Mapping[str, ColumnInfo]) -> list[tuple[str, ...]]:
    declared = {name for name, info in columns.items() if info.primary_key}
    single = [(column.name,) for column in table.columns if column.unique]
    keys = [key for key in (table.key, *single) if key and declared != set(key)]
    return [key for key in keys if set(key) <= columns.keys()]


def _repeats(database: Database, table: str, key: Collection[str]) -> int:
    names = ", ".join(quoted(column) for column in key)
    filled = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in key)
    return ask_number(
        database,
        f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM {quoted(table)}"  # noqa: S608
        f" WHERE {filled} GROUP BY {names} HAVING count(*) > 1) AS repeats",
    )


def dangling_keys(database: Database, schema: Schema, present: Columns) -> Iterator[Dangling]:
    """The columns that point at what is not there.

    A column that points at several tables, as a cost's event, dangles where none has its value. A
    column whose tables are missing altogether is passed over: the missing table is the finding.
    """
    personal = identifying_columns(column for table in present.values() for column in table)
    for table in schema.tables:
        for column, targets in _pointers(table, present).items():
            if rows := _loose(database, table.name, column, targets):
                names = tuple(f"{where}.{target}" for where, target in targets)
                yield Dangling(table.name, column, names, rows, column in personal)


def _pointers(table: Table, present: Columns) -> dict[str, list[tuple[str, str]]]:
    pointers: dict[str, list[tuple[str, str]]] = {}
    for key in table.foreign_keys:
        if key.column in present.get(table.name, {}):
            pointers.setdefault(key.column, []).append((key.table, key.target))
    return {
        column: targets
        for column, targets in pointers.items()
        if all(target in present.get(where, {}) for where, target in targets)
    }


def _loose(database: Database, table: str, column: str, targets: list[tuple[str, str]]) -> int:
    # Joins and not EXISTS: SQLite then makes an index of the other side once, not row by row.
    joins = "".join(
        f" LEFT JOIN (SELECT DISTINCT {quoted(target)} AS k{n} FROM {quoted(where)}) AS t{n}"  # noqa: S608
        f" ON t{n}.k{n} = given.{quoted(column)}"
        for n, (where, target) in enumerate(targets)
    )
    nowhere = "".join(f" AND t{n}.k{n} IS NULL" for n in range(len(targets)))
    return ask_number(
        database,
        f"SELECT count(*) FROM {quoted(table)} AS given{joins}"  # noqa: S608
        f" WHERE given.{quoted(column)} IS NOT NULL{nowhere}",
    )
