"""Queries of the kinds of record as tables: `lab_records` has the columns of a lab result."""
# SQL is built from record maps only.
# ruff: noqa: S608

import re
from dataclasses import dataclass, replace

from sqlglot import exp, parse_one

from wardround.ehr.database import ColumnInfo, Database, Dialect, ResultTable
from wardround.ehr.database.driver import Driver
from wardround.ehr.records.dialect_forms import dialect_of, years_between
from wardround.ehr.records.model import ColumnType, RecordMap, record_kinds
from wardround.ehr.records.views import Views, view

_SUFFIX = "_records"
# sqlglot writes the word for the current time, which queries leave open, as a function.
_NOW = re.compile(r"\bCURRENT_TIME\b(?:\s*\(\s*\))?")
# Columns that name a record; where one is read, records without that name are left out.
_NAMES = frozenset({"name", "test", "substance", "ward"})
_TYPES: dict[ColumnType, str] = {"number": "DOUBLE", "time": "TIMESTAMP"}


class MissingRecordsError(Exception):
    """The records lack what a query reads; the message names it."""


def missing_text(records: RecordMap, kind: str, column: str = "") -> str:
    """Names a kind of record, or a column of one, that a map lacks."""
    meaning = record_kinds()[kind].meaning
    if records.has(kind) and column:
        return f"{kind!r} ({meaning}) has no {column!r}"
    return f"there is no kind {kind!r} ({meaning})"


def record_table(kind: str) -> str:
    """The name of the table of a kind of record.

    >>> record_table("lab")
    'lab_records'
    """
    return kind + _SUFFIX


def kind_of_table(table: str) -> str:
    """The kind of record that a table is of; empty for any other table."""
    kind = table.removesuffix(_SUFFIX)
    return kind if table.endswith(_SUFFIX) and kind in record_kinds() else ""


def with_views(query: exp.Expr, records: RecordMap, dialect: Dialect) -> exp.Expr:
    """Returns a query with the query of each kind of record where its table is named.

    Only what is read is selected: columns, and records with a name where the name is read.

    Raises:
        MissingRecordsError: the map lacks a kind or a column that is read.
    """
    tables = [each for each in query.find_all(exp.Table) if kind_of_table(each.name)]
    read: dict[str, set[str]] = {}
    for column in query.find_all(exp.Column):
        read.setdefault(column.table, set()).add(column.name)
    for table in tables:
        kind, known = kind_of_table(table.name), read.get(table.alias_or_name, set())
        # A column without a table is of the only table of a query, if that has it.
        bare = read.get("", set()) if len(tables) == 1 else set()
        columns = known | {name for name in bare if records.has(kind, name)}
        rows = exp.var(_rows(records, kind, frozenset(columns), dialect))
        alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
        table.replace(exp.Subquery(this=rows, alias=alias))
    return query


def table_views(views: Views) -> Views:
    """The views of a database that has a table for each kind of record."""
    sql = {}
    for kind, columns in views.columns.items():
        table = record_table(kind)
        listed = ", ".join(f"{table}.{name} AS {name}" for name in columns)
        sql[kind] = f"SELECT {listed} FROM {table}"
    return replace(views, sql=sql)


def record_database(database: Database, records: RecordMap) -> Database:
    """The database with the kinds of record of a map as its tables; it is closed with the other."""
    return Database(_RecordDriver(database.driver, records, dialect_of(database)))


def with_views_text(sql: str, records: RecordMap, dialect: Dialect) -> str:
    """The text of a query, with the query of each kind of record where its table is named."""
    text = with_views(parse_one(sql, dialect=dialect), records, dialect).sql(dialect)
    return _NOW.sub("current_time", text)


def ages_of(records: RecordMap, kind: str, table: str, dialect: Dialect) -> str:
    """A query of the age at a record of a table; empty if nothing tells it."""
    if _knows_births(records) and records.has(kind, "time") and records.has(kind, "patient"):
        years = years_between(exp.column("birth", "p"), exp.column("time", table), dialect)
        people = record_table("patient")
        return f"SELECT {years.sql(dialect)} FROM {people} p WHERE p.patient = {table}.patient"
    if records.has("admission", "age") and records.has(kind, "admission"):
        stays = record_table("admission")
        return f"SELECT MIN(a.age) FROM {stays} a WHERE a.admission = {table}.admission"
    return ""


def _knows_births(records: RecordMap) -> bool:
    return records.has("patient", "birth") and records.precisions("patient").get("birth") != "year"


@dataclass(frozen=True)
class _RecordDriver:
    """A driver whose tables are the kinds of record of a map."""

    driver: Driver
    records: RecordMap
    own_dialect: Dialect

    @property
    def name(self) -> str:
        return self.driver.name

    @property
    def url(self) -> str:
        return self.driver.url

    @property
    def dialect(self) -> str:
        return self.driver.dialect

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        expanded = with_views_text(sql, self.records, self.own_dialect)
        return self.driver.run(expanded, rows, seconds, memory)

    def tables(self) -> list[str]:
        return [record_table(kind) for kind in self.records.kinds]

    def columns(self, table: str) -> list[ColumnInfo]:
        kind = kind_of_table(table)
        types = record_kinds()[kind].columns
        return [
            ColumnInfo(name, _TYPES.get(types[name], "TEXT")) for name in self.records.columns(kind)
        ]

    def fingerprint(self) -> str:
        return self.driver.fingerprint()

    def close(self) -> None:
        self.driver.close()


def _rows(records: RecordMap, kind: str, columns: frozenset[str], dialect: Dialect) -> str:
    computed = {"age"} & columns if not records.has(kind, "age") else frozenset[str]()
    for column in ("", *sorted(columns - computed)):
        if not records.has(kind, column):
            raise MissingRecordsError(missing_text(records, kind, column))
    if computed:
        return _rows_with_age(records, kind, columns - computed, dialect)
    rows = view(records, kind, dialect, columns or records.columns(kind)[:1])
    named = " AND ".join(f"r.{name} IS NOT NULL" for name in sorted(columns & _NAMES))
    return f"SELECT * FROM ({rows}) AS r WHERE {named}" if named else rows


def _rows_with_age(records: RecordMap, kind: str, columns: frozenset[str], dialect: Dialect) -> str:
    """The records of a kind with the patient's age: at the time, or else at the admission."""
    if _knows_births(records):
        rows = _rows(records, kind, columns | {"patient", "time"}, dialect)
        people = _rows(records, "patient", frozenset({"patient", "birth"}), dialect)
        years = years_between(exp.column("birth", "p"), exp.column("time", "e"), dialect)
        age, key = years.sql(dialect), "patient"
    else:
        rows = _rows(records, kind, columns | {"admission"}, dialect)
        people = _rows(records, "admission", frozenset({"admission", "age"}), dialect)
        age, key = "p.age", "admission"
    names = ", ".join(f"e.{name}" for name in sorted(columns))
    joined = f"({rows}) AS e JOIN ({people}) AS p ON p.{key} = e.{key}"
    return f"SELECT {names}{', ' if names else ''}{age} AS age FROM {joined}"
