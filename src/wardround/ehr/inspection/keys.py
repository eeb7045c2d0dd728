"""Checks for duplicate keys and dangling references, one query each."""

from collections.abc import Collection, Iterator, Mapping

from wardround.ehr.database import Database
from wardround.ehr.database.interface import ColumnInfo
from wardround.ehr.ingest.patient_removal import identifying_columns
from wardround.ehr.inspection.findings import DanglingReference, DuplicateKey
from wardround.ehr.inspection.table_facts import query_number
from wardround.ehr.schema import Schema, Table, quoted

Columns = Mapping[str, Mapping[str, ColumnInfo]]


def repeated_keys(database: Database, schema: Schema, present: Columns) -> Iterator[DuplicateKey]:
    """The keys of the schema that are not unique in the database.

    Skips primary keys that the database declares itself.

    Args:
        database: The database.
        schema: The schema with the keys.
        present: The existing columns by table, in lower case.
    """
    for table in schema.tables:
        columns = present.get(table.name, {})
        for key in _keys(table, columns):
            if rows := _repeats(database, table.name, key):
                yield DuplicateKey(table.name, key, rows)


def _keys(table: Table, columns: Mapping[str, ColumnInfo]) -> list[tuple[str, ...]]:
    declared = {name for name, info in columns.items() if info.primary_key}
    single = [(column.name,) for column in table.columns if column.unique]
    keys = [key for key in (table.key, *single) if key and declared != set(key)]
    return [key for key in keys if set(key) <= columns.keys()]


def _repeats(database: Database, table: str, key: Collection[str]) -> int:
    names = ", ".join(quoted(column) for column in key)
    filled = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in key)
    return query_number(
        database,
        f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM {quoted(table)}"  # noqa: S608
        f" WHERE {filled} GROUP BY {names} HAVING count(*) > 1) AS repeats",
    )


def dangling_keys(
    database: Database, schema: Schema, present: Columns
) -> Iterator[DanglingReference]:
    """The columns with references to missing rows.

    A column that references several tables, such as a cost's event, dangles if none has its value.
    References to missing tables are skipped, because the missing table is reported itself.
    """
    personal = identifying_columns(column for table in present.values() for column in table)
    for table in schema.tables:
        for column, targets in _pointers(table, present).items():
            if rows := _dangling_rows(database, table.name, column, targets):
                names = tuple(f"{where}.{target}" for where, target in targets)
                yield DanglingReference(table.name, column, names, rows, column in personal)


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


def _dangling_rows(
    database: Database, table: str, column: str, targets: list[tuple[str, str]]
) -> int:
    # Joins instead of EXISTS, so that SQLite builds an automatic index of the other side once.
    joins = "".join(
        f" LEFT JOIN (SELECT DISTINCT {quoted(target)} AS k{n} FROM {quoted(where)}) AS t{n}"  # noqa: S608
        f" ON t{n}.k{n} = given.{quoted(column)}"
        for n, (where, target) in enumerate(targets)
    )
    in_no_target = "".join(f" AND t{n}.k{n} IS NULL" for n in range(len(targets)))
    return query_number(
        database,
        f"SELECT count(*) FROM {quoted(table)} AS given{joins}"  # noqa: S608
        f" WHERE given.{quoted(column)} IS NOT NULL{in_no_target}",
    )
