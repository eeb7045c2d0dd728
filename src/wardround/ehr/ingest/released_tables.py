"""Published tables that differ from their schema."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.ehr.schema import Column


@dataclass(frozen=True)
class ReleasedTable:
    """A published variant of a schema's table.

    Attributes:
        lacks: The column whose absence identifies the variant.
        reads: Columns outside the schema.
        columns: DuckDB expressions of the schema's columns.
    """

    lacks: str
    reads: tuple[Column, ...]
    columns: Mapping[str, str]


_UNCHANGED = ReleasedTable("", (), {})


def released_table(schema: str, table: str, columns: Collection[str]) -> ReleasedTable:
    """The variant of a table with these columns, in lower case.

    >>> released_table("ehrsql_mimic_iv", "outputevents", ["row_id", "value"]).columns
    {'valueuom': "'ml'"}
    """
    variant = _variants().get((schema, table))
    return variant if variant and variant.lacks not in columns else _UNCHANGED


@cache
def _variants() -> dict[tuple[str, str], ReleasedTable]:
    text = files("wardround.ehr.ingest").joinpath("released_tables.toml").read_text("utf-8")
    return {
        (schema, table): ReleasedTable(
            entry["lacks"],
            tuple(Column(name, kind, "") for name, kind in entry.get("reads", {}).items()),
            entry["columns"],
        )
        for schema, tables in tomllib.loads(text).items()
        for table, entry in tables.items()
    }
