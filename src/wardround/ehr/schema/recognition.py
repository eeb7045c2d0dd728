"""Recognition of a database's schema by its tables and columns, and their differences."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wardround.ehr.schema.model import Schema
from wardround.ehr.schema.schema_files import load_schema, schema_names, schema_words

# Published copies of a schema differ in a few columns: prepared databases of 2022 and 2024 share at
# least 93% of them with the packaged definitions, a release and its prepared layout less than half.
ENOUGH = 0.9
# Columns of a file that was read without its header, as engines name them.
_HEADLESS = re.compile(r"column_?\d+")

_Columns = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Difference:
    """Differences between a database and a schema, in lower case.

    Attributes:
        missing_tables: Tables missing from the database, or without a header there, in the schema's
            order.
        missing_columns: Table and name of each column missing from the database's tables.
        other_tables: Tables of the database outside the schema.
        other_columns: Table and name of each column outside the schema's tables.
    """

    missing_tables: tuple[str, ...]
    missing_columns: tuple[tuple[str, str], ...]
    other_tables: tuple[str, ...]
    other_columns: tuple[tuple[str, str], ...]


def recognise(tables: Mapping[str, Collection[str]]) -> str | None:
    """The name of a database's schema, or None if unknown or ambiguous.

    Only the columns of tables in both count; missing and additional tables are ignored, as are
    tables without a header (`column0`, `column1`, …).

    Args:
        tables: Column names by table name, in any order and case.

    >>> recognise({"LABEVENTS": ["row_id", "subject_id", "hadm_id", "itemid", "charttime",
    ...     "value", "valuenum", "valueuom", "flag"], "mine": ["x"]})
    'mimic_iii'
    >>> recognise({"hospital": ["hospitalid", "numbedscategory", "teachingstatus", "region"]})
    """
    headless = headless_tables(tables)
    present = _columns({name: tables[name] for name in tables if name not in headless})
    bounds = {name: _most_fit(name, present) for name in schema_names()}
    best, best_names = 1, list[str]()
    for name in sorted(bounds, key=lambda name: -bounds[name]):
        if bounds[name] < best:
            break
        fit = _fit(load_schema(name), present)
        best_names = [name] if fit > best else [*best_names, *([name] if fit == best else [])]
        best = max(best, fit)
    return best_names[0] if len(best_names) == 1 else None


def difference(schema: Schema, tables: Mapping[str, Collection[str]]) -> Difference:
    """The differences between a database and a schema.

    Args:
        schema: The expected schema.
        tables: Column names by table name, in any order and case.

    >>> from wardround.ehr.schema import load_schema
    >>> tables = {"Hospital": ["HospitalID", "city"], "mine": ["x"]}
    >>> result = difference(load_schema("eicu"), tables)
    >>> result.missing_columns[0], result.other_columns, result.other_tables
    (('hospital', 'numbedscategory'), (('hospital', 'city'),), ('mine',))
    """
    headless = headless_tables(tables)
    present = {
        table.lower(): [c.lower() for c in columns]
        for table, columns in tables.items()
        if table not in headless
    }
    expected = _names(schema)
    return Difference(
        missing_tables=tuple(table for table in expected if table not in present),
        missing_columns=_missing_columns(expected, present),
        other_tables=tuple(table for table in present if table not in expected),
        other_columns=_missing_columns(present, expected),
    )


def headless_tables(tables: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Tables whose columns are numbered, because a file was read without its header.

    >>> headless_tables({"death": ["column0", "column1"], "person": ["person_id"]})
    ('death',)
    """
    return tuple(
        table
        for table, columns in tables.items()
        if columns and all(_HEADLESS.fullmatch(column.lower()) for column in columns)
    )


def _most_fit(name: str, present: _Columns) -> int:
    """An upper bound of the fit, from the words of the schema's file; parsing all is slow."""
    words = schema_words(name)
    return sum(table in words and column in words for table, column in present)


def _fit(schema: Schema, present: _Columns) -> int:
    """Shared minus unshared columns of the common tables; 0 below the threshold."""
    expected = _columns(_names(schema))
    shared = {table for table, _ in expected} & {table for table, _ in present}
    actual_columns = {column for column in present if column[0] in shared}
    expected_columns = {column for column in expected if column[0] in shared}
    common, different = (
        len(actual_columns & expected_columns),
        len(actual_columns ^ expected_columns),
    )
    return max(common - different, 0) if common >= ENOUGH * (common + different) else 0


def _names(schema: Schema) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


def _columns(tables: Mapping[str, Collection[str]]) -> _Columns:
    return frozenset((table.lower(), c.lower()) for table, cs in tables.items() for c in cs)


def _missing_columns(
    first: Mapping[str, Collection[str]], second: Mapping[str, Collection[str]]
) -> tuple[tuple[str, str], ...]:
    """Columns of the first that are missing from the second, in common tables."""
    shared = [table for table in first if table in second]
    return tuple((table, c) for table in shared for c in first[table] if c not in second[table])
