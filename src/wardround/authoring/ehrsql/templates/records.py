"""The tables and columns of each schema's events, from the packaged files of `schemas/`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from wardround.core.packaged_data import read_toml
from wardround.ehr.schema import load_renaming

# The database released with EHRSQL 2024 is no schema of its own: see schemas/ehrsql_2024.toml.
RELEASED = "ehrsql_2024"


@dataclass(frozen=True)
class Home:
    """The table that an event joins to find its person and hospital stay."""

    table: str
    key: str
    person: str
    stay: str
    age: str


@dataclass(frozen=True)
class Stays:
    """A table of stays: its key, what a stay is part of, and when it begins and ends."""

    table: str
    key: str
    parent: str
    start: str
    end: str


@dataclass(frozen=True)
class Dictionary:
    """The table that has the names of codes; `where` is a further condition on its rows."""

    table: str
    label: str
    where: str = ""


@dataclass(frozen=True)
class Event:
    """A kind of event.

    Attributes:
        on: The kind of thing that `key` names: a person, a hospital stay or a unit stay.
        codes: The columns that say what happened.
        slot: The question's slot for the name of what happened; `name` where it never changes.
        where: A condition on the table that makes a row this kind of event.
        present: A condition that the row says what happened, where it may not.
        filtered_by: The time that a time filter is about, where it is not `time`.
        value, route, dose, organism: Columns, where there are such.
    """

    table: str
    id: str
    time: str
    on: Literal["person", "stay", "unit"]
    key: str
    codes: tuple[str, ...] = ()
    slot: str = ""
    name: str = ""
    dictionary: Dictionary | None = None
    where: str = ""
    present: str = ""
    filtered_by: str = ""
    value: str = ""
    route: str = ""
    dose: str = ""
    organism: str = ""


@dataclass(frozen=True)
class VitalSign:
    """One of the seven vital signs: the name of its normal range, and its column if it has one."""

    range: str
    column: str = ""


@dataclass(frozen=True)
class Records:
    """The tables and columns of one schema that questions are about.

    Attributes:
        pieces: Pieces of SQL that differ between schemas, by the name that forms use.
        vital_signs: By the name that the schema has for them.
    """

    schema: str
    home: Home
    stays: Stays
    units: Stays
    pieces: Mapping[str, str]
    events: Mapping[str, Event]
    vital_signs: Mapping[str, VitalSign] = field(default_factory=dict)


def base_schema(schema: str) -> str:
    """The schema whose names the questions' SQL is written in, before it is renamed.

    >>> base_schema("mimic_iv_star"), base_schema("ehrsql_eicu")
    ('ehrsql_mimic_iv', 'ehrsql_eicu')

    Raises:
        KeyError: If there is no such schema.
    """
    if schema == RELEASED:
        return schema
    renaming = load_renaming(schema)
    return renaming.of if renaming else schema


def records_of(schema: str, columns: Collection[str]) -> str:
    """The name to make a database's questions by: its schema, or the released form of it.

    Args:
        schema: The database's schema.
        columns: The columns of its table of the diagnoses of each stay.

    >>> records_of("ehrsql_mimic_iv", ["row_id", "subject_id", "hadm_id", "icd_code", "charttime"])
    'ehrsql_2024'
    """
    released = schema == "ehrsql_mimic_iv" and "icd_version" not in columns
    return RELEASED if released else schema


@cache
def load_records(schema: str) -> Records:
    """Reads the events of a schema, or of the one that it renames.

    >>> load_records("mimic_iv_star").events["drug"].table
    'prescriptions'

    Raises:
        KeyError: If questions cannot be made for the schema.
    """
    content = _content(base_schema(schema))
    return Records(
        schema=content["schema"],
        home=Home(**content["home"]),
        stays=Stays(**content["stays"]),
        units=Stays(**content["units"]),
        pieces=content["pieces"],
        events={name: _event(entry) for name, entry in content["events"].items()},
        vital_signs={name: VitalSign(**entry) for name, entry in content["vital_signs"].items()},
    )


def _content(name: str) -> dict[str, Any]:
    try:
        content = read_toml(__package__, f"schemas/{name}.toml")
    except FileNotFoundError:
        raise KeyError(f"no questions are made for the schema {name!r}") from None
    if "of" not in content:
        return {"schema": name, **content}
    whole = _content(content["of"])
    changed = {event: whole["events"][event] | entry for event, entry in content["events"].items()}
    return {**whole, "events": whole["events"] | changed}


def _event(entry: dict[str, Any]) -> Event:
    entry = dict(entry)
    if "dictionary" in entry:
        entry["dictionary"] = Dictionary(**entry["dictionary"])
    return Event(**{**entry, "codes": tuple(entry.get("codes", ()))})
