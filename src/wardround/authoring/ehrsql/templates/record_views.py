"""The records of any other layout: queries read kinds of record, each a query of its own tables."""
# SQL is built from record maps only.
# ruff: noqa: S608

from collections.abc import Iterator

from sqlglot import exp

from wardround.authoring.ehrsql.templates.records import (
    SIGNS,
    Column,
    Event,
    EventForm,
    Home,
    MissingRecordsError,
    Present,
    Records,
    Stays,
    VitalSign,
    event_forms,
    missing_text,
)
from wardround.ehr.database import quote_text
from wardround.ehr.records import RecordMap, Role, view
from wardround.ehr.records.dialect_forms import years_between
from wardround.ehr.times import Dialect

_SUFFIX = "_records"
_COLUMNS = ("value", "unit", "route", "dose", "organism", "title", "admission", "stay")
_NAMES = frozenset(form.name for form in event_forms().values()) - {""}
# Volumes; other amounts cannot be added up.
_VOLUMES = ("intake", "output")


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


def with_views(query: exp.Expr, records: RecordMap, dialect: Dialect) -> exp.Expr:
    """Returns a query with the query of each kind of record where the kind is named.

    Only what is read is selected: columns, and records with a name where the name is read.

    Raises:
        MissingRecordsError: the map lacks a kind or a column that is read.
    """
    read: dict[str, set[str]] = {}
    for column in query.find_all(exp.Column):
        read.setdefault(column.table, set()).add(column.name)
    for table in list(query.find_all(exp.Table)):
        if not table.name.endswith(_SUFFIX):
            continue
        kind = table.name.removesuffix(_SUFFIX)
        rows = exp.var(_rows(records, kind, read.get(table.name, set()), dialect))
        alias = exp.TableAlias(this=exp.to_identifier(table.name))
        table.replace(exp.Subquery(this=rows, alias=alias))
    return query


def _rows(records: RecordMap, kind: str, columns: set[str], dialect: Dialect) -> str:
    computed = {"age"} & columns if not records.has(kind, "age") else set()
    for column in ("", *sorted(columns - computed)):
        if not records.has(kind, column):
            raise MissingRecordsError(missing_text(records, kind, column))
    if computed:
        return _rows_with_age(records, kind, columns - computed, dialect)
    rows = view(records, kind, dialect, columns)
    named = " AND ".join(f"r.{name} IS NOT NULL" for name in sorted(columns & _NAMES))
    return f"SELECT * FROM ({rows}) AS r WHERE {named}" if named else rows


def _rows_with_age(records: RecordMap, kind: str, columns: set[str], dialect: Dialect) -> str:
    """The records of a kind with the patient's age: at the time, or else at the admission."""
    born = records.has("patient", "birth") and records.precisions("patient").get("birth") != "year"
    if born:
        rows = _rows(records, kind, {*columns, "patient", "time"}, dialect)
        people = _rows(records, "patient", {"patient", "birth"}, dialect)
        years = years_between(exp.column("birth", "p"), exp.column("time", "e"), dialect)
        age, key = years.sql(dialect), "patient"
    else:
        rows = _rows(records, kind, {*columns, "admission"}, dialect)
        people = _rows(records, "admission", {"admission", "age"}, dialect)
        age, key = "p.age", "admission"
    names = ", ".join(f"e.{name}" for name in sorted(columns))
    joined = f"({rows}) AS e JOIN ({people}) AS p ON p.{key} = e.{key}"
    return f"SELECT {names}{', ' if names else ''}{age} AS age FROM {joined}"


def _stays(kind: str, key: str, parent: str) -> Stays:
    table = kind + _SUFFIX
    return Stays(table, *(Column(table, name) for name in (key, parent, "time", "finish")))


def _event(form: EventForm, records: RecordMap) -> Event:
    """The event of a kind of record; it belongs to a patient, whether in a stay or not."""
    kind = form.kind_in(records)
    table = kind + _SUFFIX
    own = ("record", "stay", "admission", "name")
    id = next((name for name in own if records.has(kind, name)), "time")
    places = {"value": form.value, **{name: name for name in _COLUMNS[1:]}}
    columns = {
        name: Column(table, place) for name, place in places.items() if records.has(kind, place)
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
    patient, admission, cost = (kind + _SUFFIX for kind in ("patient", "admission", "cost"))
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
        "drugs_counted": f"DISTINCT drug{_SUFFIX}.name",
        "of_gender": f"{{t}}.patient IN (SELECT {patient}.patient FROM {patient} "
        f"WHERE {patient}.sex = VALUE(gender))",
    }.items()  # fmt: skip
    for sex in ("female", "male"):
        yield from ((sex, text) for text in records.texts("patient", "sex", sex)[:1])
    organism, none = f"culture{_SUFFIX}.organism", records.texts("culture", "organism", "none")
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
    table, admission = kind + _SUFFIX, f"admission{_SUFFIX}"
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
