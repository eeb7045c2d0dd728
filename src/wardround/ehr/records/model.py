"""Record maps: what a layout's tables hold, as kinds of record with the same columns everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, get_args

from wardround.core.packaged_data import read_toml

ColumnType: TypeAlias = Literal["key", "code", "text", "number", "time"]
Precision: TypeAlias = Literal["second", "day", "year"]
OffsetUnit: TypeAlias = Literal["second", "minute", "hour", "day"]


class Role(NamedTuple):
    """A column of a kind of record: `Role("drug", "route")`."""

    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record, with the types of the columns that it can have."""

    name: str
    meaning: str
    columns: Mapping[str, ColumnType]


@dataclass(frozen=True, slots=True)
class RecordColumn:
    """A column of a kind of record, as one layout writes it.

    Attributes:
        sql: An expression over the source's tables, every column qualified, in DuckDB's dialect.
            Of an offset, the number.
        unit: The unit of a number, if it is the same in every record. The unit of a value is the
            column `unit` if the kind has one and the source does not.
        system: The system of a code, if it is the same in every record.
        dotted: Of a code, True if ICD codes have their dot: I50.9, not I509.
        precision: How exactly a time is known.
        start: Of an offset, the expression of the time that it counts from.
        offset_unit: Of an offset, its unit.
        split: The separator of several codes in one cell. Each is a separate record in a view that
            has the column.
    """

    sql: str
    type: ColumnType
    unit: str = ""
    precision: Precision = "second"
    start: str = ""
    offset_unit: OffsetUnit = "minute"
    split: str = ""
    system: str = ""
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The tables that hold records of a kind; a kind may have several sources.

    Attributes:
        tables: A FROM clause without its keyword; the first table is the one of the records, in the
            others each record is looked up: a join adds none.
        where: The condition that selects the rows; empty for all.
        one_per: The column of which each value has one record; empty if each row is a record.
        wide: The table's columns that are separate records, by the name of their content.
        units: The units of these columns by the same names.
    """

    tables: str
    columns: Mapping[str, RecordColumn]
    where: str = ""
    one_per: str = ""
    wide: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the source's records, in the order of its map."""
        given = (
            *(("name", "value") if self.wide else ()),
            *(("unit",) if self.units else ()),
        )
        return (*self.columns, *given)


@dataclass(frozen=True, slots=True)
class RecordMap:
    """The records that the tables of a layout hold.

    Attributes:
        layout: The name of the layout.
        kinds: The sources of each kind of record that the layout has.
        written: How the layout writes what questions name, by role: for `Role("patient", "sex")`
            the texts of "female" and "male".
        dataset: The dataset of each table with its `{module}`, where the layout is published as
            datasets of BigQuery; empty if tables have their bare names.
    """

    layout: str
    kinds: Mapping[str, tuple[Source, ...]]
    written: Mapping[Role, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    dataset: str = ""

    def __hash__(self) -> int:
        # Maps are keys of caches; equality compares their whole content.
        return hash((self.layout, frozenset(self.kinds)))

    def has(self, kind: str, column: str = "") -> bool:
        """True if the layout has a kind of record, and a column of it if one is named."""
        sources = self.kinds.get(kind, ())
        return any(not column or column in source.names for source in sources)

    def columns(self, kind: str) -> tuple[str, ...]:
        """The columns of a kind, in the order of `kinds.toml`; empty if there is no such kind."""
        present = {name for source in self.kinds.get(kind, ()) for name in source.names}
        return tuple(name for name in record_kinds()[kind].columns if name in present)

    def texts(self, kind: str, column: str, meaning: str) -> tuple[str, ...]:
        """The texts by which the layout writes a meaning in a column; empty if it does not."""
        return self.written.get(Role(kind, column), {}).get(meaning, ())

    def precisions(self, kind: str) -> dict[str, Precision]:
        """The times of a kind that are known less exactly than to the second, by column.

        The least exact of several sources counts.
        """
        of_sources = [
            (name, column.precision)
            for source in self.kinds.get(kind, ())
            for name, column in source.columns.items()
            if column.precision != "second"
        ]
        return dict(sorted(of_sources, key=lambda each: PRECISIONS.index(each[1])))


@cache
def record_kinds() -> Mapping[str, Kind]:
    """The kinds of record, by name.

    >>> record_kinds()["lab"].columns["value"]
    'number'
    """
    content = read_toml("wardround.ehr.records", "kinds.toml")
    return {name: Kind(name, **entry) for name, entry in content.items()}


COLUMN_TYPES: tuple[ColumnType, ...] = get_args(ColumnType)
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
OFFSET_UNITS: tuple[OffsetUnit, ...] = get_args(OffsetUnit)
