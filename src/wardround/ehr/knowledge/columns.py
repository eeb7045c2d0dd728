"""What columns mean, and the fields of those that hold JSON: from schemas and published files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import ToolError, UserError
from wardround.ehr.schema import Column, Schema, Table


@dataclass(frozen=True)
class ColumnMeaning:
    """What a column holds.

    Attributes:
        fields: The meaning of each field of a JSON column, in order; a field within another is
            named with a dot between, such as `dose.unit`.
    """

    table: str
    column: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnMeanings:
    """The meanings of a database's columns, in order."""

    columns: tuple[ColumnMeaning, ...]

    def __iter__(self) -> Iterator[ColumnMeaning]:
        return iter(self.columns)

    def of(self, table: str, column: str) -> ColumnMeaning | None:
        """The meaning of one column, whatever the names' case; None where there is none."""
        wanted = _key(table, column)
        return next((one for one in self if _key(one.table, one.column) == wanted), None)


def meanings_of_schema(schema: Schema) -> ColumnMeanings:
    """The meanings that a schema file gives, with units and what a column points at."""
    return ColumnMeanings(
        tuple(
            ColumnMeaning(table.name, column.name, _described(table, column))
            for table in schema.tables
            for column in table.columns
        )
    )


def read_meanings(path: Path, database: str) -> ColumnMeanings:
    """Reads the meanings of one database's columns from a published file.

    Raises:
        UserError: The file is missing, or a part of it cannot be read.
    """
    if not path.is_file():
        raise UserError(f"The column meanings {path} do not exist; check the path.")
    return parse_meanings(path.read_bytes(), database, str(path))


def parse_meanings(content: bytes, database: str, source: str) -> ColumnMeanings:
    """Reads the meanings of one database's columns.

    Args:
        content: A JSON object by `database|table|column`, of texts, or of objects with
            `column_meaning` and `fields_meaning` where a column holds JSON.
        database: Which database's columns are wanted; those of others are passed over.
        source: What errors call it.

    Raises:
        UserError: The content has not that form, or holds no column of the database.
    """
    found = tuple(
        _meaning(table, column, value, f"{source}, {key}")
        for key, (owner, table, column), value in _entries(content, source)
        if owner.lower() == database.lower()
    )
    if not found:
        raise UserError(f"{source} holds no column of the database {database!r}; check its name.")
    return ColumnMeanings(found)


def column_meaning(meanings: ColumnMeanings, table: str, column: str) -> dict[str, Any]:
    """What may be told of one column.

    Raises:
        ToolError: Nothing is known of such a column.
    """
    found = meanings.of(table, column)
    if found is None:
        raise ToolError(f"There is no meaning of {table}.{column}; check the schema's names.")
    return _told(found)


def all_column_meanings(meanings: ColumnMeanings) -> list[dict[str, Any]]:
    """What may be told of all columns, in order."""
    return [_told(one) for one in meanings]


def _told(one: ColumnMeaning) -> dict[str, Any]:
    named = {"table": one.table, "column": one.column, "meaning": one.text}
    return {**named, "fields": dict(one.fields)} if one.fields else named


def _key(table: str, column: str) -> tuple[str, str]:
    return table.strip().strip('"').lower(), column.strip().strip('"').lower()


def _described(table: Table, column: Column) -> str:
    targets = (key for key in table.foreign_keys if key.column == column.name)
    pointed = " or ".join(f"{key.table}.{key.target}" for key in targets)
    unit = f", in {column.unit}" if column.unit else ""
    return f"{column.meaning}{unit}" + (f" (refers to {pointed})" if pointed else "")


def _entries(content: bytes, source: str) -> Iterator[tuple[str, list[str], Any]]:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{source} is not valid JSON ({error}); mend the file.") from None
    if not isinstance(found, dict):
        raise UserError(f"{source} is no object of column meanings; check the file.")
    for key, value in found.items():
        names = [name.strip() for name in key.split("|")]
        if len(names) != 3:
            raise UserError(
                f"{source}: the key {key!r} is not database|table|column; correct the key."
            )
        yield key, names, value


def _meaning(table: str, column: str, value: Any, where: str) -> ColumnMeaning:
    if isinstance(value, str):
        return ColumnMeaning(table, column, value)
    if not isinstance(value, dict) or not isinstance(value.get("column_meaning", ""), str):
        raise UserError(f"{where} is neither a text nor an object with a column_meaning; mend it.")
    fields = dict(_fields(value.get("fields_meaning") or {}, where))
    return ColumnMeaning(table, column, value.get("column_meaning", ""), fields)


def _fields(found: Any, where: str) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = [("", found)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            below = [(f"{path}.{name}" if path else name, part) for name, part in value.items()]
            waiting.extend(reversed(below))
        elif path and isinstance(value, str):
            yield path, value
        else:
            raise UserError(f"{where}: fields_meaning{path and '.'}{path} is no text; mend it.")
