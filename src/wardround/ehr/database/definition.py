"""CREATE TABLE text, in the same layout for every engine."""

from collections.abc import Sequence

from wardround.ehr.database.interface import ColumnInfo


def create_table_text(table: str, columns: Sequence[ColumnInfo]) -> str:
    """`CREATE TABLE` text for display: columns first, then the keys.

    >>> print(create_table_text("beds", [ColumnInfo("bedid", "INTEGER", primary_key=1)]))
    CREATE TABLE beds (
        bedid INTEGER,
        PRIMARY KEY (bedid)
    )
    """
    lines = [_column_text(column) for column in columns]
    lines += _primary_key(columns) + _foreign_keys(columns)
    return f"CREATE TABLE {table} (\n    " + ",\n    ".join(lines) + "\n)"


def _column_text(column: ColumnInfo) -> str:
    words = (column.name, column.type, "" if column.nullable else "NOT NULL")
    return " ".join(word for word in words if word)


def _primary_key(columns: Sequence[ColumnInfo]) -> list[str]:
    key = sorted((column for column in columns if column.primary_key), key=_key_position)
    return [f"PRIMARY KEY ({', '.join(column.name for column in key)})"] if key else []


def _key_position(column: ColumnInfo) -> int:
    return column.primary_key


def _foreign_keys(columns: Sequence[ColumnInfo]) -> list[str]:
    return [
        f"FOREIGN KEY ({column.name}) REFERENCES {column.references}"
        for column in columns
        if column.references
    ]
