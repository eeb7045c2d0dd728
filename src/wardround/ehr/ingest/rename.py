"""Renames an EHRSQL database as EHR-ChatQA does: tables, columns, and values that name tables."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.engine import Target
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.table_reader import column_names, count_rows, read_table
from wardround.ehr.ingest.released_forms import released_form
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


@dataclass(frozen=True)
class RenamedTable:
    """One table done: what it was called, what it is called now, and its rows."""

    old: str
    new: str
    rows: int


@dataclass(frozen=True)
class _Source:
    """A table as it is read: its name, its columns, and what stands for each of the schema's."""

    name: str
    table: Table
    reads: tuple[Column, ...]
    expressions: Mapping[str, str]


def find_renaming(name: str) -> Renaming:
    """The renaming of that name, hyphens or underscores.

    >>> find_renaming("eicu-star").tables["diagnosis"]
    'condition'

    Raises:
        UserError: If there is none.
    """
    renamings = [each for known in schema_names() if (each := load_renaming(known))]
    for renaming in renamings:
        if renaming.name == name.replace("-", "_"):
            return renaming
    known = ", ".join(renaming.name.replace("_", "-") for renaming in renamings)
    raise UserError(f"There is no renaming {name!r}; choose one of {known}.")


def rename(
    source: Target, target: Target, renaming: Renaming
) -> Generator[RenamedTable, None, None]:
    """Copy a database under the names of a renaming (EHR-ChatQA B.4, Tables 12 and 13).

    Values that name a table change with it where the renaming says so (A.5: `costrecords` names
    `labresults`, not `labevents`). A source in the form that EHRSQL 2024 was released in is read
    too: its codes are parted from their editions, and its volumes are millilitres.

    Args:
        source: A database in the form that `renaming.of` names, on any engine.
        target: A database without any of the new tables, on any engine.
        renaming: What is called what; with `values` emptied, values stay as they are.

    Yields:
        Each table when it is there; all stay only if all are asked for.

    Raises:
        UserError: If the source lacks a table or column, the target has one of the new tables,
            or a row does not fit. The target is then as it was.
    """
    sources = _sources(source, renaming)
    _check_free(target, renaming)
    with target.transaction():
        for each in sources:
            yield _rename_table(source, target, each, renaming)


def _sources(source: Target, renaming: Renaming) -> list[_Source]:
    present = {name.lower(): name for name in source.tables()}
    schema = load_schema(renaming.of)
    lacking = [table.name for table in schema.tables if table.name not in present]
    if lacking:
        raise UserError(
            f"Database {source.location} lacks {', '.join(lacking)} of {renaming.of}, which "
            f"{renaming.name} renames; make it with `wardround data prepare` first."
        )
    return [_source(source, table, present[table.name], renaming.of) for table in schema.tables]


def _source(source: Target, table: Table, name: str, schema: str) -> _Source:
    written = {column.lower() for column in column_names(source, name)}
    form = released_form(schema, table.name, written)
    named = {column.name: quoted(column.name) for column in table.columns}
    expressions = {**named, **form.columns}
    lacking = expressions.keys() - written - form.columns.keys()
    if lacking:
        raise UserError(
            f"Table {name} of {source.location} lacks {', '.join(sorted(lacking))}, which "
            f"{schema} has; make the database again with `wardround data prepare`."
        )
    read = tuple(column for column in table.columns if column.name in written)
    return _Source(name, table, read + form.reads, expressions)


def _check_free(target: Target, renaming: Renaming) -> None:
    taken = {name.lower() for name in target.tables()} & set(renaming.tables.values())
    if taken:
        raise UserError(
            f"Database {target.location} has {', '.join(sorted(taken))} already; name a database "
            "that is not there yet."
        )


def _rename_table(
    source: Target, target: Target, each: _Source, renaming: Renaming
) -> RenamedTable:
    new = load_schema(renaming.name).table(renaming.tables[each.table.name])
    target.create(new)
    rows = _copy(source, target, each, new, renaming)
    for statement in index_statements(new):
        target.execute(statement)
    expected = count_rows(source, each.name)
    if rows != expected:
        raise InfraError(f"Table {new.name} got {rows} of the {expected} rows of {each.name}.")
    return RenamedTable(each.name, new.name, rows)


def _copy(source: Target, target: Target, each: _Source, new: Table, renaming: Renaming) -> int:
    import adbc_driver_manager
    import duckdb

    columns = ", ".join(
        _cell(each, renaming, old, column, target.dialect)
        for old, column in zip(each.table.columns, new.columns, strict=True)
    )
    try:
        with duckdb.connect() as lake:
            read_table(lake, source, each.name, each.reads)
            return target.load(new.name, Stream(lake.table(quoted(each.name)).project(columns)))
    except (adbc_driver_manager.Error, duckdb.Error) as error:
        raise UserError(
            f"Table {each.name} of {source.location} cannot be renamed to {new.name} ({error})."
        ) from error


def _cell(each: _Source, renaming: Renaming, old: Column, new: Column, dialect: str) -> str:
    cell = each.expressions[old.name]
    values = renaming.values.get(each.table.name, {}).get(old.name, {})
    if values:
        cases = (f"WHEN {quote_text(was)} THEN {quote_text(now)}" for was, now in values.items())
        cell = f"CASE {cell} {' '.join(cases)} ELSE {cell} END"
    times_are_text = dialect == "sqlite" and new.type in {"DATE", "TIMESTAMP"}
    kind = "VARCHAR" if times_are_text else column_type(new, "duckdb")
    return f"CAST({cell} AS {kind}) AS {quoted(new.name)}"
