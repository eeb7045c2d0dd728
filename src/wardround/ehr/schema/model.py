"""Schemas: tables, columns, foreign keys and renamings."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ForeignKey:
    """A reference from a column to another table's column."""

    column: str
    table: str
    target: str


@dataclass(frozen=True)
class Column:
    """One column: its type, meaning and unit.

    Attributes:
        type: INTEGER (64 bits), REAL, TEXT, DATE or TIMESTAMP; `column_type` gives each engine's
            name of it.
        null: True if the column may be NULL.
        unique: True if values are unique, other than by the primary key.
    """

    name: str
    type: str
    meaning: str
    null: bool = False
    unique: bool = False
    unit: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: its columns in order, its primary key and foreign keys.

    Attributes:
        key: The columns of the primary key; empty if there is none.
        module: The folder of the table in the published release ("hosp"), if any.
        indexes: Columns of each index besides the primary key.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    module: str = ""
    indexes: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: If the table has no such column.
        """
        return {column.name: column for column in self.columns}[name]


@dataclass(frozen=True)
class Schema:
    """A database's tables in a valid order of creation.

    Attributes:
        rows: Published rows by table, by version of the release ("2.2") and of its demo
            ("demo-2.2").
    """

    name: str
    meaning: str
    tables: tuple[Table, ...]
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """The table of that name.

        Raises:
            KeyError: If the schema has no such table.
        """
        return {table.name: table for table in self.tables}[name]


@dataclass(frozen=True)
class Renaming:
    """New names of a schema's tables and columns, and of values that refer to tables.

    Attributes:
        of: Name of the original schema.
        tables: New table name by original table name.
        columns: New column name by original column name, by original table name.
        values: New value by original value, by original table and column name.
    """

    name: str
    of: str
    tables: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    def value(self, table: str, column: str, value: str) -> str:
        """A value of the original schema translated to the renamed one.

        >>> Renaming("b", "a", {}, {}, {"cost": {"event": {"lab": "tests"}}}).value(
        ...     "cost", "event", "lab"
        ... )
        'tests'
        """
        return self.values.get(table, {}).get(column, {}).get(value, value)
