"""What happened to the patients of a database, read once, to draw questions' values from."""
# Its SQL is made of the packaged files and of the database's own keys.
# ruff: noqa: S608

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from wardround.benchmarks.ehrsql.build.dialects import in_dialect
from wardround.benchmarks.ehrsql.build.records import (
    RELEASED,
    Event,
    Records,
    Stays,
    load_records,
    records_of,
)
from wardround.benchmarks.ehrsql.build.render import Value
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database, QueryError
from wardround.ehr.schema import load_renaming, recognise
from wardround.ehr.times import Dialect

# Whole records of so many patients are read, which more than fills a set of questions.
MOST_PATIENTS = 400
FEWEST_PATIENTS = 10
_MOST_ROWS = 300_000
_LONG = 120.0


class Occurrence(NamedTuple):
    """One event of a patient, with what a question may say of it."""

    person: Value
    stay: Value
    unit: Value | None
    time: datetime
    label: str | None = None
    value: float | None = None
    route: str | None = None


class Stay(NamedTuple):
    """One stay: its key, what it is part of, and when it begins and ends."""

    key: Value
    parent: Value
    start: datetime
    end: datetime | None


@dataclass(frozen=True)
class Source:
    """A database that questions are made from.

    Attributes:
        schema: The name to make its questions by (`records_of`).
    """

    database: Database
    schema: str
    dialect: Dialect

    @cached_property
    def records(self) -> Records:
        """Where its schema keeps what happened."""
        return load_records(self.schema)

    def rows(self, sql: str) -> list[tuple[Cell, ...]]:
        """The rows of a query in SQLite's manner and the base schema's names."""
        names = None if self.schema == RELEASED else load_renaming(self.schema)
        written = in_dialect(sql, self.dialect, names)
        return self.database.execute(written, rows=_MOST_ROWS, seconds=_LONG).rows


def source_of(database: Database) -> Source:
    """The database with the schema that its tables show.

    Raises:
        UserError: If it is in no form that EHRSQL's questions are asked of.
    """
    columns = {t: [c.name.lower() for c in database.columns(t)] for t in database.tables()}
    schema = recognise(columns)
    diagnoses = {name.lower(): found for name, found in columns.items()}.get("diagnoses_icd", ())
    dialects: Mapping[str, Dialect] = {
        "sqlite": "sqlite",
        "duckdb": "duckdb",
        "postgres": "postgres",
    }
    try:
        named = records_of(schema or "", diagnoses)
        load_records(named)
        return Source(database, named, dialects[database.dialect])
    except KeyError:
        raise UserError(
            f"Database {database.url} is in no form that EHRSQL's questions are asked of (it looks "
            f"like {schema or 'no known schema'}, on {database.dialect}); prepare it with "
            "`wardround data prepare ehrsql` or make one with `wardround data hospital`."
        ) from None


@dataclass(frozen=True)
class History:
    """The patients that questions are drawn from, and all that happened to them.

    Attributes:
        persons: Their identifiers, in order.
        genders: By person.
        stays, units: By key.
        events: By kind, in the order of their times.
        abbreviations: Short names that the dictionaries explain.
    """

    persons: Sequence[Value]
    genders: Mapping[Value, str]
    stays: Mapping[Value, Stay]
    units: Mapping[Value, Stay]
    events: Mapping[str, Sequence[Occurrence]]
    abbreviations: Sequence[str]

    @cached_property
    def of_person(self) -> Mapping[tuple[str, Value], Sequence[Occurrence]]:
        """The events of a kind and person."""
        found: dict[tuple[str, Value], list[Occurrence]] = {}
        for kind, occurrences in self.events.items():
            for occurrence in occurrences:
                found.setdefault((kind, occurrence.person), []).append(occurrence)
        return found

    @cached_property
    def visits(self) -> Mapping[tuple[str, str], frozenset[Value]]:
        """Keys of the first, last and current stays of persons, by "hospital" or "icu"."""
        in_units = [s._replace(parent=self.stays[s.parent].parent) for s in self.units.values()]
        kinds = {"hospital": list(self.stays.values()), "icu": in_units}
        return {
            (kind, which): frozenset(keys)
            for kind, stays in kinds.items()
            for which, keys in _visits(stays).items()
        }


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


def _visits(stays: Sequence[Stay]) -> dict[str, list[Value]]:
    by_person: dict[Value, list[Stay]] = {}
    for stay in sorted(stays, key=lambda stay: stay.start):
        by_person.setdefault(stay.parent, []).append(stay)
    over = [[s for s in several if s.end] for several in by_person.values()]
    return {
        "first": [several[0].key for several in over if several],
        "last": [several[-1].key for several in over if several],
        "current": [stay.key for stay in stays if stay.end is None],
    }


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
