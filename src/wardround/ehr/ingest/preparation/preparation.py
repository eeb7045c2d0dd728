"""Prepares an official release as EHRSQL does (§3.2 and D), step by step, each of them seeded."""

from collections.abc import Generator, Iterator
from contextlib import closing

from wardround.core.errors import UserError
from wardround.core.thread_call import iterate_on_thread
from wardround.ehr.database import Target
from wardround.ehr.database.table_reader import column_names, existing_database
from wardround.ehr.ingest.new_database import new_database
from wardround.ehr.ingest.preparation.ages import AGES
from wardround.ehr.ingest.preparation.costs import COST, create_cost
from wardround.ehr.ingest.preparation.cutoff import NOW
from wardround.ehr.ingest.preparation.form import Form, forms
from wardround.ehr.ingest.preparation.lower_case import LOWER
from wardround.ehr.ingest.preparation.orphans import drop_empty_people, people
from wardround.ehr.ingest.preparation.paths import PATHS
from wardround.ehr.ingest.preparation.patient_sample import SAMPLE
from wardround.ehr.ingest.preparation.plan import Effect, Plan, Step, Work
from wardround.ehr.ingest.preparation.row_filters import MILLILITRES, VITALS
from wardround.ehr.ingest.preparation.row_numbers import number_rows
from wardround.ehr.ingest.preparation.source_reader import read
from wardround.ehr.ingest.preparation.table_writer import write
from wardround.ehr.ingest.preparation.time_shift import SHIFT
from wardround.ehr.ingest.preparation.units import UNITS
from wardround.ehr.ingest.preparation.value_shuffle import SHUFFLE
from wardround.ehr.ingest.preparation.working_database import open_lake

_CHOOSING = (AGES, SAMPLE)
_CLEANING = (VITALS, MILLILITRES, PATHS, LOWER, UNITS, SHIFT, NOW)
_MAKING_UP = (SHUFFLE, COST)
STEPS = (*_CHOOSING, *_CLEANING, *_MAKING_UP)


def prepare(source: str, target: str, plan: Plan) -> Generator[Effect, None, None]:
    """Make an EHRSQL database of an official one.

    Nothing is done until the effects are asked for, and nothing is written before all steps are
    done. Where it is broken off, by an interrupt or a fault, no part of the target stays.

    Args:
        source: A database of MIMIC-III, MIMIC-IV or eICU in its official layout; it is only read.
        target: A database yet to be made.
        plan: What is asked for.

    Yields:
        What each step did to each table.

    Raises:
        UserError: If the plan names no such step, the source is not there or of no such release,
            the target has tables, or no patient is left.
    """
    _check(plan)
    with closing(existing_database(source)) as official:
        form = form_of(official, plan.layout)
        with new_database(target) as made, open_lake() as lake:
            yield from iterate_on_thread(
                _made(Work(lake, form, plan), official, made), lake.interrupt
            )


def form_of(source: Target, layout: str) -> Form:
    """The form that a database of an official release can be given, in some layout.

    Raises:
        UserError: If it has not the tables of patients and stays of any release.
    """
    tables = frozenset(source.tables())
    if "cost" in tables:
        raise UserError(
            f"Database {source.location} is prepared already: it has a cost table; give the"
            " official release that it was made from."
        )
    for form in (form for form in forms() if form.layout == (layout or form.schema)):
        needed = {table: names for record in form.first for table, names in record.read.items()}
        if not tables.issuperset(needed):
            continue
        if all(set(column_names(source, table)).issuperset(needed[table]) for table in needed):
            return form
    raise UserError(
        f"Database {source.location} is not an official release of MIMIC-III, MIMIC-IV or eICU "
        "that this layout is made of, or lacks its tables of patients and stays; make one with "
        "`wardround data build`."
    )


def _check(plan: Plan) -> None:
    layouts = sorted(form.layout for form in forms())
    if plan.layout and plan.layout not in layouts:
        raise UserError(f"There is no layout {plan.layout!r}; choose one of {', '.join(layouts)}.")
    names = [step.name for step in STEPS]
    for name in sorted(plan.skip):
        if name not in names:
            raise UserError(f"There is no step {name!r} to skip; steps are {', '.join(names)}.")
    if "shift" not in plan.skip and plan.first > plan.now:
        raise UserError(
            f"The current time {plan.now} is before {plan.first}, the earliest that a first visit"
            " may begin; give another --now or --first."
        )


def _made(work: Work, official: Target, made: Target) -> Generator[Effect, None, None]:
    yield from _prepared(work, official)
    yield from write(work, made)


def _prepared(work: Work, official: Target) -> Iterator[Effect]:
    yield from read(work, official, work.form.first)
    drop_empty_people(work)
    yield from _done(work, _CHOOSING)
    _check_people(work)
    yield from read(work, official, work.form.rest)
    yield from _done(work, _CLEANING)
    _check_people(work)
    number_rows(work)
    create_cost(work)
    yield from _done(work, _MAKING_UP)


def _done(work: Work, steps: tuple[Step, ...]) -> Iterator[Effect]:
    for step in steps:
        if step.name not in work.plan.skip:
            yield from step.apply(work)


def _check_people(work: Work) -> None:
    if not people(work):
        raise UserError(
            "No patient is left: none is of the ages asked for, or all records are later than "
            f"{work.plan.now}; give another --now, or --skip now where times are not shifted."
        )
