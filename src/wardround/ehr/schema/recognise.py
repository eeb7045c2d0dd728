"""Tells which schema a database has from its table and column names."""

from collections.abc import Collection, Mapping

from wardround.ehr.schema.load import load_schema, schema_names
from wardround.ehr.schema.model import Schema

# Published copies of one schema differ in a few columns (EHRSQL 2024 and 1.5 share 93% and more
# with the definitions here); the official MIMIC-IV release shares less than 80%.
ENOUGH = 0.9


def recognise(tables: Mapping[str, Collection[str]]) -> str | None:
    """The name of the schema that a database has, or None.

    Args:
        tables: Column names by table name, in any order and case. More tables than the schema
            has do no harm.

    >>> recognise({"demographics": ["patientid"]}) is None
    True
    """
    present = {(table.lower(), c.lower()) for table, columns in tables.items() for c in columns}
    shares = {name: _share(load_schema(name), present) for name in schema_names()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= ENOUGH else None


def _share(schema: Schema, present: Collection[tuple[str, str]]) -> float:
    """The part of the schema's columns that are present."""
    wanted = [(table.name, column.name) for table in schema.tables for column in table.columns]
    return sum(column in present for column in wanted) / len(wanted)
