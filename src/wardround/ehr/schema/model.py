"""What a schema is made of: tables, columns, foreign keys, and the renaming of one schema."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ForeignKey:
    """A column that points at another table's column."""

    column: str
    table: str
    target: str


@dataclass(frozen=True)
class Column:
    """One column: its type, what it means and, where known, its unit.

    Attributes:
        type: INTEGER (64 bits), REAL, TEXT, DATE or TIMESTAMP; every engine has its own name for
            each (see `column_type`).
        null: The column may be empty.
        unique: No two rows share a value, though the column is not the primary key.
    """

    name: str
    type: str
    meaning: str
    null: bool = False
    unique: bool = False
    unit: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: its columns in order, its primary key and what it points at.

    Attributes:
        key: The columns of the primary key; empty where rows have none.
        module: The folder of the published release that holds the table ("hosp"), if any.
        indexes: Columns of each index that queries need, beside the primary key's.
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
    """A database's tables in the order in which they can be created.

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
    """New names for a schema's tables and columns, and for the values that name a table.

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
        """A value of the original schema as the renamed one writes it.

        >>> Renaming("b", "a", {}, {}, {"cost": {"event": {"lab": "tests"}}}).value(
        ...     "cost", "event", "lab"
        ... )
        'tests'
        """
        return self.values.get(table, {}).get(column, {}).get(value, value)
