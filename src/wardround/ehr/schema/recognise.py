"""Tells which schema a database has by its tables and columns, and where it departs from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wardround.ehr.schema.load import load_schema, schema_names
from wardround.ehr.schema.model import Schema

# Published copies of one schema differ in a few columns: the EHRSQL databases of 2024 and 1.5 agree
# with the definitions here in 93% and more, the official MIMIC-IV with its EHRSQL form in less than
# half.
ENOUGH = 0.9

_Columns = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Difference:
    """Where a database departs from a schema. Tables and columns are in lower case.

    Attributes:
        missing_tables: Tables of the schema that the database lacks, in the schema's order.
        missing_columns: Table and name of each column that a table of the database lacks.
        other_tables: Tables of the database that the schema does not have.
        other_columns: Table and name of each column that the schema's table does not have.
    """

    missing_tables: tuple[str, ...]
    missing_columns: tuple[tuple[str, str], ...]
    other_tables: tuple[str, ...]
    other_columns: tuple[tuple[str, str], ...]


def recognise(tables: Mapping[str, Collection[str]]) -> str | None:
    """The name of the schema that a database has, or None.

    Tables that a database lacks, and tables that the schema lacks, do no harm: a schema is judged
    by the columns of the tables that both have. None also says that those tables are alike in
    several schemas.

    Args:
        tables: Column names by table name, in any order and case.

    >>> recognise({"LABEVENTS": ["row_id", "subject_id", "hadm_id", "itemid", "charttime",
    ...     "value", "valuenum", "valueuom", "flag"], "mine": ["x"]})
    'mimic_iii'
    >>> recognise({"hospital": ["hospitalid", "numbedscategory", "teachingstatus", "region"]})
    """
    present = _columns(tables)
    fits = {name: _fit(load_schema(name), present) for name in schema_names()}
    best = max(fits.values())
    names = [name for name, fit in fits.items() if fit == best]
    return names[0] if best and len(names) == 1 else None


def difference(schema: Schema, tables: Mapping[str, Collection[str]]) -> Difference:
    """Where a database departs from a schema.

    Args:
        schema: What it should be.
        tables: Column names by table name, in any order and case.

    >>> from wardround.ehr.schema import load_schema
    >>> found = difference(load_schema("eicu"), {"Hospital": ["HospitalID", "city"], "mine": ["x"]})
    >>> found.missing_columns[0], found.other_columns, found.other_tables
    (('hospital', 'numbedscategory'), (('hospital', 'city'),), ('mine',))
    """
    present = {table.lower(): [c.lower() for c in columns] for table, columns in tables.items()}
    wanted = _names(schema)
    return Difference(
        missing_tables=tuple(table for table in wanted if table not in present),
        missing_columns=_without(wanted, present),
        other_tables=tuple(table for table in present if table not in wanted),
        other_columns=_without(present, wanted),
    )


def _fit(schema: Schema, present: _Columns) -> int:
    """Columns in common less columns in one only, in the tables that both have; 0 for too few."""
    wanted = _columns(_names(schema))
    shared = {table for table, _ in wanted} & {table for table, _ in present}
    here = {column for column in present if column[0] in shared}
    there = {column for column in wanted if column[0] in shared}
    common, apart = len(here & there), len(here ^ there)
    return max(common - apart, 0) if common >= ENOUGH * (common + apart) else 0


def _names(schema: Schema) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


def _columns(tables: Mapping[str, Collection[str]]) -> _Columns:
    return frozenset((table.lower(), c.lower()) for table, cs in tables.items() for c in cs)


def _without(
    one: Mapping[str, Collection[str]], other: Mapping[str, Collection[str]]
) -> tuple[tuple[str, str], ...]:
    """Columns of the one that the other lacks, in the tables that both have."""
    shared = [table for table in one if table in other]
    return tuple((table, c) for table in shared for c in one[table] if c not in other[table])
