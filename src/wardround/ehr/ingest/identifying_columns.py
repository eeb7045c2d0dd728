"""The columns of a database that say whose a row is, and those that its layout does not have."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround.core.packaged_data import read_toml
from wardround.ehr.database.interface import ColumnInfo
from wardround.ehr.database.names import quote_name
from wardround.ehr.ingest.patient_removal import id_levels
from wardround.ehr.schema import load_schema, recognise

_SCOPED = "scope_identifiers.toml"
_TEXT = ("VARCHAR", "CHAR", "TEXT")
_REAL = ("DOUBLE", "REAL", "FLOAT", "DECIMAL", "NUMERIC")
_WHOLE = re.compile(r"U?(TINY|SMALL|MEDIUM|BIG|HUGE)?INT(EGER|\d)?\Z")
_NESTED = ("STRUCT", "MAP", "UNION", "JSON", "VARIANT")

Tables = Mapping[str, Sequence[ColumnInfo]]


@dataclass(frozen=True, slots=True)
class IdentifyingColumn:
    """A column that holds identifiers of people or of their stays.

    Attributes:
        name: its name, as the database writes it.
        level: the layout's column that holds the same identifiers.
        type: its declared type.
    """

    name: str
    level: str
    type: str

    @property
    def is_owner(self) -> bool:
        """True if the row belongs to whom the column names; others may name a mother or a donor."""
        return self.name.lower() == self.level

    def value(self, type: str, dialect: str) -> str:
        """The column in SQL, to compare it with identifiers of a type.

        SQLite compares texts with numbers by itself; others refuse to, and PostgreSQL refuses to
        compare many more types, which a site's own columns may have.
        """
        name = quote_name(self.name)
        if dialect == "postgres":
            return self._value_on_a_server(name, type)
        is_mixed = "text" in {kind_of(self.type), kind_of(type)} and not self.is_like(type)
        return f"TRY_CAST({name} AS {type})" if is_mixed and dialect == "duckdb" else name

    def _value_on_a_server(self, name: str, type: str) -> str:
        if self.is_like(type) or {kind_of(self.type), kind_of(type)} == {"whole", "real"}:
            return name
        text = f"CAST({name} AS TEXT)"
        if kind_of(type) == "text":
            return text
        return f"CASE WHEN {text} ~ '^-?[0-9]{{1,18}}$' THEN CAST({text} AS BIGINT) END"

    def is_like(self, type: str) -> bool:
        """True if values of the column and of another type can be in one column."""
        kinds = {kind_of(self.type), kind_of(type)}
        return len(kinds) == 1 and (kinds != {"other"} or self.type == type)


@dataclass(frozen=True, slots=True)
class IdentifyingColumns:
    """The identifying columns of a database.

    Attributes:
        types: the type of the identifiers, by level, from the person down.
        tables: the columns of each table, from the person down.
    """

    types: Mapping[str, str]
    tables: Mapping[str, tuple[IdentifyingColumn, ...]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a database, its names in lower case.

    Attributes:
        tables: the columns that it has, by table.
        levels: its identifying columns, from the person down; empty for those of a removal.
        withheld: tables about people whom they do not name.
    """

    tables: Mapping[str, frozenset[str]]
    levels: tuple[str, ...] = ()
    withheld: frozenset[str] = frozenset()

    def has(self, table: str, column: ColumnInfo) -> bool:
        """True if the layout has a column."""
        return column.name.lower() in self.tables.get(table.lower(), ())


def layout_of(tables: Tables) -> Layout:
    """The layout that fits the tables best."""
    name = recognise({table: [c.name for c in columns] for table, columns in tables.items()})
    packaged_tables = load_schema(name).tables if name else ()
    columns = {table.name: frozenset(c.name for c in table.columns) for table in packaged_tables}
    fitting = (
        each for key, each in read_toml(__package__, _SCOPED).items() if f"{name}".startswith(key)
    )
    described = next(fitting, {"levels": (), "withheld": ()})
    return Layout(columns, tuple(described["levels"]), frozenset(described["withheld"]))


def identifying_columns(location: str, tables: Tables, layout: Layout) -> IdentifyingColumns:
    """The identifying columns of the layout, and others with a like name or declaration.

    Raises:
        UserError: no layout fits, or several do.
    """
    names = {table: [column.name for column in each] for table, each in tables.items()}
    levels = layout.levels or id_levels(location, names)
    identifying = {
        table: [
            IdentifyingColumn(column.name, level, column.type)
            for column in columns
            if (level := _level(column, levels, is_known=layout.has(table, column)))
        ]
        for table, columns in tables.items()
    }
    types = {level: _usual_type(identifying, level) for level in levels}
    ordered = {
        table: tuple(sorted(columns, key=lambda each: levels.index(each.level)))
        for table, columns in identifying.items()
    }
    return IdentifyingColumns(types, ordered)


def kind_of(type: str) -> str:
    """The kind of a declared type: values of one kind are written alike.

    >>> kind_of("VARCHAR"), kind_of("DOUBLE PRECISION"), kind_of("BIGINT")
    ('text', 'real', 'whole')
    """
    if type.startswith(_TEXT):
        return "text"
    if type.startswith(_REAL):
        return "real"
    return "whole" if _WHOLE.match(type) else "other"


def is_nested(column: ColumnInfo) -> bool:
    """True if values of a column hold further values, such as identifiers.

    >>> [is_nested(ColumnInfo("c", type)) for type in ("BIGINT[]", "STRUCT(a BIGINT)", "DATE")]
    [True, True, False]
    """
    return column.type.endswith("]") or column.type.startswith(_NESTED)


def _level(column: ColumnInfo, levels: Sequence[str], *, is_known: bool) -> str | None:
    """The level of the identifiers in a column; None if it holds none."""
    name = column.name.lower()
    if name in levels:
        return name
    if is_known:
        return None
    referred = (column.references or "").lower().rpartition("(")[2].rstrip(")")
    if referred in levels:
        return referred
    longest_first = sorted(levels, key=len, reverse=True)
    return next((each for each in longest_first if _letters(each) in _letters(name)), None)


def _letters(name: str) -> str:
    return name.replace("_", "")


def _usual_type(tables: Mapping[str, Sequence[IdentifyingColumn]], level: str) -> str:
    types = Counter(
        column.type
        for columns in tables.values()
        for column in columns
        if column.is_owner and column.level == level
    )
    return types.most_common(1)[0][0] if types else _TEXT[0]
