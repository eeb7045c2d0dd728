"""The layouts that items are about, MIMIC-IV and OMOP: their tables, and the keys of cohorts."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache

from sqlglot import exp, select

from wardround.benchmarks.clinsql.declaration import BENCHMARK
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_columns
from wardround.ehr.records import RecordMap, joined_rows, published_map, without_unread
from wardround.ehr.schema import load_schema, recognise

# The first is that of published items.
LAYOUTS = tuple(layout.name for layout in BENCHMARK.layouts)
PUBLISHED = LAYOUTS[0]
# Kinds of record by the column that names them, the finest first.
_KEYS = (("icu", "stay"), ("admission", "admission"), ("patient", "patient"))


def layout_of(database: Database) -> str:
    """The layout of a database; the published one if it is none of the others."""
    tables = {name: [c.name for c in database.columns(name)] for name in database.tables()}
    layout = recognise(tables)
    return layout if layout in LAYOUTS else PUBLISHED


def likely_layout(tables: Iterable[str]) -> str:
    """The layout that most tables of a query are of; the published one if none has more.

    >>> likely_layout(["visit_occurrence", "mine"]), likely_layout(["mine"])
    ('omop_5_4', 'mimic_iv')
    """
    read = set(tables)
    return max(LAYOUTS, key=lambda name: len(read & layout_tables(name).keys()))


@cache
def layout_tables(layout: str) -> Mapping[str, Collection[str]]:
    """The columns of a layout's tables, and of those that are derived from it."""
    tables = {
        table.name: frozenset(column.name for column in table.columns)
        for table in load_schema(layout).tables
    }
    return {**tables, CHARLSON: frozenset(charlson_columns())} if layout == PUBLISHED else tables


@cache
def published_tables() -> frozenset[str]:
    """The names of the tables of MIMIC-IV."""
    return frozenset(table.name for table in load_schema(PUBLISHED).tables)


@cache
def published_columns() -> frozenset[str]:
    """The names of all their columns."""
    return frozenset(c.name for table in load_schema(PUBLISHED).tables for c in table.columns)


@cache
def cohort_keys() -> tuple[str, ...]:
    """The columns that name stays and patients, in each layout the finest first."""
    return tuple(dict.fromkeys(name for layout in LAYOUTS for name in _members(layout)))


@cache
def members_query(key: str) -> str:
    """The query of the number of all whom a key can name."""
    return next(queries[key] for layout in LAYOUTS if key in (queries := _members(layout)))


@cache
def _members(layout: str) -> Mapping[str, str]:
    records, queries = _map(layout), {}
    for kind, column in _KEYS:
        rows = joined_rows(records, kind, "t")
        key = rows.columns[column]
        query = select(exp.Count(this=exp.Distinct(expressions=[key.copy()])))
        query = query.from_(rows.table.copy())
        for lookup in rows.lookups:
            query.append("joins", lookup.copy())
        query = query.where(rows.where.copy()) if rows.where is not None else query
        queries[key.name] = without_unread(query).sql("bigquery")
    return queries


def _map(layout: str) -> RecordMap:
    records = published_map(layout_tables(layout))
    if records is None:
        raise KeyError(layout)
    return records
