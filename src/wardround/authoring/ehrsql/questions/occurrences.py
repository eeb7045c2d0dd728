"""Reads what happened to the patients of a database, once."""
# Its SQL is made of the packaged files and of the database's own keys.
# ruff: noqa: S608

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter

from wardround.authoring.ehrsql.questions.history import History, Occurrence, Stay
from wardround.authoring.ehrsql.questions.source import Source
from wardround.authoring.ehrsql.templates.records import Event, Records, Stays
from wardround.authoring.ehrsql.templates.render import Value
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, QueryError

# Whole records of so many patients are read, which more than fills a set of questions.
MOST_PATIENTS = 400
FEWEST_PATIENTS = 10


def read_history(source: Source, chance: random.Random) -> History:
    """Reads what happened to a sample of the patients, or to all where they are few.

    Raises:
        UserError: If there are too few patients to ask about.
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
    column = f"{stays.table}.{stays.parent}"
    every = f"SELECT DISTINCT {column} FROM {stays.table}"
    now = f"{every} WHERE {stays.table}.{stays.end} IS NULL ORDER BY {column}"
    found = [_value(row[0]) for row in source.rows(f"{every} ORDER BY {column}")]
    if len(found) < FEWEST_PATIENTS:
        raise UserError(
            f"Database {source.database.url} has too few patients with a hospital stay to ask "
            f"about: {len(found)}, where {FEWEST_PATIENTS} are needed; give a larger one."
        )
    if len(found) <= MOST_PATIENTS:
        return found
    staying = [_value(row[0]) for row in source.rows(now)][: MOST_PATIENTS // 4]
    kept = {*staying, *chance.sample(found, MOST_PATIENTS - len(staying))}
    return [person for person in found if person in kept]


def _stays(source: Source, stays: Stays, parents: Sequence[Value]) -> dict[Value, Stay]:
    columns = ", ".join(
        f"{stays.table}.{c}" for c in (stays.key, stays.parent, stays.start, stays.end)
    )
    rows = source.rows(
        f"SELECT {columns} FROM {stays.table} WHERE {stays.table}.{stays.parent} IN "
        f"({_listed(parents)}) ORDER BY {columns}"
    )
    found: dict[Value, Stay] = {}
    for key, parent, start, end in rows:
        begun = _time(start)
        if key is not None and begun:
            found.setdefault(_value(key), Stay(_value(key), _value(parent), begun, _time(end)))
    return found


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


def _rows_of(source: Source, sql: str) -> list[tuple[Cell, ...]]:
    try:
        return source.rows(sql)
    except QueryError as error:
        raise UserError(
            f"Database {source.database.url} lacks what its schema {source.schema} has: {error}"
        ) from None


def _selects(records: Records, event: Event, keys: Sequence[Value]) -> Iterator[tuple[str, str]]:
    """A select of the events; of vital signs that each have a column, one for each."""
    columns = {name: sign.column for name, sign in records.vital_signs.items()}
    if event.slot == "vital_name" and not event.codes:
        for name, column in columns.items():
            yield name, _select(records, event, keys, column)
    else:
        yield "", _select(records, event, keys, event.value)


def _select(records: Records, event: Event, keys: Sequence[Value], value: str) -> str:
    table, words = event.table, event.dictionary
    label = f"{words.table}.{words.label}" if words else ""
    label = label or (f"{table}.{event.codes[0]}" if event.codes else "NULL")
    route = f"{table}.{event.route}" if event.route else "NULL"
    if event.slot == "" and table == records.stays.table and event.on == "person":
        route = records.pieces["admission_route"]
    stay = f"{table}.{records.stays.key}" if event.on == "person" else "NULL"
    joined = ""
    if words:
        on = [f"{table}.{code} = {words.table}.{code}" for code in event.codes]
        joined = f" JOIN {words.table} ON {' AND '.join([*on, words.where or 'TRUE'])}"
    measured = f"{table}.{value}" if value else "NULL"
    wanted = [f"{table}.{event.key} IN ({_listed(keys)})", event.where, event.present]
    wanted.append(f"NOT {measured} IS NULL" if event.slot == "vital_name" else "")
    wanted.append(
        f"{label} IN ({_listed(_names(records, event))})" if _names(records, event) else ""
    )
    return (
        f"SELECT {table}.{event.key}, {table}.{event.filtered_by or event.time}, {stay}, {label}, "
        f"{measured}, {route} FROM {table}{joined} WHERE "
        f"{' AND '.join(part for part in wanted if part)} ORDER BY {table}.{event.id}"
    )


def _names(records: Records, event: Event) -> list[Value]:
    if event.slot == "vital_name" and event.codes:
        return list(records.vital_signs)
    return [event.name] if event.name else []


def _value(cell: Cell) -> Value:
    return cell if isinstance(cell, int | float | str) else str(cell)


def _time(cell: Cell) -> datetime | None:
    try:
        return datetime.fromisoformat(str(cell)).replace(microsecond=0)
    except ValueError:
        return None


def _listed(values: Sequence[Value]) -> str:
    quoted = (
        "'" + str(v).replace("'", "''") + "'" if isinstance(v, str) else str(v) for v in values
    )
    return ", ".join(quoted) or "NULL"
