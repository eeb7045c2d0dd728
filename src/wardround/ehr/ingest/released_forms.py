"""Databases that were released in another form than their schema has."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.ehr.schema import Column


@dataclass(frozen=True)
class Form:
    """How a table was released.

    Attributes:
        lacks: The column whose absence tells the form.
        reads: Columns that the schema does not have.
        columns: What stands for which of the schema's columns, in DuckDB's SQL.
    """

    lacks: str
    reads: tuple[Column, ...]
    columns: Mapping[str, str]


_AS_IN_THE_SCHEMA = Form("", (), {})


def released_form(schema: str, table: str, columns: Collection[str]) -> Form:
    """The form that a table with these columns, in lower case, is in.

    >>> released_form("ehrsql_mimic_iv", "outputevents", ["row_id", "value"]).columns
    {'valueuom': "'ml'"}
    """
    form = _forms().get((schema, table))
    return form if form and form.lacks not in columns else _AS_IN_THE_SCHEMA


@cache
def _forms() -> dict[tuple[str, str], Form]:
    text = files("wardround.ehr.ingest").joinpath("released_forms.toml").read_text("utf-8")
    return {
        (schema, table): Form(
            form["lacks"],
            tuple(Column(name, kind, "") for name, kind in form.get("reads", {}).items()),
            form["columns"],
        )
        for schema, tables in tomllib.loads(text).items()
        for table, form in tables.items()
    }
