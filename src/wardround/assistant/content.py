"""The content of a database in figures, and how far it has changed since it was assessed.

A live database changes every minute, so its bytes say nothing. Its rows by table do, and the
vocabulary of its text columns: new values are words that no task of the assessment had.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from wardround.core.task import digest
from wardround.ehr.database import Database, quote_name

# A column with more values than this is free text or an identifier, and has no vocabulary.
MOST_VALUES = 2_000
_TEXT = ("CHAR", "TEXT", "STRING", "CLOB", "VARCHAR")


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a database, without any of its values.

    Attributes:
        schema: a digest of its tables with their columns and types.
        rows: the number of rows by table.
        values: the hashes of the values by `table.column`.
    """

    schema: str
    rows: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """The largest change of a content.

    Attributes:
        share: from 0 to 1.
        where: the table or column that changed most; "" if none did.
    """

    share: float = 0.0
    where: str = ""


def content_of(database: Database) -> Content:
    """The content of a database, read by one statement a table and one a text column.

    Raises:
        QueryError: a statement fails or takes too long.
    """
    described = _described(database)
    rows = {table: _count(database, table) for table in described}
    values = {
        f"{table}.{name}": vocabulary
        for table, each in described.items()
        for name, kind in each
        if kind.startswith(_TEXT) and (vocabulary := _vocabulary(database, table, name)) is not None
    }
    return Content(digest(described), rows, values)


def schema_of(database: Database) -> str:
    """The digest of the tables with their columns and types."""
    return digest(_described(database))


def change(before: Content, now: Content) -> Change:
    """The largest change of a table's rows or of a column's vocabulary.

    A table's share is the difference of its rows by the larger number; a column's share is the part
    of its values, before and now together, that only one of the two has.

    >>> change(Content("", {"labs": 90}), Content("", {"labs": 100}))
    Change(share=0.1, where='labs')
    """
    changes = [*_changed_rows(before, now), *_changed_values(before, now)]
    return max(changes, key=lambda each: each.share, default=Change())


def _changed_rows(before: Content, now: Content) -> Iterator[Change]:
    for table in before.rows.keys() | now.rows.keys():
        first, second = before.rows.get(table, 0), now.rows.get(table, 0)
        if first != second:
            yield Change(abs(first - second) / max(first, second), table)


def _changed_values(before: Content, now: Content) -> Iterator[Change]:
    for column in before.values.keys() | now.values.keys():
        first, second = set(before.values.get(column, ())), set(now.values.get(column, ()))
        if first != second:
            yield Change(len(first ^ second) / len(first | second), column)


def _described(database: Database) -> dict[str, list[tuple[str, str]]]:
    return {
        table: [(column.name, column.type.upper()) for column in columns]
        for table, columns in database.columns_by_table().items()
    }


def _count(database: Database, table: str) -> int:
    result = database.execute(f"SELECT COUNT(*) FROM {quote_name(table)}")  # noqa: S608
    return int(str(result.rows[0][0]))


def _vocabulary(database: Database, table: str, column: str) -> tuple[str, ...] | None:
    """The hashes of a column's values; None if there are too many."""
    name = quote_name(column)
    sql = f"SELECT DISTINCT {name} FROM {quote_name(table)} WHERE {name} IS NOT NULL"  # noqa: S608
    result = database.execute(sql, rows=MOST_VALUES)
    if result.truncated:
        return None
    return tuple(sorted(_hash(str(row[0])) for row in result.rows))


def _hash(value: str) -> str:
    return blake2b(value.encode(), digest_size=8).hexdigest()
