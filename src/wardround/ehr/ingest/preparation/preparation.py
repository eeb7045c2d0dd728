"""Preparation of an official release in seeded steps (Lee et al. 2022, 3.2 and D)."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from datetime import datetime

from wardround.core.errors import UserError
from wardround.core.thread_call import iterate_on_thread
from wardround.ehr.database import TableSource, Target, open_source
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.table_reader import column_names, count_rows, read_table
from wardround.ehr.ingest.new_database import new_database
from wardround.ehr.ingest.preparation.patient_steps import (
    AGES,
    SAMPLE,
    drop_empty_people,
    drop_orphans,
    people,
)
from wardround.ehr.ingest.preparation.plan import Effect, Plan, Step, Work
from wardround.ehr.ingest.preparation.recipe import Recipe, TableSpec, recipes
from wardround.ehr.ingest.preparation.time_steps import COST, NOW, SHIFT, create_cost
from wardround.ehr.ingest.preparation.value_steps import (
    LOWER,
    MILLILITRES,
    PATHS,
    SHUFFLE,
    UNITS,
    VITALS,
)
from wardround.ehr.ingest.preparation.working_database import (
    columns,
    count,
    delete,
    open_working_database,
    replace,
)
from wardround.ehr.schema import Column, Table, column_type, index_statements, quoted

_SAMPLING = (AGES, SAMPLE)
_CLEANING = (VITALS, MILLILITRES, PATHS, LOWER, UNITS, SHIFT, NOW)
_SYNTHESIZING = (SHUFFLE, COST)
STEPS = (*_SAMPLING, *_CLEANING, *_SYNTHESIZING)


def prepare(source: str, target: str, plan: Plan) -> Generator[Effect, None, None]:
    """Prepare a database from an official one.

    Runs as the effects are consumed. The target is written after the last step; an interrupt or
    error leaves nothing behind.

    Args:
        source: A database of MIMIC-III, MIMIC-IV or eICU in its official layout, opened read-only.
        target: A new database.
        plan: The parameters.

    Yields:
        The effect of each step on each table.

    Raises:
        UserError: If a skipped step does not exist, the source is missing or not a release, the
            target has tables, or no patient is left.
    """
    _check_names(plan)
    with closing(open_source(source)) as official:
        recipe = recipe_of(official, plan.layout)
        _check_times(plan, plan.now or recipe.now)
        with new_database(target) as result, open_working_database() as connection:
            yield from iterate_on_thread(
                _run(Work(connection, recipe, plan), official, result), connection.interrupt
            )


def recipe_of(source: TableSource, layout: str) -> Recipe:
    """The recipe for a database of an official release and a layout.

    Raises:
        UserError: If it lacks the tables of patients and stays of every release.
    """
    tables = frozenset(source.tables())
    if "cost" in tables:
        raise UserError(
            f"Database {source.location} is already prepared: it has a cost table; give the"
            " official release that it was made from."
        )
    for recipe in (recipe for recipe in recipes() if recipe.layout == (layout or recipe.schema)):
        needed = {table: names for spec in recipe.first for table, names in spec.read.items()}
        if not tables.issuperset(needed):
            continue
        columns = column_names(source, needed)
        if all(set(columns[table]).issuperset(needed[table]) for table in needed):
            return recipe
    raise UserError(
        f"Database {source.location} is not an official release of MIMIC-III, MIMIC-IV or eICU "
        "that this layout is made of, or lacks its tables of patients and stays; make one with "
        "`wardround data build`."
    )


def _check_names(plan: Plan) -> None:
    layouts = sorted(recipe.layout for recipe in recipes())
    if plan.layout and plan.layout not in layouts:
        raise UserError(f"There is no layout {plan.layout!r}; choose one of {', '.join(layouts)}.")
    names = [step.name for step in STEPS]
    for name in sorted(plan.skip):
        if name not in names:
            raise UserError(f"There is no step {name!r} to skip; steps are {', '.join(names)}.")


def _check_times(plan: Plan, now: datetime) -> None:
    if "shift" not in plan.skip and plan.first > now:
        raise UserError(
            f"The current time {now} is before {plan.first}, the earliest that a first visit"
            " may begin; give another --now or --first."
        )


def _run(work: Work, official: TableSource, result: Target) -> Generator[Effect, None, None]:
    yield from _prepare_tables(work, official)
    yield from write(work, result)


def _prepare_tables(work: Work, official: TableSource) -> Iterator[Effect]:
    yield from read(work, official, work.recipe.first)
    drop_empty_people(work)
    yield from _apply_steps(work, _SAMPLING)
    _check_people(work)
    yield from read(work, official, work.recipe.rest)
    yield from _apply_steps(work, _CLEANING)
    _check_people(work)
    number_rows(work)
    create_cost(work)
    yield from _apply_steps(work, _SYNTHESIZING)


def _apply_steps(work: Work, steps: tuple[Step, ...]) -> Iterator[Effect]:
    for step in steps:
        if step.name not in work.plan.skip:
            yield from step.apply(work)


def _check_people(work: Work) -> None:
    if not people(work):
        raise UserError(
            "No patient is left: none has the given ages, or all records are later than "
            f"{work.now}; give another --now, or --skip now if times are not shifted."
        )


def number_rows(work: Work) -> None:
    """Number the rows of every table without an identifier, from 0.

    Rows are ordered by person, stay and time, then by all other columns, so that the result does
    not depend on the source's engine or on threads.
    """
    for spec in work.recipe.specs:
        (key,) = work.recipe.prepared.table(spec.name).key
        available = columns(work.connection, spec.name)
        if key not in available:
            order = ", ".join(quoted(column) for column in _order(spec, list(available)))
            rows = f"row_number() OVER (ORDER BY {order}) - 1 AS {key}, *"
            replace(work.connection, spec.name, f"SELECT {rows} FROM {spec.name}")


def _order(spec: TableSpec, available: list[str]) -> list[str]:
    """The sort order: identifiers, times, then all other columns."""
    ids = [column for column in available if column.endswith("_id") and column not in spec.shuffled]
    return list(dict.fromkeys((*ids, *spec.happens, *available)))


def write(work: Work, target: Target) -> Iterator[Effect]:
    """Write every table in key order, in one transaction."""
    with target.transaction():
        for table in work.recipe.prepared.tables:
            target.create(table)
            rows = Stream(work.connection.sql(_rows(work, table, target.dialect)))
            written = target.load(table.name, rows)
            yield Effect("write", table.name, written, written)
        for table in work.recipe.prepared.tables:
            for statement in index_statements(table):
                target.execute(statement)


def _rows(work: Work, table: Table, dialect: str) -> str:
    types = columns(work.connection, table.name)
    cells = ", ".join(_cell(column, types[column.name], dialect) for column in table.columns)
    order = ", ".join(quoted(column) for column in table.key)
    return f"SELECT {cells} FROM {quoted(table.name)} ORDER BY {order}"


def _cell(column: Column, types: str, dialect: str) -> str:
    """SQL of a column for the target, with times as text if it stores them so."""
    name = quoted(column.name)
    kind = column_type(column, dialect)
    if types == "TIMESTAMP" and kind.upper().startswith(("TEXT", "VARCHAR")):
        return f"strftime({name}, '%Y-%m-%d %H:%M:%S') AS {name}"
    return f"CAST({name} AS {column_type(column, 'duckdb')}) AS {name}"


def read(work: Work, source: TableSource, specs: Iterable[TableSpec]) -> Iterator[Effect]:
    """Create tables from the source.

    Skips rows of patients outside the sample, rows without required values, and rows of missing
    stays. Tables missing from the source are created empty.
    """
    present = frozenset(source.tables())
    for spec in specs:
        for table in spec.read:
            _read_official(work, source, spec, table, present)
        replace(work.connection, spec.name, spec.select)
        for table in spec.read:
            work.connection.execute(f"DROP VIEW source.{quoted(table)}")
            work.connection.execute(f"DROP TABLE copied.{quoted(table)}")
        _drop_incomplete(work, spec.name)
        drop_orphans(work, spec.name)
        after = count(work.connection, spec.name)
        before = count_rows(source, table) if table in present else 0
        yield Effect("read", spec.name, before, after, note=_missing(spec, present))


def _missing(spec: TableSpec, present: frozenset[str]) -> str:
    missing = [table for table in spec.read if table not in present]
    return f"the source has no table {' and no '.join(missing)}" if missing else ""


def _read_official(
    work: Work, source: TableSource, spec: TableSpec, table: str, present: frozenset[str]
) -> None:
    """Copy the needed rows and columns of an official table."""
    official = work.recipe.official().table(table)
    needed = [official.column(name) for name in spec.read[table]]
    copy, connection = f"copied.{quoted(table)}", work.connection
    typed = ", ".join(
        f"CAST({quoted(c.name)} AS {column_type(c, 'duckdb')}) AS {quoted(c.name)}" for c in needed
    )
    if table in present:
        read_table(connection, source, table, needed, into=copy, where=_row_condition(work, spec))
    else:
        nulls = ", ".join(f"NULL AS {quoted(column.name)}" for column in needed)
        connection.execute(f"CREATE OR REPLACE TABLE {copy} AS SELECT {nulls} LIMIT 0")
    connection.execute(f"CREATE VIEW source.{quoted(table)} AS SELECT {typed} FROM {copy}")


def _row_condition(work: Work, spec: TableSpec) -> str:
    """The condition of the rows to read, so that other rows use no memory."""
    link, roster = work.recipe.link, work.recipe.roster
    sampled = "true" if spec.whole else f"{link} IN (SELECT {link} FROM {roster})"
    return f"{sampled} AND {spec.where}"


def _drop_incomplete(work: Work, table: str) -> None:
    """Remove rows without required values."""
    available = columns(work.connection, table)
    expected = work.recipe.prepared.table(table).columns
    required = [c.name for c in expected if not c.null and c.name in available]
    if required:
        delete(work.connection, table, " OR ".join(f"{quoted(name)} IS NULL" for name in required))
