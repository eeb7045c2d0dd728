"""Generation of the synthetic hospital as a database on any engine, in any of its layouts."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, put_in_place
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.thread_call import iterate_on_thread
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.engine import Target, write_database
from wardround.ehr.hospital.batches import Batch, layout_of, lookup_batch, people_batches, schemas
from wardround.ehr.hospital.columns import Columns, offset_numbers, select_cells
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


def build_hospital(
    target: str | Path,
    *,
    patients: int = 100,
    seed: int = 0,
    schema: str = "mimic_iv_star",
    workers: int = 1,
    replace: bool = False,
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
            "ehrsql_mimic_iv", or its renaming "mimic_iv_star".
        workers: Number of processes.
        replace: Replace an existing target instead of refusing it.
        done: Called with the number of people written.

    Returns:
        Rows by table.

    Raises:
        UserError: If the number of patients or the schema is invalid, or the target already
            exists.
    """
    if patients < 1:
        raise UserError(f"A hospital has at least 1 patient, not {patients}.")
    if schema not in schemas():
        raise UserError(f"No hospital in schema {schema!r}; choose one of {', '.join(schemas())}.")
    rows = Counter[str]()
    batches = people_batches(layout_of(schema), seed, patients, workers)
    # Let running batches finish; they are short.
    for people in iterate_on_thread(
        _written_people(str(target), schema, replace, batches, rows), stop=lambda: None
    ):
        done(people)
    return {table.name: rows[table.name] for table in load_schema(schema).tables}


def _written_people(
    location: str, schema: str, replace: bool, batches: Iterator[Batch], rows: Counter[str]
) -> Generator[int, None, None]:
    """Write a hospital, counting rows by table; yields the number of people written."""
    with _open_target(location, schema, replace) as database:
        yield from _write(database, schema, batches, rows)


@contextmanager
def _open_target(location: str, schema: str, replace: bool) -> Iterator[Target]:
    """Open the target: a temporary file moved into place at the end, or one transaction."""
    if ":" not in location.split("/")[0]:
        with _new_file(Path(location).expanduser(), replace) as database:
            yield database
        return
    with closing(write_database(location)) as database, database.transaction():
        existing = {table.name for table in load_schema(schema).tables} & set(database.tables())
        if existing and not replace:
            raise _exists_error(location)
        for table in reversed(load_schema(schema).tables):
            if table.name in existing:
                database.execute(f"DROP TABLE {quoted(table.name)}")
        yield database


@contextmanager
def _new_file(path: Path, replace: bool) -> Iterator[Target]:
    if path.exists() and not replace:
        raise _exists_error(str(path))
    make_folder(path.parent)
    with ScratchFolder(path.parent) as scratch:
        unfinished = scratch.path / path.name
        with closing(write_database(str(unfinished))) as database:
            yield database
        put_in_place(unfinished, path)


def _exists_error(location: str) -> UserError:
    return UserError(
        f"Database {location} already exists; name another, or replace it with --force."
    )


def _write(
    database: Target, schema: str, batches: Iterator[Batch], rows: Counter[str]
) -> Iterator[int]:
    import duckdb

    layout = layout_of(schema)
    tables = _tables(layout.schema, schema)
    for table in tables.values():
        database.create(table)
    names = load_renaming(schema)
    people, used = 0, Counter[str]()
    with duckdb.connect() as lake:
        for batch in chain([lookup_batch(layout)], batches):
            for name, columns in _renumbered(batch, layout.numbered, used).items():
                renamed = _renamed(name, columns, tables[name], names)
                rows[tables[name].name] += _load(lake, database, tables[name], renamed)
            used += batch.used
            people += batch.people
            yield people
    for table in tables.values():
        for statement in index_statements(table):
            database.execute(statement)


def _tables(original: str, schema: str) -> dict[str, Table]:
    """The target tables by original table name."""
    written = load_schema(schema).tables
    return {
        table.name: new for table, new in zip(load_schema(original).tables, written, strict=True)
    }


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
