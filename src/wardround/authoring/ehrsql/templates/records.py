"""The events of a record with tables and columns, over which the forms of questions are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

from wardround.core.packaged_data import read_toml
from wardround.ehr.records import RecordMap, record_kinds
from wardround.ehr.records.record_tables import MissingRecordsError, missing_text
from wardround.ehr.schema import Renaming

# The database released with EHRSQL 2024 is a variant of a layout.
RELEASED = "ehrsql_2024"
# The seven vital signs (C.1), by the names of their normal ranges.
SIGNS = (
    "temperature", "sao2", "heart_rate", "respiration", "systolic_bp", "diastolic_bp", "mean_bp",
)  # fmt: skip

Item = TypeVar("Item")


class Present(dict[str, Item]):
    """The contents of records by name; looking up anything else raises `MissingRecordsError`."""

    def __init__(self, items: Mapping[str, Item], records: RecordMap, kind: str = "") -> None:
        super().__init__(items)
        self._records = records
        self._kind = kind

    def __missing__(self, name: str) -> Item:
        kind, column = (self._kind, name) if self._kind else _NEEDS[name]
        raise MissingRecordsError(missing_text(self._records, kind, column))

    def having(self, **items: Item) -> "Present[Item]":
        """Returns a copy with more items."""
        return Present({**self, **items}, self._records, self._kind)


class Absent:
    """Stands for what records lack; any use of it raises `MissingRecordsError`."""

    def __init__(self, reason: str) -> None:
        self.__reason = reason

    def __getattr__(self, name: str) -> Any:
        raise MissingRecordsError(self.__reason)


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
    """The table that events join for their person and hospital stay.

    Attributes:
        age: the column of the age, and `aged` the SQL of it as a number.
    """

    table: str
    key: Column
    person: Column
    stay: Column
    age: Column
    aged: str


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
        kind: the kind of record.
        on: the meaning of `key`: a person, a hospital stay or a unit stay.
        codes: the columns of the event's code or label.
        slot: the question's slot for the event's label.
        names: the labels, if all events of the kind have one of these.
        where: a condition that selects the rows of this kind.
        present: a condition that the row has a label, if it may have none.
        filtered_by: the time column for time filters, if it is not `time`.
        columns: further columns by their names in records, such as "route".
        person, stay, unit, age: columns of the event's own table, if no other has to be joined.
    """

    kind: str
    table: str
    id: Column
    time: Column
    on: Literal["person", "stay", "unit"]
    key: Column
    columns: Present[Column]
    codes: tuple[Column, ...] = ()
    slot: str = ""
    names: tuple[str, ...] = ()
    dictionary: Dictionary | None = None
    where: str = ""
    present: str = ""
    filtered_by: Column | None = None
    person: Column | None = None
    stay: Column | None = None
    unit: Column | None = None
    age: Column | None = None

    @property
    def label(self) -> Column | None:
        """The column of the event's name."""
        return self.dictionary.label if self.dictionary else next(iter(self.codes), None)


@dataclass(frozen=True)
class VitalSign:
    """One of the seven vital signs: the name of its normal range, and its column if it has one."""

    range: str
    column: str = ""


@dataclass(frozen=True, eq=False)
class Records:
    """The tables and columns that questions are about.

    Attributes:
        schema: the name of the layout.
        map: what the database holds.
        edition: the edition of EHRSQL whose queries are followed where the two differ.
        pieces: pieces of SQL, by their name in forms.
        vital_signs: vital signs by the layout's names for them.
        renaming: the renaming from the tables here to the layout's.
        are_views: True if tables are kinds of record, which queries define.
    """

    schema: str
    map: RecordMap
    edition: Literal["1.5", "2024"]
    home: Home
    stays: Stays
    units: Stays
    pieces: Mapping[str, str]
    events: Mapping[str, Event]
    vital_signs: Mapping[str, VitalSign] = field(default_factory=dict)
    renaming: Renaming | None = None
    are_views: bool = False

    @property
    def units_of_one_table(self) -> bool:
        """True if a row of the table of hospital stays is a unit stay."""
        return not self.are_views and self.units.table == self.stays.table


@dataclass(frozen=True)
class EventForm:
    """The form of an event in any record (see events.toml)."""

    kinds: tuple[str, ...]
    slot: str = ""
    name: str = ""
    value: str = "value"
    measure: str = ""
    time: str = "time"
    key: Literal["", "patient", "admission"] = ""

    def kind_in(self, records: RecordMap) -> str:
        """Returns the event's kind of record in a map; the first of its kinds if it lacks all."""
        known = (kind for kind in self.kinds if not self.name or records.has(kind, self.name))
        return next(known, self.kinds[0])


@cache
def event_forms() -> Mapping[str, EventForm]:
    """Reads the events by name.

    >>> event_forms()["test"].kinds
    ('culture',)
    """
    content = read_toml(__package__, "events.toml")
    return {
        name: EventForm(**{**entry, "kinds": tuple(entry["kinds"])})
        for name, entry in content.items()
    }


# The records that missing pieces and events would be made from.
_NEEDS = {
    "birth": ("patient", "birth"),
    "gender": ("patient", "sex"),
    "insurance": ("admission", "insurance"),
    "marital": ("admission", "marital"),
    "admission_type": ("admission", "type"),
    "admission_route": ("admission", "source"),
    "emergency": ("admission", "source"),
    "hospital": ("admission", "hospital"),
    "charges": ("cost", ""),
    "charge_type": ("cost", "name"),
    "charge_event": ("cost", "event"),
    "charge_stay": ("cost", "admission"),
    "grown": ("culture", "organism"),
    "of_gender": ("patient", "sex"),
    "death": ("patient", "death"),
    "deaths": ("patient", "death"),
    "deaths_of_persons": ("patient", "death"),
    "deaths_in_stays": ("admission", "died"),
    "female": ("patient", "sex"),
    "male": ("patient", "sex"),
    **{f"charge_of_{kind}": ("cost", "name") for kind in record_kinds()},
    **{name: (form.kinds[0], form.measure or form.name) for name, form in event_forms().items()},
}
