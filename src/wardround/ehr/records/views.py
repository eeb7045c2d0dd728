"""Renders the records of a map as queries with the same columns in every layout."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from sqlglot import exp, parse_one, select

from wardround.ehr.database import Dialect
from wardround.ehr.records.dialect_forms import in_dialect
from wardround.ehr.records.map_file import DIALECT, parse_tables
from wardround.ehr.records.model import RecordColumn, RecordMap, Role, Source

# Texts of views to keep: some kilobytes each.
_MOST_VIEWS = 4096


@dataclass(frozen=True, slots=True)
class Views:
    """The records of a database as queries, rendered once.

    Attributes:
        dialect: The SQL that they are in.
        sql: The query of each kind of record.
        columns: The columns of each query.
        written: How the layout writes what questions name, as in `RecordMap`.
        dated: The kinds of record whose time is known to the day or less exactly.
    """

    dialect: Dialect
    sql: Mapping[str, str] = field(repr=False)
    columns: Mapping[str, tuple[str, ...]] = field(repr=False)
    written: Mapping[Role, Mapping[str, tuple[str, ...]]]
    dated: frozenset[str] = frozenset()

    def has(self, kind: str, column: str = "") -> bool:
        """True if there are records of a kind, with a column if one is named."""
        return kind in self.sql and (not column or column in self.columns[kind])

    def texts(self, kind: str, column: str, meaning: str) -> tuple[str, ...]:
        """The texts by which the layout writes a meaning in a column; empty if it does not."""
        return self.written.get(Role(kind, column), {}).get(meaning, ())

    def rows(self, kind: str, alias: str) -> exp.Subquery:
        """The records of a kind as a table; its query is text that is rendered already."""
        name = exp.TableAlias(this=exp.to_identifier(alias))
        return exp.Subquery(this=exp.var(self.sql[kind]), alias=name)


def view(
    records: RecordMap, kind: str, dialect: Dialect, columns: Collection[str] | None = None
) -> str:
    """The query of a kind's records.

    Args:
        records: The map.
        kind: The kind of record.
        dialect: The SQL to write.
        columns: The columns to select, if they are there; all of `RecordMap.columns` by default.

    Raises:
        KeyError: The layout has no such kind; check `has` first.
    """
    present = records.columns(kind)
    chosen = tuple(name for name in present if columns is None or name in columns)
    return _view(records, kind, dialect, chosen)


@lru_cache(_MOST_VIEWS)
def _view(records: RecordMap, kind: str, dialect: Dialect, columns: tuple[str, ...]) -> str:
    parts = [part for source in records.kinds[kind] for part in _selects(source, columns)]
    return " UNION ALL ".join(in_dialect(part, dialect).sql(dialect) for part in parts)


def distinct_view(view: str) -> str:
    """The query of records of which each counts once, though the tables repeat it."""
    return f"SELECT DISTINCT e.* FROM ({view}) AS e"  # noqa: S608


def _selects(source: Source, columns: tuple[str, ...]) -> list[exp.Select]:
    """A query of each kind of value: one for a long table, one a column for a wide one."""
    if not source.wide:
        return [_select(source, columns, {})]
    return [_select(source, columns, _wide_column(source, name)) for name in source.wide]


def _select(source: Source, columns: tuple[str, ...], given: dict[str, exp.Expr]) -> exp.Select:
    expressions = {**{n: expression(c) for n, c in source.columns.items()}, **given}
    chosen = [expressions.get(name, exp.null()).copy().as_(name) for name in columns]
    query = select(*chosen)
    tables = parse_tables(source.tables)
    query.set("from_", tables.args["from_"])
    query.set("joins", tables.args.get("joins"))
    if source.where:
        query = query.where(_parsed(source.where))
    if source.wide:
        query = query.where(exp.Not(this=exp.Is(this=given["value"].copy(), expression=exp.null())))
    if source.one_per:
        query = query.group_by(expression(source.columns[source.one_per]))
    # An inner join chooses rows; a left join only looks something up.
    return drop_unread(query, lambda join: join.side == "LEFT")


def drop_unread(query: exp.Select, may_drop: Callable[[exp.Join], bool]) -> exp.Select:
    """Removes the joins of a kind from a query if nothing outside them reads their columns."""
    joins: list[exp.Join] = query.args.get("joins") or []
    for join in [each for each in reversed(joins) if may_drop(each)]:
        inside = {id(column) for column in join.find_all(exp.Column)}
        read = (column for column in query.find_all(exp.Column) if id(column) not in inside)
        if all(column.table != join.alias_or_name for column in read):
            joins.remove(join)
    return query


def expression(column: RecordColumn) -> exp.Expr:
    """The expression of a column; an offset is added to its start, each code of a cell is a row."""
    if column.split:
        return _codes(column)
    if not column.start:
        return _parsed(column.sql)
    number, unit = exp.paren(_parsed(column.sql).copy()), exp.var(column.offset_unit.upper())
    return exp.Add(
        this=_parsed(column.start).copy(), expression=exp.Interval(this=number, unit=unit)
    )


def _codes(column: RecordColumn) -> exp.Expr:
    """The codes of a cell, a row each; NULL if it has none."""
    cell = exp.func("COALESCE", _parsed(column.sql).copy(), exp.Literal.string(""))
    parts = exp.Split(this=cell, expression=exp.Literal.string(column.split))
    code = exp.Trim(this=exp.Explode(this=parts))
    return exp.Nullif(this=code, expression=exp.Literal.string(""))


def _wide_column(source: Source, name: str) -> dict[str, exp.Expr]:
    """The name, value and unit of the records in a column of a wide table."""
    unit = source.units.get(name)
    units = {"unit": exp.Literal.string(unit)} if unit else {}
    return {"name": exp.Literal.string(name), "value": _parsed(source.wide[name]), **units}


@cache
def _parsed(sql: str) -> exp.Expr:
    return parse_one(sql, read=DIALECT)
