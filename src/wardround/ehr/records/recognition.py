"""The record map of a database, from the tables and columns that it has."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TypeAlias

from sqlglot import exp, parse_one

from wardround.ehr.records.map_file import DIALECT, maps_for, parse_tables
from wardround.ehr.records.model import RecordColumn, RecordMap, Role, Source
from wardround.ehr.schema import (
    NOTE_TABLES,
    Renaming,
    load_renaming,
    load_schema,
    recognise,
    schema_names,
)
from wardround.ehr.schema.renamed_query import renamed

ColumnTypes: TypeAlias = Mapping[str, Collection[str]]


# A record needs its patient and its time; hospitals and terms are of no patient.
_IDENTITY = frozenset({"patient", "time", "name"})


def record_map(columns: ColumnTypes, identity: Collection[str] = _IDENTITY) -> RecordMap | None:
    """The map of a database, without the kinds that it has no columns for; None if none fits.

    The map of its layout that names the fewest missing columns counts.

    Args:
        columns: The columns by table, in any case.
        identity: As of `present_kinds`.
    """
    layout = recognise(columns)
    if layout is None:
        return None
    maps = [*maps_of(layout)]
    best = min(maps, key=lambda each: len(missing(each, columns)), default=None)
    return present_kinds(best, columns, identity) if best else None


def published_map(columns: ColumnTypes) -> RecordMap | None:
    """The map of a database under the names by which its layout is published on BigQuery.

    Where it is not, its own map; None if no map fits. Records whose names are not in the database,
    but their codes, are present in both.

    Args:
        columns: As of `record_map`, with the further tables that BigQuery has.
    """
    layout = recognise(columns)
    if layout is None:
        return None
    datasets = [each for each in maps_for(layout) if each.dataset]
    maps = datasets or [*maps_of(layout)]
    best = min(maps, key=lambda each: len(missing(each, columns)), default=None)
    return present_kinds(best, columns, {"patient", "time"}) if best else None


def maps_of(layout: str) -> Iterator[RecordMap]:
    """The packaged maps of a layout; of a renaming, its original's with the new names."""
    renaming = load_renaming(layout)
    for records in maps_for(renaming.of if renaming else layout):
        if not records.dataset:
            yield _renamed_map(records, layout) if renaming else records


def maps_naming(names: Collection[str]) -> Iterator[RecordMap]:
    """The packaged maps of the layouts that have a table or column of one of some names.

    The maps of other layouts are not read.

    Args:
        names: In lower case.

    >>> sorted({records.layout for records in maps_naming({"icuepisodes", "care_site"})})
    ['mimic_iv_star', 'omop_5_3', 'omop_5_4']
    """
    for layout in schema_names():
        if not _names(layout).isdisjoint(names):
            yield from maps_of(layout)


@cache
def _names(layout: str) -> frozenset[str]:
    """The names of the tables and columns of a layout in lower case, those of notes among them."""
    tables = load_schema(layout).tables
    columns = (column.name for table in tables for column in table.columns)
    named = (table.name for table in (*tables, *NOTE_TABLES))
    return frozenset(name.lower() for name in (*named, *columns))


def present_kinds(
    records: RecordMap, columns: ColumnTypes, identity: Collection[str] = _IDENTITY
) -> RecordMap:
    """A map with only what a database has the columns for.

    Left out are columns, tables that are joined only for them, and sources whose tables, rows or
    patients cannot be read.

    Args:
        records: The map.
        columns: The columns by table.
        identity: The columns without which records are left out, where their kind does not say.
    """
    absent = frozenset(missing(records, columns))
    kinds = {
        kind: tuple(
            present
            for each in sources
            if (present := _present_source(each, _IDENTIFYING.get(kind, identity), absent))
        )
        for kind, sources in records.kinds.items()
    }
    return replace(records, kinds={kind: sources for kind, sources in kinds.items() if sources})


def missing(records: RecordMap, columns: ColumnTypes) -> list[tuple[str, str]]:
    """The tables and columns that a map names and a database lacks, in the map's order."""
    present = {(t.lower(), c.lower()) for t, names in columns.items() for c in names}
    used = [pair for sources in records.kinds.values() for s in sources for pair in _used(s)]
    return [pair for pair in dict.fromkeys(used) if pair not in present]


def _present_source(
    source: Source, identity: Collection[str], absent: frozenset[tuple[str, str]]
) -> Source | None:
    """A source without what is absent; None if its rows or its patients are."""
    names = _table_names(source.tables)
    tables = parse_tables(source.tables)
    joins = tables.args.get("joins") or []
    present_joins = [join for join in joins if not absent & _pairs(join, names).keys()]
    if any(join.side != "LEFT" for join in joins if join not in present_joins):
        return None
    lost = {join.this.alias_or_name for join in joins if join not in present_joins}

    def is_there(sql: str) -> bool:
        parsed = _parsed(sql)
        in_lost = any(column.table in lost for column in parsed.find_all(exp.Column))
        return not in_lost and not absent & _pairs(parsed, names).keys()

    columns = {n: c for n, c in source.columns.items() if all(map(is_there, _sql(c)))}
    wide = {name: sql for name, sql in source.wide.items() if is_there(sql)}
    needed = source.columns.keys() & identity | {source.one_per} - {""}
    is_lost = not needed <= columns.keys() or (source.where and not is_there(source.where))
    if is_lost or (source.wide and not wide):
        return None
    tables.set("joins", present_joins)
    text = tables.sql(DIALECT).removeprefix("SELECT 1 FROM ")
    return replace(source, tables=text, columns=columns, wide=wide)


_IDENTIFYING = {
    "patient": frozenset({"patient"}),
    "admission": frozenset({"patient", "admission"}),
    "hospital": frozenset({"hospital"}),
    "synonym": frozenset({"name", "other"}),
    "class": frozenset({"name", "broader"}),
}


def _used(source: Source) -> tuple[tuple[str, str], ...]:
    """The tables and columns that a source names, in lower case."""
    names = _table_names(source.tables)
    expressions = [sql for column in source.columns.values() for sql in _sql(column)]
    expressions += [*source.wide.values(), *([source.where] if source.where else [])]
    used = (_pairs(_parsed(each), names) for each in expressions)
    return tuple(dict.fromkeys(chain(_named(source.tables), *used)))


@cache
def _table_names(tables: str) -> Mapping[str, str]:
    """The tables of a FROM clause by their aliases."""
    named = parse_tables(tables).find_all(exp.Table)
    return {table.alias_or_name: table.name.lower() for table in named}


@cache
def _named(tables: str) -> Mapping[tuple[str, str], None]:
    """The tables and columns in a FROM clause."""
    return _pairs(parse_tables(tables), _table_names(tables))


def _pairs(query: exp.Expr, names: Mapping[str, str]) -> dict[tuple[str, str], None]:
    """The tables and columns in an expression, in lower case and in order."""
    columns = query.find_all(exp.Column, bfs=False)
    return dict.fromkeys((names[c.table], c.name.lower()) for c in columns)


def _sql(column: RecordColumn) -> tuple[str, ...]:
    return (column.sql, column.start) if column.start else (column.sql,)


@cache
def _parsed(sql: str) -> exp.Expr:
    return parse_one(sql, read=DIALECT)


@cache
def _renamed_map(records: RecordMap, layout: str) -> RecordMap:
    renaming = load_renaming(layout)
    if renaming is None:
        raise KeyError(layout)
    kinds = {
        kind: tuple(_renamed_source(source, renaming) for source in sources)
        for kind, sources in records.kinds.items()
    }
    written = {
        role: {
            meaning: tuple(_renamed_text(records, role, text, renaming) for text in texts)
            for meaning, texts in meanings.items()
        }
        for role, meanings in records.written.items()
    }
    return RecordMap(layout, kinds, written)


def _renamed_source(source: Source, names: Renaming) -> Source:
    tables = renamed(parse_tables(source.tables), names)
    return replace(
        source,
        tables=tables.sql(DIALECT).removeprefix("SELECT 1 FROM "),
        where=_renamed_sql(source.where, names),
        columns={name: _renamed_column(each, names) for name, each in source.columns.items()},
        wide={name: _renamed_sql(sql, names) for name, sql in source.wide.items()},
    )


def _renamed_column(column: RecordColumn, names: Renaming) -> RecordColumn:
    sql, start = _renamed_sql(column.sql, names), _renamed_sql(column.start, names)
    return replace(column, sql=sql, start=start)


def _renamed_sql(sql: str, names: Renaming) -> str:
    return renamed(parse_one(sql, read=DIALECT), names).sql(DIALECT) if sql else ""


def _renamed_text(records: RecordMap, role: Role, text: str, names: Renaming) -> str:
    """The text of a column after a renaming that changes values of that column."""
    written = records.kinds[role.kind][0].columns.get(role.column)
    column = parse_one(written.sql, read=DIALECT) if written else None
    return names.value(column.table, column.name, text) if isinstance(column, exp.Column) else text
