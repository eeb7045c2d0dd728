"""The tables and columns of each schema's events, from the packaged files of `schemas/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from wardround.core.packaged_data import read_toml
from wardround.ehr.schema import load_renaming

# The database released with EHRSQL 2024 is a variant of a schema: see schemas/ehrsql_2024.toml.
RELEASED = "ehrsql_2024"
# Fields of the packaged files that name columns.
_STAY = "key parent start end"
_EVENT = "id time key filtered_by value route dose organism"


class Column(NamedTuple):
    """A column of a table, qualified in SQL.

    >>> str(Column("patients", "dob").of("t1"))
    't1.dob'
    """

    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"

    def of(self, table: str) -> "Column":
        """Returns the column of the same name in another table, such as a derived one."""
        return Column(table, self.name)


@dataclass(frozen=True)
class Home:
    """The table that events join for their person and hospital stay."""

    table: str
    key: Column
    person: Column
    stay: Column
    age: str


@dataclass(frozen=True)
class Stays:
    """A table of stays; `parent` is the column of the person or the hospital stay."""

    table: str
    key: Column
    parent: Column
    start: Column
    end: Column


@dataclass(frozen=True)
class Dictionary:
    """The table with the names of codes; `where` is a condition on its rows."""

    label: Column
    codes: tuple[Column, ...]
    where: str = ""


@dataclass(frozen=True)
class Event:
    """A kind of event.

    Attributes:
        on: the meaning of `key`: a person, a hospital stay or a unit stay.
        codes: the columns of the event's code or label.
        slot: the question's slot for the event's label.
        name: the label, if all events of the kind have the same.
        where: a condition that selects the rows of this kind.
        present: a condition that the row has a label, if it may have none.
        filtered_by: the time column for time filters, if it is not `time`.
        value, route, dose, organism: columns, if the table has them.
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
    """One of the seven vital signs: the name of its normal range, and its column if it has one."""

    range: str
    column: str = ""


@dataclass(frozen=True)
class Records:
    """The tables and columns of a schema that questions are about.

    Attributes:
        pieces: pieces of SQL that differ between schemas, by their name in forms.
        vital_signs: vital signs by the schema's names for them.
    """

    schema: str
    home: Home
    stays: Stays
    units: Stays
    pieces: Mapping[str, str]
    events: Mapping[str, Event]
    vital_signs: Mapping[str, VitalSign] = field(default_factory=dict)


def base_schema(schema: str) -> str:
    """Returns the schema whose names forms use, before they are renamed.

    >>> base_schema("mimic_iv_star"), base_schema("ehrsql_eicu")
    ('ehrsql_mimic_iv', 'ehrsql_eicu')

    Raises:
        KeyError: there is no such schema.
    """
    if schema == RELEASED:
        return schema
    renaming = load_renaming(schema)
    return renaming.of if renaming else schema


@cache
def load_records(schema: str) -> Records:
    """Reads the events of a schema, or of its base schema.

    >>> load_records("mimic_iv_star").events["drug"].table
    'prescriptions'

    Raises:
        KeyError: questions cannot be made for the schema.
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
    base = _content(content["of"])
    changed = {event: base["events"][event] | entry for event, entry in content["events"].items()}
    return {**base, "events": base["events"] | changed}


def _event(entry: Mapping[str, Any]) -> Event:
    codes = tuple(Column(entry["table"], code) for code in entry.get("codes", ()))
    words = dict(entry.get("dictionary", {}))
    if words:
        table = words.pop("table")
        label, named = Column(table, words.pop("label")), tuple(code.of(table) for code in codes)
        words = {"dictionary": Dictionary(label, named, **words)}
    return Event(**{**_qualified(entry, _EVENT), **words, "codes": codes})


def _qualified(entry: Mapping[str, Any], columns: str) -> dict[str, Any]:
    """The entry of a table with its column names turned into columns."""
    names = entry.keys() & columns.split()
    return {**entry, **{name: Column(entry["table"], entry[name]) for name in names}}
