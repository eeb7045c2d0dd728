"""Reads the stays and events of a database's patients."""
# SQL is built from packaged files and the database's own keys only.
# ruff: noqa: S608

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter

from wardround.authoring.ehrsql.questions.history import History, Occurrence, Stay
from wardround.authoring.ehrsql.questions.source import Source
from wardround.authoring.ehrsql.templates import Value
from wardround.authoring.ehrsql.templates.forms import rendered
from wardround.authoring.ehrsql.templates.question_sql import literal
from wardround.authoring.ehrsql.templates.records import Column, Event, Records, Stays
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, QueryError

# Sample size; the records of this many patients suffice for a set of questions.
MOST_PATIENTS = 400
FEWEST_PATIENTS = 10


def read_history(source: Source, chance: random.Random) -> History:
    """Reads the events of a sample of `MOST_PATIENTS` patients, or of all if there are fewer.

    Raises:
        UserError: there are fewer than `FEWEST_PATIENTS` patients.
    """
    records = source.records
    persons = _persons(source, chance)
    stays = _stays(source, records.stays, persons)
    units = _stays(source, records.units, list(stays))
    return History(
        persons,
        _genders(source),
        stays,
        units,
        {
            name: sorted(_read(source, event, stays, units, persons), key=attrgetter("time"))
            for name, event in records.events.items()
        },
        _abbreviations(source),
    )


def _persons(source: Source, chance: random.Random) -> list[Value]:
    stays = source.records.stays
    all_persons = f"SELECT DISTINCT {stays.parent} FROM {stays.table}"
    now = f"{all_persons} WHERE {stays.end} IS NULL ORDER BY {stays.parent}"
    persons = [_value(row[0]) for row in source.rows(f"{all_persons} ORDER BY {stays.parent}")]
    if len(persons) < FEWEST_PATIENTS:
        raise UserError(
            f"Database {source.database.url} has too few patients with a hospital stay to ask "
            f"about: {len(persons)}, where {FEWEST_PATIENTS} are needed; give a larger one."
        )
    if len(persons) <= MOST_PATIENTS:
        return persons
    staying = [_value(row[0]) for row in source.rows(now)][: MOST_PATIENTS // 4]
    chosen = {*staying, *chance.sample(persons, MOST_PATIENTS - len(staying))}
    return [person for person in persons if person in chosen]


def _stays(source: Source, stays: Stays, parents: Sequence[Value]) -> dict[Value, Stay]:
    columns = f"{stays.key}, {stays.parent}, {stays.start}, {stays.end}"
    condition = f"{stays.parent} IN ({_listed(parents) or 'NULL'})"
    rows = source.rows(f"SELECT {columns} FROM {stays.table} WHERE {condition} ORDER BY {columns}")
    by_key: dict[Value, Stay] = {}
    for key, parent, start, end in rows:
        begun = _time(start)
        if key is not None and begun:
            by_key.setdefault(_value(key), Stay(_value(key), _value(parent), begun, _time(end)))
    return by_key


def _genders(source: Source) -> dict[Value, str]:
    pieces = source.records.pieces
    gender = pieces["gender"].removeprefix("DISTINCT ")
    rows = source.rows(f"SELECT DISTINCT {pieces['person']}, {gender} FROM {pieces['persons']}")
    return {_value(person): str(gender) for person, gender in rows if person is not None}


def _abbreviations(source: Source) -> list[str]:
    if source.records.schema != "ehrsql_mimic_iii":
        return []
    title = "d_icd_diagnoses.short_title"
    rows = source.rows(f"SELECT DISTINCT {title} FROM d_icd_diagnoses ORDER BY {title} LIMIT 500")
    return [str(row[0]) for row in rows if row[0] is not None]


def _read(
    source: Source,
    event: Event,
    stays: Mapping[Value, Stay],
    units: Mapping[Value, Stay],
    persons: Sequence[Value],
) -> Iterator[Occurrence]:
    keys: Sequence[Value] = {"person": persons, "stay": list(stays), "unit": list(units)}[event.on]
    for sign, sql in _selects(source.records, event, keys):
        for key, at, stay, label, value, route in _rows_of(source, sql):
            time = _time(at)
            unit = units.get(_value(key)) if event.on == "unit" else None
            whole = stays.get(unit.parent if unit else _value(stay if stay is not None else key))
            if time and whole:
                yield Occurrence(
                    whole.parent, whole.key, unit.key if unit else None, time,
                    sign or (None if label is None else str(label)),
                    float(value) if isinstance(value, int | float) else None,
                    None if route is None else str(route),
                )  # fmt: skip


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
        names = _listed(list(signs) or ([event.name] if event.name else []))
        yield "", rendered("events_of", {**variables, "measured": event.value, "names": names})


def _value(cell: Cell) -> Value:
    return cell if isinstance(cell, int | float | str) else str(cell)


def _time(cell: Cell) -> datetime | None:
    try:
        return datetime.fromisoformat(str(cell)).replace(microsecond=0)
    except ValueError:
        return None


def _listed(values: Sequence[Value]) -> str:
    return ", ".join(map(literal, values))
