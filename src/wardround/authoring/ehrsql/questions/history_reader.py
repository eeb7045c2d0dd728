"""Reads the stays and events of a database's patients."""
# SQL is built from packaged files and the database's own keys only.
# ruff: noqa: S608

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from wardround.authoring.ehrsql.questions.history import History, Occurrence, Stay
from wardround.authoring.ehrsql.questions.source import Source
from wardround.authoring.ehrsql.templates import Value
from wardround.authoring.ehrsql.templates.forms import rendered
from wardround.authoring.ehrsql.templates.question_sql import literal
from wardround.authoring.ehrsql.templates.records import (
    Column,
    Event,
    Records,
    Stays,
)
from wardround.core.errors import NoPairsError, UserError
from wardround.ehr.database import Cell, QueryError
from wardround.ehr.records.record_tables import MissingRecordsError

# Sample size; the records of this many patients suffice for a set of questions.
MOST_PATIENTS = 400
FEWEST_PATIENTS = 10
_ABBREVIATIONS = 500


class _Row(NamedTuple):
    """A row of an event, as the form `events_of` selects it, and its vital sign if it is one."""

    key: Cell
    time: Cell
    stay: Cell
    unit: Cell
    label: Cell
    value: Cell
    measured_in: Cell
    route: Cell


def read_history(source: Source, chance: random.Random) -> History:
    """Reads the events of a sample of `MOST_PATIENTS` patients, or of all if there are fewer.

    Raises:
        NoPairsError: there are fewer than `FEWEST_PATIENTS` patients.
    """
    records = source.records
    persons = _persons(source, chance)
    stays = _stays(source, records.stays, persons)
    units = _stays(source, records.units, list(stays))
    keys = {"person": persons, "stay": list(stays), "unit": list(units)}
    events = {}
    for name, event in records.events.items():
        rows = _rows_of_event(source, event, keys[event.on])
        by_person = _of_persons(rows) if records.are_views else _of_stays(rows, event, stays, units)
        events[name] = sorted(by_person, key=attrgetter("time"))
    return History(persons, _genders(source), stays, units, events, _abbreviations(source))


def _persons(source: Source, chance: random.Random) -> list[Value]:
    """The patients with a hospital stay; all patients if events are also read outside of stays."""
    records, stays = source.records, source.records.stays
    person, table = str(stays.parent), stays.table
    if records.are_views:
        person, table = records.pieces["person"], records.pieces["persons"]
    rows = source.rows(f"SELECT DISTINCT {person} FROM {table} ORDER BY {person}")
    persons = [_value(row[0]) for row in rows]
    if len(persons) < FEWEST_PATIENTS:
        raise NoPairsError(
            f"Database {source.database.url} has too few patients with a hospital stay to ask "
            f"about: {len(persons)}, where {FEWEST_PATIENTS} are needed; give a larger one."
        )
    if len(persons) <= MOST_PATIENTS:
        return persons
    staying = _in_hospital(source)[: MOST_PATIENTS // 4]
    chosen = {*staying, *chance.sample(persons, MOST_PATIENTS - len(staying))}
    return [person for person in persons if person in chosen]


def _in_hospital(source: Source) -> list[Value]:
    stays = source.records.stays
    now = f"SELECT DISTINCT {stays.parent} FROM {stays.table} WHERE {stays.end} IS NULL"
    try:
        return [_value(row[0]) for row in source.rows(f"{now} ORDER BY {stays.parent}")]
    except MissingRecordsError:
        return []


def _stays(source: Source, stays: Stays, parents: Sequence[Value]) -> dict[Value, Stay]:
    """The stays by key; none if there are no records of such stays."""
    try:
        columns = f"{stays.key}, {stays.parent}, {stays.start}, {stays.end}"
        condition = f"{stays.parent} IN ({_listed(parents) or 'NULL'})"
        selected = f"SELECT {columns} FROM {stays.table} WHERE {condition}"
        rows = source.rows(f"{selected} ORDER BY {columns}")
    except MissingRecordsError:
        return {}
    by_key: dict[Value, Stay] = {}
    for key, parent, start, end in rows:
        begun = _time(start)
        if key is not None and begun:
            by_key.setdefault(_value(key), Stay(_value(key), _value(parent), begun, _time(end)))
    return by_key


def _genders(source: Source) -> dict[Value, str]:
    pieces = source.records.pieces
    gender = pieces["gender"].removeprefix("DISTINCT ")
    try:
        rows = source.rows(f"SELECT DISTINCT {pieces['person']}, {gender} FROM {pieces['persons']}")
    except MissingRecordsError:
        return {}
    return {_value(person): str(gender) for person, gender in rows if person is not None}


def _abbreviations(source: Source) -> list[str]:
    """The short names of diagnoses that have a long one, too."""
    diagnosis = source.records.events.get("diagnosis")
    if diagnosis is None or "title" not in diagnosis.columns or diagnosis.label is None:
        return []
    name, table = diagnosis.label, diagnosis.label.table
    order = f"ORDER BY {name} LIMIT {_ABBREVIATIONS}"
    rows = source.rows(f"SELECT DISTINCT {name} FROM {table} {order}")
    return [str(row[0]) for row in rows if row[0] is not None]


def _of_stays(
    rows: Sequence[tuple[str, _Row]],
    event: Event,
    stays: Mapping[Value, Stay],
    units: Mapping[Value, Stay],
) -> Iterator[Occurrence]:
    """The events of hospital stays; others are left out."""
    for sign, row in rows:
        time = _time(row.time)
        unit = units.get(_value(row.key)) if event.on == "unit" else None
        stay = stays.get(unit.parent if unit else _value(_first(row.stay, row.key)))
        if time and stay:
            yield _occurrence(row, sign, time, stay.parent, stay.key, unit.key if unit else None)


def _of_persons(rows: Sequence[tuple[str, _Row]]) -> Iterator[Occurrence]:
    """The events of patients, without names that are measured in several units."""
    units = defaultdict[Cell, set[Cell]](set)
    for _, row in rows:
        if row.value is not None:
            units[row.label].add(row.measured_in)
    for sign, row in rows:
        time = _time(row.time)
        if time and row.key is not None and len(units[row.label]) < 2:
            stay, unit = (None if key is None else _value(key) for key in (row.stay, row.unit))
            yield _occurrence(row, sign, time, _value(row.key), stay, unit)


def _occurrence(
    row: _Row, sign: str, time: datetime, person: Value, stay: Value | None, unit: Value | None
) -> Occurrence:
    return Occurrence(
        person,
        stay,
        unit,
        time,
        sign or (None if row.label is None else str(row.label)),
        float(row.value) if isinstance(row.value, int | float) else None,
        None if row.route is None else str(row.route),
    )


def _rows_of_event(source: Source, event: Event, keys: Sequence[Value]) -> list[tuple[str, _Row]]:
    """The rows of an event with their vital signs; none if there are no such records."""
    try:
        return [
            (sign, _Row(*row))
            for sign, sql in _selects(source.records, event, keys)
            for row in _rows_of(source, sql)
        ]
    except MissingRecordsError:
        return []


def _rows_of(source: Source, sql: str) -> Sequence[tuple[Cell, ...]]:
    try:
        return source.rows(sql)
    except QueryError as error:
        raise UserError(
            f"Database {source.database.url} lacks what its schema {source.schema} has: {error}"
        ) from None


def _selects(records: Records, event: Event, keys: Sequence[Value]) -> Iterator[tuple[str, str]]:
    """The select of the events, or one per vital sign if each has its own column."""
    signs = records.vital_signs if event.slot == "vital_name" else {}
    variables = {**vars(records), "e": event, "keys": _listed(keys) or "NULL"}
    if signs and not event.codes:
        for name, sign in signs.items():
            column = Column(event.table, sign.column)
            yield name, rendered("events_of", {**variables, "measured": column, "names": ""})
    else:
        names = _listed(list(signs) or list(event.names))
        value = event.columns.get("value")
        yield "", rendered("events_of", {**variables, "measured": value, "names": names})


def _first(cell: Cell, other: Cell) -> Cell:
    return other if cell is None else cell


def _value(cell: Cell) -> Value:
    return cell if isinstance(cell, int | float | str) else str(cell)


def _time(cell: Cell) -> datetime | None:
    try:
        return datetime.fromisoformat(str(cell)).replace(microsecond=0, tzinfo=None)
    except ValueError:
        return None


def _listed(values: Sequence[Value]) -> str:
    return ", ".join(map(literal, values))
