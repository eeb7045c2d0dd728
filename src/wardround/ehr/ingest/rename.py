"""Renaming of a database: tables, columns, and values that refer to tables."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.engine import TableSource, Target
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.table_reader import column_names, count_rows, read_table
from wardround.ehr.ingest.released_tables import released_table
from wardround.ehr.schema import (
    Column,
    Renaming,
    Table,
    column_type,
    index_statements,
    load_renaming,
    load_schema,
    quoted,
    schema_names,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class RenamedTable:
    """A renamed table: old name, new name and row count."""

    old: str
    new: str
    rows: int


@dataclass(frozen=True)
class _SourceTable:
    """A source table: its name, its columns, and an SQL expression for each schema column."""

    name: str
    table: Table
    reads: tuple[Column, ...]
    expressions: Mapping[str, str]


def find_renaming(name: str) -> Renaming:
    """The renaming of that name, with hyphens or underscores.

    >>> find_renaming("eicu-star").tables["diagnosis"]
    'condition'

    Raises:
        UserError: If it does not exist.
    """
    renamings = [each for names in schema_names() if (each := load_renaming(names))]
    for renaming in renamings:
        if renaming.name == name.replace("-", "_"):
            return renaming
    names = ", ".join(renaming.name.replace("_", "-") for renaming in renamings)
    raise UserError(f"There is no renaming {name!r}; choose one of {names}.")


def rename(
    source: TableSource, target: Target, renaming: Renaming
) -> Generator[RenamedTable, None, None]:
    """Copy a database under the names of a renaming (Lee et al. 2025, B.4, Tables 12 and 13).

    Values that refer to renamed tables change too (A.5: `costrecords` refers to `labresults`, not
    `labevents`). Also reads the variant of Lee et al. 2024, which splits
    codes from their versions and omits the unit of volumes.

    Args:
        source: A database in the layout `renaming.of`, on any engine.
        target: A database without the new tables, on any engine.
        renaming: The new names; with empty `values`, values stay unchanged.

    Yields:
        Each copied table; all are committed after the last.

    Raises:
        UserError: If the source lacks a table or column, the target already has one of the new
            tables, or a row does not fit. The target is then unchanged.
    """
    import duckdb

    sources = _sources(source, renaming)
    _check_free(target, renaming)
    with duckdb.connect() as lake, target.transaction():
        for each in sources:
            yield _rename_table(lake, source, target, each, renaming)


def latest_time(target: Target, schema: str) -> str:
    """The latest time in a database of a schema, as "2100-12-31 23:59:00"; "" without any."""
    latest = ""
    for table in load_schema(schema).tables:
        times = [quoted(c.name) for c in table.columns if c.type in {"DATE", "TIMESTAMP"}]
        if times:
            ends = ", ".join(f"CAST(max({time}) AS VARCHAR)" for time in times)
            (row,) = target.query(f"SELECT {ends} FROM {quoted(table.name)}")  # noqa: S608
            latest = max([latest, *(str(cell)[:19] for cell in row if cell)])
    return latest


def _sources(source: TableSource, renaming: Renaming) -> list[_SourceTable]:
    present = {name.lower(): name for name in source.tables()}
    schema = load_schema(renaming.of)
    missing = [table.name for table in schema.tables if table.name not in present]
    if missing:
        raise UserError(
            f"Database {source.location} lacks {', '.join(missing)} of {renaming.of}, which "
            f"{renaming.name} renames; make it with `wardround data prepare` first."
        )
    columns = column_names(source, [present[table.name] for table in schema.tables])
    return [
        _source(source, table, name, columns[name], renaming.of)
        for table in schema.tables
        for name in [present[table.name]]
    ]


def _source(
    source: TableSource, table: Table, name: str, columns: Sequence[str], schema: str
) -> _SourceTable:
    written = {column.lower() for column in columns}
    variant = released_table(schema, table.name, written)
    quoted_columns = {column.name: quoted(column.name) for column in table.columns}
    expressions = {**quoted_columns, **variant.columns}
    lacking = expressions.keys() - written - variant.columns.keys()
    if lacking:
        raise UserError(
            f"Table {name} of {source.location} lacks {', '.join(sorted(lacking))}, which "
            f"{schema} has; make the database again with `wardround data prepare`."
        )
    read = tuple(column for column in table.columns if column.name in written)
    return _SourceTable(name, table, read + variant.reads, expressions)


def _check_free(target: Target, renaming: Renaming) -> None:
    existing = {name.lower() for name in target.tables()} & set(renaming.tables.values())
    if existing:
        raise UserError(
            f"Database {target.location} already has {', '.join(sorted(existing))}; name a new "
            "database."
        )


def _rename_table(
    lake: "DuckDBPyConnection",
    source: TableSource,
    target: Target,
    each: _SourceTable,
    renaming: Renaming,
) -> RenamedTable:
    new = load_schema(renaming.name).table(renaming.tables[each.table.name])
    target.create(new)
    rows = _copy(lake, source, target, each, new, renaming)
    for statement in index_statements(new):
        target.execute(statement)
    expected = count_rows(source, each.name)
    if rows != expected:
        raise InfraError(f"Table {new.name} got {rows} of the {expected} rows of {each.name}.")
    return RenamedTable(each.name, new.name, rows)


def _copy(
    lake: "DuckDBPyConnection",
    source: TableSource,
    target: Target,
    each: _SourceTable,
    new: Table,
    renaming: Renaming,
) -> int:
    import adbc_driver_manager
    import duckdb

    columns = ", ".join(
        _cell(each, renaming, old, column, target.dialect)
        for old, column in zip(each.table.columns, new.columns, strict=True)
    )
    try:
        read_table(lake, source, each.name, each.reads, into="cells")
        return target.load(new.name, Stream(lake.table("cells").project(columns)))
    except (adbc_driver_manager.Error, duckdb.Error) as error:
        raise UserError(
            f"Table {each.name} of {source.location} cannot be renamed to {new.name} ({error})."
        ) from error


def _cell(each: _SourceTable, renaming: Renaming, old: Column, new: Column, dialect: str) -> str:
    cell = each.expressions[old.name]
    values = renaming.values.get(each.table.name, {}).get(old.name, {})
    if values:
        cases = (f"WHEN {quote_text(a)} THEN {quote_text(b)}" for a, b in values.items())
        cell = f"CASE {cell} {' '.join(cases)} ELSE {cell} END"
    times_are_text = dialect == "sqlite" and new.type in {"DATE", "TIMESTAMP"}
    kind = "VARCHAR" if times_are_text else column_type(new, "duckdb")
    return f"CAST({cell} AS {kind}) AS {quoted(new.name)}"
