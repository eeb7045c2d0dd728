"""Readers of the schema and renaming files."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from wardround.ehr.schema.model import Column, ForeignKey, Renaming, Schema, Table

_WORD = re.compile(r"\w+")
_CHANGES = re.compile(r'^changes = "(\w+)"', re.MULTILINE)


@cache
def schema_names() -> tuple[str, ...]:
    """The names of all packaged schemas, sorted.

    >>> [name for name in schema_names() if "eicu" in name]
    ['ehrsql_eicu', 'eicu', 'eicu_star']
    """
    folder = files("wardround.ehr.schema")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name[:-5] for name in names if name.endswith(".toml")))


@cache
def load_schema(name: str) -> Schema:
    """The schema of that name: original, renamed, or another version of one.

    >>> load_schema("mimic_iv_star").table("demographics").key
    ('recordid',)

    Raises:
        KeyError: If the schema does not exist.
    """
    content = _content(name)
    if "of" in content:
        return _renamed(load_schema(content["of"]), _renaming(content))
    if "changes" in content:
        return _changed(load_schema(content["changes"]), content)
    tables = (_table(table, definition) for table, definition in content["tables"].items())
    return Schema(content["name"], content["meaning"], tuple(tables), content.get("rows", {}))


@cache
def load_renaming(name: str) -> Renaming | None:
    """The renaming that defines the schema of that name, or None for an original.

    Raises:
        KeyError: If the schema does not exist.
    """
    content = _content(name)
    return _renaming(content) if "of" in content else None


@cache
def schema_words(name: str) -> frozenset[str]:
    """The words in a schema's file, in lower case, and in the file whose version it is.

    Raises:
        KeyError: If the schema does not exist.
    """
    text = _text(name)
    later = _CHANGES.search(text)
    words = frozenset(_WORD.findall(text.lower()))
    return words | schema_words(later[1]) if later else words


def _text(name: str) -> str:
    if name not in schema_names():
        raise KeyError(f"there is no schema {name!r}; choose one of {', '.join(schema_names())}")
    return files("wardround.ehr.schema").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def _content(name: str) -> dict[str, Any]:
    return tomllib.loads(_text(name))


def _table(name: str, definition: dict[str, Any]) -> Table:
    columns = definition["columns"].items()
    return Table(
        name=name,
        meaning=definition["meaning"],
        columns=tuple(_column(column, entry) for column, entry in columns),
        key=tuple(definition["key"]),
        module=definition.get("module", ""),
        indexes=tuple(tuple(index.split()) for index in definition.get("indexes", ())),
        foreign_keys=tuple(
            ForeignKey(column, *target.split("."))
            for column, entry in columns
            for target in entry.get("references", ())
        ),
    )


def _column(name: str, entry: dict[str, Any]) -> Column:
    return Column(name, **{key: value for key, value in entry.items() if key != "references"})


def _renaming(content: dict[str, Any]) -> Renaming:
    return Renaming(
        name=content["name"],
        of=content["of"],
        tables=content["tables"],
        columns=content["columns"],
        values=content["values"],
    )


def _renamed(schema: Schema, names: Renaming) -> Schema:
    tables = tuple(_renamed_table(table, names) for table in schema.tables)
    return Schema(names.name, schema.meaning, tables)


def _renamed_table(table: Table, names: Renaming) -> Table:
    columns = names.columns[table.name]
    return Table(
        name=names.tables[table.name],
        meaning=table.meaning,
        columns=tuple(replace(column, name=columns[column.name]) for column in table.columns),
        key=tuple(columns[column] for column in table.key),
        module=table.module,
        indexes=tuple(tuple(columns[column] for column in index) for index in table.indexes),
        foreign_keys=tuple(_renamed_foreign_key(table, key, names) for key in table.foreign_keys),
    )


def _renamed_foreign_key(table: Table, key: ForeignKey, names: Renaming) -> ForeignKey:
    return ForeignKey(
        column=names.columns[table.name][key.column],
        table=names.tables[key.table],
        target=names.columns[key.table][key.target],
    )


def _changed(schema: Schema, content: dict[str, Any]) -> Schema:
    """Another version of a schema: with columns left out, and columns under other names."""
    tables = tuple(
        _changed_table(table, content["without"].get(table.name, ()), content["renamed"])
        for table in schema.tables
    )
    return Schema(content["name"], content["meaning"], tables)


def _changed_table(
    table: Table, without: Collection[str], renamed: Mapping[str, Mapping[str, str]]
) -> Table:
    names = renamed.get(table.name, {})
    return replace(
        table,
        columns=tuple(
            replace(column, name=names.get(column.name, column.name))
            for column in table.columns
            if column.name not in without
        ),
        foreign_keys=tuple(
            replace(key, column=names.get(key.column, key.column))
            for key in table.foreign_keys
            if key.column not in without
        ),
    )
