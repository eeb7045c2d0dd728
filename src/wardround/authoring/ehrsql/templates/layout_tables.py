"""The records of EHRSQL's own layouts: queries name their tables, as the published ones do."""
# SQL is built from record maps only.
# ruff: noqa: S608

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Literal, cast

from sqlglot import exp, parse_one

from wardround.authoring.ehrsql.templates.records import (
    RELEASED,
    SIGNS,
    Absent,
    Column,
    Dictionary,
    Event,
    EventForm,
    Home,
    Present,
    Records,
    Stays,
    VitalSign,
    event_forms,
)
from wardround.ehr.records import RecordMap, Role, Source, load_map
from wardround.ehr.records.plain_tables import is_present_test, lookup, main_table, own_column
from wardround.ehr.records.record_tables import missing_text
from wardround.ehr.schema import Renaming, load_renaming, load_schema

LAYOUTS = ("ehrsql_mimic_iii", "ehrsql_mimic_iv", "ehrsql_eicu", "mimic_iv_star", "eicu_star")

_VARIANTS = {RELEASED: "released_2024"}
# The layout whose queries follow EHRSQL 2024.
_OF_2024 = "ehrsql_mimic_iv"
_FURTHER = ("route", "dose", "organism", "title")


@cache
def load_records(schema: str) -> Records:
    """Returns the records of one of EHRSQL's layouts with all that it can have.

    >>> load_records("mimic_iv_star").events["drug"].table
    'prescriptions'

    Raises:
        KeyError: it is none of EHRSQL's layouts.
    """
    return layout_records(layout_map(schema), schema)


def layout_map(schema: str) -> RecordMap:
    """Returns the map of one of EHRSQL's layouts, or of the layout that it renames.

    Raises:
        KeyError: it is none of EHRSQL's layouts.
    """
    renaming = _renaming(schema)
    original = renaming.of if renaming else schema
    return load_map(_VARIANTS.get(original, original))


def _renaming(schema: str) -> Renaming | None:
    return None if schema in _VARIANTS else load_renaming(schema)


@cache
def layout_records(records: RecordMap, schema: str) -> Records:
    """Returns the records of a map whose kinds are tables.

    Args:
        records: the map of the layout, or of the one that it renames.
        schema: the layout's name.
    """
    is_of_2024 = records.layout == _OF_2024
    stays, units = _stays(records, "admission"), _stays(records, "icu")
    events = {
        name: event for name, form in event_forms().items() if (event := _event(form, records))
    }
    if discharge := events.get("discharge"):
        if is_of_2024:
            events["discharge"] = replace(discharge, filtered_by=stays.start)
        else:
            events["discharge"] = replace(discharge, where=f"{stays.end} IS NOT NULL")
    home = _home(records, stays, units)
    return Records(
        schema,
        records,
        "2024" if is_of_2024 else "1.5",
        home,
        stays,
        units,
        Present(dict(_pieces(records, home, events, is_of_2024)), records),
        Present(events, records),
        _vital_signs(records),
        _renaming(schema),
    )


def _stays(records: RecordMap, kind: str) -> Stays:
    if not records.has(kind):
        return cast("Stays", Absent(missing_text(records, kind)))
    [source] = records.kinds[kind]
    key, parent = ("admission", "patient") if kind == "admission" else ("stay", "admission")
    names = (key, parent, "time", "finish")
    return Stays(main_table(source), *(_column(source, name) for name in names))


def _home(records: RecordMap, stays: Stays, units: Stays) -> Home:
    """The table of hospital stays; where a row of it is a unit stay, that is its key."""
    if not records.has("admission"):
        return cast("Home", Absent(missing_text(records, "admission")))
    [source] = records.kinds["admission"]
    is_of_units = records.has("icu") and units.table == stays.table
    age = _column(source, "age")
    is_number = isinstance(parse_one(source.columns["age"].sql), exp.Column)
    return Home(
        stays.table,
        units.key if is_of_units else stays.key,
        stays.parent,
        stays.key,
        age,
        str(age) if is_number else f"TRY_CAST({age} AS INTEGER)",
    )


def _event(form: EventForm, records: RecordMap) -> Event | None:
    """The event in a layout's tables; None if the layout lacks it."""
    kind = form.kind_in(records)
    measures = records.texts(kind, "name", form.measure or SIGNS[0])
    source = next(
        (s for s in records.kinds.get(kind, ()) if not s.wide or {*measures} & s.wide.keys()), None
    )
    if source is None or (form.measure and not measures):
        return None
    if form.name and not source.wide and form.name not in source.columns:
        return None
    table = main_table(source)
    schema = {each.name: each for each in load_schema(records.layout).tables}
    on, key = _key(form, source, records)
    event = Event(
        kind,
        table,
        Column(table, schema[table].key[0]),
        _column(source, form.time),
        on,
        key,
        Present(dict(_columns(form, source)), records, kind),
        slot=form.slot,
    )
    if source.wide:
        return _of_wide_table(event, source, measures[0]) if form.measure else event
    where, present = _conditions(source, form.name)
    return replace(
        event,
        codes=_codes(source, form.name),
        names=measures[:1] if form.measure else (),
        dictionary=_dictionary(source, form.name),
        where=where,
        present=present,
    )


def _key(
    form: EventForm, source: Source, records: RecordMap
) -> tuple[Literal["person", "stay", "unit"], Column]:
    """The owner of an event and its column: the unit stay, unless the row is that stay."""
    table, units = main_table(source), records.kinds.get("icu", ())
    if form.key == "patient":
        return "person", _column(source, "patient")
    is_stay = any(main_table(each) == table for each in units)
    unit = own_column(source, "stay")
    if unit and not is_stay and not form.key:
        return "unit", Column(table, unit)
    return "stay", _column(source, "admission")


def _of_wide_table(event: Event, source: Source, measure: str) -> Event:
    """An event whose values are in a column of their own."""
    value = _wide_column(source, measure)
    return replace(event, columns=event.columns.having(value=value), where=f"{value} IS NOT NULL")


def _columns(form: EventForm, source: Source) -> Iterator[tuple[str, Column]]:
    for name, source_column in (("value", form.value), *((each, each) for each in _FURTHER)):
        if dictionary := lookup(source, source_column):
            yield name, Column(dictionary.table, dictionary.column)
        elif column := own_column(source, source_column):
            yield name, Column(main_table(source), column)


def _codes(source: Source, name: str) -> tuple[Column, ...]:
    if not name:
        return ()
    dictionary = lookup(source, name)
    names = dictionary.codes if dictionary else [own_column(source, name)]
    return tuple(Column(main_table(source), code) for code in names if code)


def _dictionary(source: Source, name: str) -> Dictionary | None:
    dictionary = lookup(source, name)
    if dictionary is None:
        return None
    codes = tuple(Column(dictionary.table, code) for code in dictionary.codes)
    return Dictionary(Column(dictionary.table, dictionary.column), codes, dictionary.where)


def _conditions(source: Source, name: str) -> tuple[str, str]:
    """The conditions that select an event's rows and its named rows.

    If a kind of record is defined by its name being present, its rows need no other condition, and
    its named rows are those with a name.
    """
    if not is_present_test(source, "name"):
        return source.where, ""
    return "", f"{_column(source, name)} IS NOT NULL" if name else ""


def _vital_signs(records: RecordMap) -> dict[str, VitalSign]:
    """The vital signs by their names; in a table with a column for each, that of the column."""
    signs = {}
    for range in SIGNS:
        for text in records.texts("vital", "name", range):
            sources = [each for each in records.kinds.get("vital", ()) if text in each.wide]
            column = _wide_column(sources[0], text).name if sources else ""
            signs[column or text] = VitalSign(range, column)
    return signs


def _wide_column(source: Source, name: str) -> Column:
    return Column(main_table(source), parse_one(source.wide[name]).name)


def _pieces(
    records: RecordMap, home: Home, events: dict[str, Event], is_of_2024: bool
) -> Iterator[tuple[str, str]]:
    [patient], [admission] = records.kinds["patient"], records.kinds["admission"]
    person, gender = _column(patient, "patient"), _column(patient, "sex")
    persons = main_table(patient)
    yield "persons", persons
    yield "person", str(person)
    yield "gender", f"DISTINCT {gender}" if patient.one_per else str(gender)
    of_gender = f"{gender} = VALUE(gender)"
    in_persons = f"{home.person} IN (SELECT {person} FROM {persons} WHERE {of_gender})"
    yield "of_gender", of_gender if persons == home.table else in_persons
    for sex in ("female", "male"):
        yield sex, records.texts("patient", "sex", sex)[0]
    yield from _column_pieces(patient, birth="birth")
    yield from _column_pieces(
        admission, insurance="insurance", marital="marital", admission_route="source"
    )
    yield from _column_pieces(
        admission, admission_type="type" if "type" in admission.columns else "source"
    )
    for text in records.texts("admission", "source", "emergency"):
        yield "emergency", f"{_column(admission, 'source')} = '{text}'"
    for cost in records.kinds.get("cost", ()):
        yield from _column_pieces(cost, charges="value", charge_type="name", charge_event="event")
        yield from _column_pieces(cost, charge_stay="admission")
        for kind, texts in records.written[Role("cost", "name")].items():
            yield f"charge_of_{kind}", texts[0]
    if drug := events.get("drug"):
        yield "drugs_counted", "*" if is_of_2024 else f"DISTINCT {drug.codes[0]}"
    if culture := events.get("culture"):
        grown = culture.columns["organism"]
        none = records.texts("culture", "organism", "none")
        yield "grown", f"NOT {grown} = '{none[0]}'" if none else f"{grown} IS NOT NULL"
    for stay in (admission, *records.kinds.get("icu", ())):
        if main_table(stay) == home.table:
            yield from _column_pieces(stay, hospital="hospital")
    yield from _deaths(records, home, person)


def _deaths(records: RecordMap, home: Home, person: Column) -> Iterator[tuple[str, str]]:
    """The times of deaths: recorded for patients, or else the ends of stays that ended in death."""
    [patient], [admission] = records.kinds["patient"], records.kinds["admission"]
    destination = _column(admission, "destination")
    is_dead = f"{destination} = '{records.texts('admission', 'destination', 'dead')[0]}'"
    table = person.table
    if column := own_column(patient, "death"):
        death, name = Column(table, column), person.name
        yield "death", str(death)
        yield "deaths", f"JOIN {table} ON {{t}}.{name} = {person}"
        died = f"SELECT {person}, {death} AS died"
        yield "deaths_of_persons", f"{died} FROM {table} WHERE {death} IS NOT NULL"
        joined = f"{home.table} JOIN {table} ON {home.person} = {person}"
        died = f"SELECT {home.person}, {death} AS died, {home.stay}"
        yield "deaths_in_stays", f"{died} FROM {joined} WHERE {is_dead}"
        return
    end, of_dead = _column(admission, "finish"), f"FROM {home.table} WHERE {is_dead}"
    name = home.person.name
    latest = f"SELECT {home.person}, MAX({end}) AS died {of_dead} GROUP BY {home.person}"
    yield "death", "d.died"
    yield "deaths", f"LEFT JOIN ({latest}) AS d ON {{t}}.{name} = d.{name}"
    yield "deaths_of_persons", f"SELECT {home.person}, {end} AS died {of_dead}"
    yield "deaths_in_stays", f"SELECT {home.person}, {end} AS died, {home.stay} {of_dead}"


def _column_pieces(source: Source, **names: str) -> Iterator[tuple[str, str]]:
    """Pieces that are columns of a source, by name, if it has them."""
    for piece, name in names.items():
        if column := own_column(source, name):
            yield piece, f"{main_table(source)}.{column}"


def _column(source: Source, name: str) -> Column:
    column = own_column(source, name)
    if column is None:
        raise KeyError(name)
    return Column(main_table(source), column)
