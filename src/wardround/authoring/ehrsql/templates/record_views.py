"""The records of any other layout: queries read kinds of record, each a query of its own tables."""
# SQL is built from record maps only.
# ruff: noqa: S608

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from wardround.authoring.ehrsql.templates.records import (
    SIGNS,
    Column,
    Event,
    EventForm,
    Home,
    Present,
    Records,
    Stays,
    VitalSign,
    event_forms,
)
from wardround.ehr.database import quote_text
from wardround.ehr.records import RecordMap, Role
from wardround.ehr.records.record_tables import record_table

_COLUMNS = ("value", "unit", "route", "dose", "organism", "title", "admission", "stay")
# Volumes; other amounts cannot be added up.
_VOLUMES = ("intake", "output")


@cache
def view_records(records: RecordMap) -> Records:
    """Returns the records of a map, with a table for each kind of record.

    A query that reads what the map lacks is refused by `with_views`.
    """
    stays = _stays("admission", "admission", "patient")
    aged = Column(stays.table, "age")
    events = {
        name: _event(form, records)
        for name, form in event_forms().items()
        if not form.measure or records.texts("vital", "name", form.measure)
    }
    return Records(
        records.layout,
        records,
        "1.5",
        Home(stays.table, stays.key, stays.parent, stays.key, aged, str(aged)),
        stays,
        _stays("icu", "stay", "admission"),
        Present(dict(_pieces(records)), records),
        Present(events, records),
        {
            text: VitalSign(range)
            for range in SIGNS
            for text in records.texts("vital", "name", range)
        },
        are_views=True,
    )


@cache
def table_records(records: RecordMap) -> Records:
    """Returns the records of a map whose queries name the tables of records, without their views.

    >>> from wardround.ehr.records import load_map
    >>> table_records(load_map("omop_5_4")).stays.table
    'admission_records'
    """
    return replace(view_records(records), are_views=False)


def _stays(kind: str, key: str, parent: str) -> Stays:
    table = record_table(kind)
    return Stays(table, *(Column(table, name) for name in (key, parent, "time", "finish")))


def _event(form: EventForm, records: RecordMap) -> Event:
    """The event of a kind of record; it belongs to a patient, whether in a stay or not."""
    kind = form.kind_in(records)
    table = record_table(kind)
    id_columns = ("record", "stay", "admission", "name")
    id = next((name for name in id_columns if records.has(kind, name)), "time")
    named_columns = {"value": form.value, **{name: name for name in _COLUMNS[1:]}}
    columns = {
        name: Column(table, column)
        for name, column in named_columns.items()
        if records.has(kind, column)
    }
    where = f"{table}.finish IS NOT NULL" if form.time == "finish" else ""
    if kind in _VOLUMES and records.has(kind, "unit"):
        where = f"LOWER({table}.unit) = 'ml'"
    return Event(
        kind,
        table,
        Column(table, id),
        Column(table, form.time),
        "person",
        Column(table, "patient"),
        Present(columns, records, kind),
        codes=(Column(table, form.name),) if form.name else (),
        slot=form.slot,
        names=records.texts(kind, "name", form.measure) if form.measure else (),
        where=where,
        person=Column(table, "patient"),
        stay=Column(table, "admission"),
        unit=Column(table, "stay"),
        age=Column(table, "age"),
    )


def _pieces(records: RecordMap) -> Iterator[tuple[str, str]]:
    patient, admission, cost = (record_table(kind) for kind in ("patient", "admission", "cost"))
    yield from {
        "persons": patient,
        "person": f"{patient}.patient",
        "gender": f"{patient}.sex",
        "birth": f"{patient}.birth",
        "insurance": f"{admission}.insurance",
        "marital": f"{admission}.marital",
        "admission_type": f"{admission}.type",
        "admission_route": f"{admission}.source",
        "hospital": f"{admission}.hospital",
        "charges": f"{cost}.value",
        "charge_type": f"{cost}.name",
        "charge_event": f"{cost}.event",
        "charge_stay": f"{cost}.admission",
        "drugs_counted": f"DISTINCT {record_table('drug')}.name",
        "of_gender": f"{{t}}.patient IN (SELECT {patient}.patient FROM {patient} "
        f"WHERE {patient}.sex = VALUE(gender))",
    }.items()  # fmt: skip
    for sex in ("female", "male"):
        yield from ((sex, text) for text in records.texts("patient", "sex", sex)[:1])
    organism = f"{record_table('culture')}.organism"
    none = records.texts("culture", "organism", "none")
    without = f" AND NOT {organism} IN ({_listed(none)})" if none else ""
    yield "grown", f"{organism} IS NOT NULL{without}"
    if emergency := records.texts("admission", "source", "emergency"):
        yield "emergency", f"{admission}.source IN ({_listed(emergency)})"
    for kind, texts in records.written.get(Role("cost", "name"), {}).items():
        yield f"charge_of_{kind}", texts[0]
    yield from _deaths(records)


def _deaths(records: RecordMap) -> Iterator[tuple[str, str]]:
    """The times of deaths, and the deaths that ended a hospital stay."""
    of_patients = records.has("patient", "death")
    kind, column = ("patient", "death") if of_patients else ("death", "time")
    table, admission = record_table(kind), record_table("admission")
    death = f"{table}.{column}"
    latest = f"SELECT {table}.patient, MAX({death}) AS died FROM {table}"
    known = f"{latest} WHERE {death} IS NOT NULL GROUP BY {table}.patient"
    yield "death", "d.died"
    yield "deaths", f"LEFT JOIN ({known}) AS d ON {{t}}.patient = d.patient"
    yield "deaths_of_persons", known
    stays = f"SELECT {admission}.patient, {admission}.finish AS died, {admission}.admission"
    if dead := records.texts("admission", "destination", "dead"):
        test = f"{admission}.destination IN ({_listed(dead)})"
        yield "deaths_in_stays", f"{stays} FROM {admission} WHERE {test}"
    elif records.has("admission", "died"):
        yield "deaths_in_stays", f"{stays} FROM {admission} WHERE {admission}.died = 1"


def _listed(texts: tuple[str, ...]) -> str:
    return ", ".join(quote_text(text) for text in texts)
