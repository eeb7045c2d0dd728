"""Meanings of columns and JSON fields, from schemas and published files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.schema import Column, Schema, Table, load_schema, recognise


@dataclass(frozen=True)
class Meaning:
    """The meaning of one column.

    Attributes:
        fields: Meanings of a JSON column's fields, in order; nested fields have dotted names such
            as `dose.unit`.
    """

    table: str
    column: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        fields = "; ".join(f"{name}: {text.rstrip('.')}" for name, text in self.fields.items())
        return " ".join(part for part in (self.text, fields and f"Fields: {fields}") if part)


@dataclass(frozen=True)
class Meanings:
    """The meanings of a database's columns, in order."""

    columns: tuple[Meaning, ...]

    def __iter__(self) -> Iterator[Meaning]:
        return iter(self.columns)

    def of(self, table: str, column: str) -> str | None:
        """The meaning of one column, ignoring case, or None."""
        key = _key(table, column)
        return next((str(each) for each in self if _key(each.table, each.column) == key), None)

    def all(self) -> dict[str, str]:
        """All meanings, by `table.column`."""
        return {f"{each.table}.{each.column}": str(each) for each in self}


def meanings_of(database: Database) -> Meanings:
    """The meanings of a database with a known schema; empty for any other."""
    tables = database.columns_by_table()
    name = recognise({table: [column.name for column in tables[table]] for table in tables})
    return meanings_of_schema(load_schema(name)) if name else Meanings(())


def meanings_of_schema(schema: Schema) -> Meanings:
    """The meanings in a schema file, with units and foreign keys.

    >>> from wardround.ehr.schema import load_schema
    >>> meanings_of_schema(load_schema("ehrsql_mimic_iv")).of("COST", "hadm_id")
    'the hospital stay (refers to admissions.hadm_id)'
    """
    return Meanings(
        tuple(
            Meaning(table.name, column.name, _described(table, column))
            for table in schema.tables
            for column in table.columns
        )
    )


def read_meanings(path: Path, database: str) -> Meanings:
    """Read the column meanings of one database from a published file.

    Raises:
        UserError: The file is missing or malformed.
    """
    if not path.is_file():
        raise UserError(f"The column meanings {path} do not exist; check the path.")
    return parse_meanings(path.read_bytes(), database, str(path))


def parse_meanings(content: bytes, database: str, source: str) -> Meanings:
    """Parse the column meanings of one database.

    Args:
        content: A JSON object by `database|table|column`, of texts, or of objects with
            `column_meaning` and `fields_meaning` where a column holds JSON.
        database: The database; columns of others are ignored.
        source: The name of the content in error messages.

    Raises:
        UserError: The content is malformed or has no column of the database.
    """
    meanings = tuple(
        _meaning(table, column, value, f"{source}, {key}")
        for key, (owner, table, column), value in _entries(content, source)
        if owner.lower() == database.lower()
    )
    if not meanings:
        raise UserError(f"{source} has no column of the database {database!r}; check its name.")
    return Meanings(meanings)


def _key(table: str, column: str) -> tuple[str, str]:
    return table.strip().strip('"').lower(), column.strip().strip('"').lower()


def _described(table: Table, column: Column) -> str:
    targets = (key for key in table.foreign_keys if key.column == column.name)
    referenced = " or ".join(f"{key.table}.{key.target}" for key in targets)
    unit = f", in {column.unit}" if column.unit else ""
    return f"{column.meaning}{unit}" + (f" (refers to {referenced})" if referenced else "")


def _entries(content: bytes, source: str) -> Iterator[tuple[str, list[str], Any]]:
    try:
        entries = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{source} is not valid JSON ({error}); fix the file.") from None
    if not isinstance(entries, dict):
        raise UserError(f"{source} is not an object of column meanings; check the file.")
    for key, value in entries.items():
        names = [name.strip() for name in key.split("|")]
        if len(names) != 3:
            raise UserError(
                f"{source}: the key {key!r} is not database|table|column; correct the key."
            )
        yield key, names, value


def _meaning(table: str, column: str, value: Any, where: str) -> Meaning:
    if isinstance(value, str):
        return Meaning(table, column, value)
    if not isinstance(value, dict) or not isinstance(value.get("column_meaning", ""), str):
        raise UserError(f"{where} is neither a text nor an object with a column_meaning; fix it.")
    fields = dict(_fields(value.get("fields_meaning") or {}, where))
    return Meaning(table, column, value.get("column_meaning", ""), fields)


def _fields(content: Any, where: str) -> Iterator[tuple[str, str]]:
    pending: list[tuple[str, Any]] = [("", content)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            nested = [(f"{path}.{name}" if path else name, part) for name, part in value.items()]
            pending.extend(reversed(nested))
        elif path and isinstance(value, str):
            yield path, value
        else:
            raise UserError(f"{where}: fields_meaning{path and '.'}{path} is not a text; fix it.")
