"""The tables and columns of each schema's events, from the packaged files of `schemas/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from wardround.core.packaged_data import read_toml
from wardround.ehr.schema import load_renaming

# The database released with EHRSQL 2024 is no schema of its own: see schemas/ehrsql_2024.toml.
RELEASED = "ehrsql_2024"
# The columns that an entry of a packaged file names.
_STAY = "key parent start end"
_EVENT = "id time key filtered_by value route dose organism"


class Column(NamedTuple):
    """A column of a table; SQL has it by both names.

    >>> str(Column("patients", "dob").of("t1"))
    't1.dob'
    """

    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"

    def of(self, table: str) -> "Column":
        """The column of that name in another table, such as a derived one."""
        return Column(table, self.name)


@dataclass(frozen=True)
class Home:
    """The table that an event joins to find its person and hospital stay."""

    table: str
    key: Column
    person: Column
    stay: Column
    age: str


@dataclass(frozen=True)
class Stays:
    """A table of stays: its key, what a stay is part of, and when it begins and ends."""

    table: str
    key: Column
    parent: Column
    start: Column
    end: Column


@dataclass(frozen=True)
class Dictionary:
    """The table that has the names of codes; `where` is a further condition on its rows."""

    label: Column
    codes: tuple[Column, ...]
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
    id: Column
    time: Column
    on: Literal["person", "stay", "unit"]
    key: Column
    codes: tuple[Column, ...] = ()
    slot: str = ""
    name: str = ""
    dictionary: Dictionary | None = None
    where: str = ""
    present: str = ""
    filtered_by: Column | None = None
    value: Column | None = None
    route: Column | None = None
    dose: Column | None = None
    organism: Column | None = None


@dataclass(frozen=True)
class VitalSign:
    """One of the seven vital signs: the name of its normal range, and its own column if any."""

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
        home=Home(**_qualified(content["home"], "key person stay")),
        stays=Stays(**_qualified(content["stays"], _STAY)),
        units=Stays(**_qualified(content["units"], _STAY)),
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


def _event(entry: Mapping[str, Any]) -> Event:
    codes = tuple(Column(entry["table"], code) for code in entry.get("codes", ()))
    words = dict(entry.get("dictionary", {}))
    if words:
        table = words.pop("table")
        label, named = Column(table, words.pop("label")), tuple(code.of(table) for code in codes)
        words = {"dictionary": Dictionary(label, named, **words)}
    return Event(**{**_qualified(entry, _EVENT), **words, "codes": codes})


def _qualified(entry: Mapping[str, Any], columns: str) -> dict[str, Any]:
    """The entry of a table with the names of its columns as columns."""
    names = entry.keys() & columns.split()
    return {**entry, **{name: Column(entry["table"], entry[name]) for name in names}}
