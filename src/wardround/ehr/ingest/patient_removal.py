"""Takes every trace of patients out of a database, as ClinSQL does with those it was written for.

ClinSQL's scenarios were each written from one patient's record; whatever belongs to these patients
is removed before a model is tested, so that no answer can be had by finding them (§3.1).
"""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.engine import Target
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.table_reader import column_names
from wardround.ehr.schema import load_schema, quoted, recognise

# So that a statement stays below the length that SQLite takes.
MOST = 20_000

Identifiers = Mapping[str, Collection[Cell]]


@dataclass(frozen=True)
class Trace:
    """What a table holds of the patients.

    Attributes:
        rows: Rows with an identifier of theirs.
        shared: How many of these rows name another patient: they go too.
    """

    table: str
    rows: int
    shared: int = 0


@dataclass(frozen=True)
class Traces:
    """All that a database holds of some patients.

    Attributes:
        identifiers: Who and what they are, by column: the persons, their stays and transfers.
        holders: By table, its columns that identify, from the person down.
        found: What each table holds, tables without anything left out.
    """

    identifiers: Identifiers
    holders: Mapping[str, tuple[str, ...]]
    found: tuple[Trace, ...]


def identifying_columns(columns: Iterable[str]) -> list[str]:
    """Of the columns of a database, those that say whose a row is, from the person down.

    >>> identifying_columns(["charttime", "stay_id", "subject_id"])
    ['subject_id', 'stay_id']
    """
    names = set(columns)
    return [c for form in _forms() if form[0] in names for c in form if c in names]


def find_traces(database: Target, patients: Collection[str]) -> Traces:
    """What a database holds of some patients; nothing is changed.

    A table without a column for the person is searched by the identifiers of the patients' stays.

    Args:
        database: Any database of MIMIC, eICU or their EHRSQL and renamed forms, on any engine;
            tables that no schema knows are searched too.
        patients: Their `subject_id`, `uniquepid`, or what it is renamed to.

    Raises:
        UserError: If the database is of no known form, has no such patient, or there are more
            than `MOST` identifiers.
    """
    tables = {table: column_names(database, table) for table in database.tables()}
    form = _form(database, tables)
    holders = {
        table: held for table in _children_first(tables) if (held := _held(form, tables[table]))
    }
    identifiers: dict[str, list[Cell]] = {form[0]: _persons(database, form[0], holders, patients)}
    for column in form[1:]:
        identifiers[column] = _below(database, column, holders, identifiers)
    if sum(map(len, identifiers.values())) > MOST:
        raise UserError(f"These patients have over {MOST:,} stays; remove them in several goes.")
    found = (_trace(database, table, held, identifiers) for table, held in holders.items())
    return Traces(identifiers, holders, tuple(trace for trace in found if trace.rows))


def remove(database: Target, traces: Traces) -> None:
    """Delete the rows of all tables in one transaction, and look again that none is left.

    Raises:
        InfraError: If a row is left: somebody else wrote to the database meanwhile.
    """
    with database.transaction():
        for trace in traces.found:
            held = traces.holders[trace.table]
            which = _any(held, traces.identifiers)
            database.execute(f"DELETE FROM {quoted(trace.table)} WHERE {which}")  # noqa: S608
    left = (
        _trace(database, table, held, traces.identifiers) for table, held in traces.holders.items()
    )
    if tables := [trace.table for trace in left if trace.rows]:
        raise InfraError(
            f"Rows of these patients are in {', '.join(tables)} again; somebody else writes to "
            f"{database.location}, remove them when nobody does."
        )


@cache
def _forms() -> list[list[str]]:
    text = files("wardround.ehr.ingest").joinpath("identifiers.toml").read_text("utf-8")
    return list(tomllib.loads(text).values())


def _form(database: Target, tables: Mapping[str, Sequence[str]]) -> list[str]:
    names = {column.lower() for columns in tables.values() for column in columns}
    known = [form for form in _forms() if form[0] in names]
    if len(known) != 1:
        persons = ", ".join(form[0] for form in _forms())
        raise UserError(
            f"Database {database.location} does not say which rows are whose: its tables need one "
            f"of the columns {persons}."
        )
    return known[0]


def _held(form: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    present = {column.lower() for column in columns}
    return tuple(column for column in form if column in present)


def _children_first(tables: Mapping[str, Sequence[str]]) -> list[str]:
    """The tables in an order in which foreign keys that are enforced do not mind."""
    schema = recognise(tables)
    order = [table.name for table in load_schema(schema).tables] if schema else []
    rank = {name: number for number, name in enumerate(order)}
    return sorted(tables, key=lambda table: -rank.get(table.lower(), len(rank)))


def _persons(
    database: Target,
    column: str,
    holders: Mapping[str, tuple[str, ...]],
    patients: Collection[str],
) -> list[Cell]:
    """The patients as the database writes them: as numbers where it has numbers."""
    tables = [table for table, held in holders.items() if column in held]
    texts = _list(sorted(set(patients)))
    found = _distinct(database, column, tables, f"CAST({quoted(column)} AS VARCHAR) IN ({texts})")
    if absent := sorted(set(patients) - {str(cell) for cell in found}):
        raise UserError(
            f"Database {database.location} has no {column} {', '.join(absent)}; nothing was "
            "removed."
        )
    return found


def _below(
    database: Target,
    column: str,
    holders: Mapping[str, tuple[str, ...]],
    identifiers: Identifiers,
) -> list[Cell]:
    """The stays, or other things, of those that are identified above."""
    found: set[Cell] = set()
    for table, held in holders.items():
        above = held[: held.index(column)] if column in held else ()
        if above:
            which = f"{quoted(column)} IS NOT NULL AND {_any(above, identifiers)}"
            found.update(_distinct(database, column, [table], which))
    return sorted(found, key=str)


def _distinct(database: Target, column: str, tables: Sequence[str], which: str) -> list[Cell]:
    found: set[Cell] = set()
    for table in tables:
        sql = f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} WHERE {which}"  # noqa: S608
        found.update(row[0] for row in database.query(sql))
    return sorted(found, key=str)


def _trace(database: Target, table: str, held: tuple[str, ...], identifiers: Identifiers) -> Trace:
    rows = _count(database, table, _any(held, identifiers))
    person = next(iter(identifiers))
    if not rows or held[0] != person or not held[1:]:
        return Trace(table, rows)
    others = f"NOT {_any((person,), identifiers)} AND {_any(held[1:], identifiers)}"
    return Trace(table, rows, _count(database, table, others))


def _count(database: Target, table: str, which: str) -> int:
    sql = f"SELECT count(*) FROM {quoted(table)} WHERE {which}"  # noqa: S608
    return int(str(database.query(sql)[0][0]))


def _any(columns: Sequence[str], identifiers: Identifiers) -> str:
    """The condition that a row has one of the identifiers."""
    known = [column for column in columns if identifiers.get(column)]
    tests = (f"{quoted(column)} IN ({_list(identifiers[column])})" for column in known)
    return f"({' OR '.join(tests) or '1 = 0'})"


def _list(cells: Collection[Cell]) -> str:
    return ", ".join(quote_text(cell) if isinstance(cell, str) else str(cell) for cell in cells)
