"""Generation of the synthetic hospital as a database on any engine, in any of its layouts."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, put_in_place
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.thread_call import iterate_on_thread
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.engine import Target, write_database
from wardround.ehr.hospital.batches import (
    Batch,
    Extract,
    layout_of,
    lookup_batch,
    people_batches,
    schemas,
    tables_of,
)
from wardround.ehr.hospital.columns import Columns, offset_numbers, select_cells
from wardround.ehr.hospital.enrichment import enriched_conditions
from wardround.ehr.schema import (
    Renaming,
    Table,
    index_statements,
    load_renaming,
    load_schema,
    quoted,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SHORT = {"omop": "omop_5_4"}
# Batches of a transaction: DuckDB writes small ones to its log first and then to the file, and
# large ones need memory.
_COMMITTED = 20
Transaction: TypeAlias = Callable[[], AbstractContextManager[None]]


def build_hospital(
    target: str | Path,
    *,
    patients: int = 100,
    seed: int = 0,
    schema: str = "mimic_iv_star",
    workers: int = 1,
    replace: bool = False,
    tables: Sequence[str] = (),
    enrich: Sequence[str] = (),
    notes: bool = False,
    indices: Sequence[int] = (),
    done: Callable[[int], None] = lambda people: None,
) -> dict[str, int]:
    """Write a synthetic hospital to a database, atomically.

    A person's rows depend only on seed and index, so a larger hospital contains the smaller one,
    and the number of processes does not matter.

    Args:
        target: A SQLite or DuckDB file, or a URL of another engine.
        patients: Number of people, at least one.
        seed: The random seed; determines the rows on every engine.
        schema: "mimic_iv", "mimic_iii" or "eicu" as published, the prepared layout
            "ehrsql_mimic_iv", or its renaming "mimic_iv_star"; "omop", short for "omop_5_4".
        workers: Number of processes.
        replace: Replace an existing target instead of refusing it.
        tables: The tables to write, with those that they refer to; empty for all. Their rows are
            the same as among all tables.
        enrich: Names of conditions that about half of the people shall have.
        notes: Also write discharge summaries and radiology reports, which "mimic_iv" and "omop"
            have.
        indices: Write only the people with these indices, as they are in the whole hospital but for
            numbers of rows, which count what is written.
        done: Called with the number of people written.

    Returns:
        Rows by table.

    Raises:
        UserError: If the number of patients, the schema, a table or a condition is invalid, or
            the target already exists, or the schema has no notes.
    """
    if patients < 1:
        raise UserError(f"A hospital has at least 1 patient, not {patients}.")
    schema = _SHORT.get(schema, schema)
    if schema not in schemas():
        raise UserError(f"No hospital in schema {schema!r}; choose one of {', '.join(schemas())}.")
    rows = Counter[str]()
    layout = layout_of(schema)
    if notes and not layout.notes:
        raise UserError(f"Layout {schema} has no notes; choose mimic_iv or omop.")
    written = _tables(layout.schema, schema, tables, layout.note_tables if notes else ())
    chosen = frozenset(written) if tables or notes else None
    extract = Extract(chosen, enriched_conditions(tuple(enrich)))
    people = people_batches(layout, seed, patients, workers, extract, indices)
    batches = chain([lookup_batch(layout, extract)], people)
    # Let running batches finish; they are short.
    for number in iterate_on_thread(
        _written_people(str(target), schema, replace, written, batches, rows), stop=lambda: None
    ):
        done(number)
    return {table.name: rows[table.name] for table in written.values()}


def _written_people(
    location: str,
    schema: str,
    replace: bool,
    tables: Mapping[str, Table],
    batches: Iterator[Batch],
    rows: Counter[str],
) -> Generator[int, None, None]:
    """Write a hospital, counting rows by table; yields the number of people written."""
    with _open_target(location, schema, replace) as (database, transaction):
        yield from _write(database, transaction, schema, tables, batches, rows)


@contextmanager
def _open_target(location: str, schema: str, replace: bool) -> Iterator[tuple[Target, Transaction]]:
    """Open the target: a temporary file moved into place at the end, or one transaction.

    Yields the target, and the transaction that some batches are written in.
    """
    if ":" not in location.split("/")[0]:
        with _new_file(Path(location).expanduser(), replace) as opened:
            yield opened
        return
    with closing(write_database(location)) as database, database.transaction():
        existing = {table.name for table in tables_of(schema)} & set(database.tables())
        if existing and not replace:
            raise _exists_error(location)
        for table in reversed(tables_of(schema)):
            if table.name in existing:
                database.execute(f"DROP TABLE {quoted(table.name)}")
        yield database, nullcontext


@contextmanager
def _new_file(path: Path, replace: bool) -> Iterator[tuple[Target, Transaction]]:
    if path.exists() and not replace:
        raise _exists_error(str(path))
    make_folder(path.parent)
    with ScratchFolder(path.parent) as scratch:
        unfinished = scratch.path / path.name
        with closing(write_database(str(unfinished))) as database:
            yield database, database.transaction
        put_in_place(unfinished, path)


def _exists_error(location: str) -> UserError:
    return UserError(
        f"Database {location} already exists; name another, or replace it with --force."
    )


def _write(
    database: Target,
    transaction: Transaction,
    schema: str,
    tables: Mapping[str, Table],
    batches: Iterator[Batch],
    rows: Counter[str],
) -> Iterator[int]:
    import duckdb

    layout = layout_of(schema)
    for table in tables.values():
        database.create(table)
    names = load_renaming(schema)
    people, used = 0, Counter[str]()
    with duckdb.connect() as lake:
        while first := next(batches, None):
            with transaction():
                for batch in chain([first], islice(batches, _COMMITTED - 1)):
                    for name, columns in _renumbered(batch, layout.numbered, used).items():
                        renamed = _renamed(name, columns, tables[name], names)
                        rows[tables[name].name] += _load(lake, database, tables[name], renamed)
                    used += batch.used
                    people += batch.people
                    yield people
    for table in tables.values():
        for statement in index_statements(table):
            database.execute(statement)


def _tables(
    original: str, schema: str, chosen: Sequence[str], notes: Sequence[str]
) -> dict[str, Table]:
    """The target tables by original table name: all, or the chosen ones and what they refer to."""
    names = [*chosen] or [table.name for table in load_schema(schema).tables]
    names += notes
    wanted = _closure(tables_of(schema), names)
    return {
        table.name: new
        for table, new in zip(tables_of(original), tables_of(schema), strict=True)
        if new.name in wanted
    }


def _closure(written: Sequence[Table], chosen: Sequence[str]) -> set[str]:
    by_name = {table.name: table for table in written}
    waiting, wanted = list(chosen), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in by_name:
            raise UserError(f"There is no table {name!r}; there are: {', '.join(by_name)}.")
        if name not in wanted:
            wanted.add(name)
            waiting += [key.table for key in by_name[name].foreign_keys]
    return wanted


def _renumbered(
    batch: Batch, numbered: Mapping[str, Mapping[str, str]], used: Mapping[str, int]
) -> dict[str, Columns]:
    return {
        name: offset_numbers(columns, numbered.get(name, {}), used)
        for name, columns in batch.tables.items()
    }


def _renamed(name: str, columns: Columns, table: Table, names: Renaming | None) -> Columns:
    if names is None:
        return columns
    valued = columns | {
        column: np.array([change.get(value, value) for value in columns[column]], dtype=object)
        for column, change in names.values.get(name, {}).items()
    }
    return {new.name: values for new, values in zip(table.columns, valued.values(), strict=True)}


def _load(lake: "DuckDBPyConnection", database: Target, table: Table, columns: Columns) -> int:
    # DuckDB resolves `columns` by the variable's name.
    rows = lake.sql(f"SELECT {select_cells(table, database.dialect)} FROM columns")  # noqa: S608
    return database.load(table.name, Stream(rows))
