"""Records of a map as tables in a FROM clause, for queries that people write and read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp, parse_one

from wardround.ehr.records.map_file import DIALECT, conjuncts, parse_tables
from wardround.ehr.records.model import RecordMap, Source
from wardround.ehr.records.views import drop_unread, expression, view
from wardround.ehr.schema import load_schema

_LOOKUP = "lookup"
# The kind whose records a key names.
_KEYS = {"admission": "admission", "stay": "icu"}


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The records of a kind in a FROM clause.

    Attributes:
        alias: The alias of the table of the records.
        table: That table, under its alias.
        lookups: Joins of the tables in which the records are looked up; drop those that nothing
            reads with `without_unread`.
        columns: An expression of each column of the kind.
        keys: For the key of a stay, a shorter expression to compare it with a recorded stay's key.
        where: The condition that selects the rows; None for all.
    """

    alias: str
    table: exp.Expr
    lookups: tuple[exp.Join, ...]
    columns: Mapping[str, exp.Expr]
    keys: Mapping[str, exp.Expr]
    where: exp.Expr | None

    def is_plain(self, column: str) -> bool:
        """True for a column of the records' own table."""
        column_sql = self.columns[column]
        return isinstance(column_sql, exp.Column) and column_sql.table == self.alias

    def key(self, column: str) -> exp.Expr:
        """A key, to be compared with that of a recorded stay or patient."""
        return self.keys.get(column, self.columns[column])


def joined_rows(
    records: RecordMap, kind: str, alias: str, beside: Sequence[JoinedRows] = ()
) -> JoinedRows:
    """The records of a kind under an alias; a subquery, unless each is a row of one table.

    Args:
        records: The map.
        kind: The kind.
        alias: The alias.
        beside: Rows of the same patient that the FROM clause has already; records are read from
            them instead of being looked up in their table.

    Raises:
        KeyError: The layout has no such kind.
    """
    [source, *others] = records.kinds[kind]
    has_several = any(column.split for column in source.columns.values())
    if others or source.wide or source.one_per or has_several:
        return _subquery(records, kind, alias)
    clause = parse_tables(source.tables)
    main: exp.Table = clause.args["from_"].this
    names, lookups = {main.alias_or_name: alias}, []
    for join in clause.args.get("joins") or ():
        same = next((rows for rows in beside if _is_same_row(join, rows, source)), None)
        names[join.alias_or_name] = same.alias if same else f"{alias}_{join.alias_or_name}"
        if same is None:
            lookups.append(join)
    columns = {name: expression(column) for name, column in source.columns.items()}
    keys = {name: key for name in _KEYS if (key := _own_key(records, source, name)) is not None}
    where = parse_one(source.where, read=DIALECT) if source.where else None
    return JoinedRows(
        alias,
        named_table(records, main, alias),
        tuple(_lookup(records, join, names) for join in lookups),
        {name: _under(each, names) for name, each in columns.items()},
        {name: _under(each, names) for name, each in keys.items()},
        _under(where, names) if where else None,
    )


def named_table(records: RecordMap, table: exp.Table, alias: str) -> exp.Table:
    """A table of a map under the name by which the layout is published, and an alias."""
    path = ".".join(part.name for part in table.parts)
    if records.dataset and not table.db:
        path = f"{records.dataset.format(module=_module(records.layout, path))}.{path}"
    name = exp.to_identifier(path, quoted="." in path)
    return exp.Table(this=name, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def is_lookup(table: exp.Table) -> bool:
    """True for a table of a query in which records are looked up."""
    return isinstance(table.parent, exp.Join) and bool(table.parent.meta.get(_LOOKUP))


def without_unread(query: exp.Select) -> exp.Select:
    """A copy of a query without the lookups that none of its parts reads."""
    return drop_unread(query.copy(), lambda join: bool(join.meta.get(_LOOKUP)))


def _subquery(records: RecordMap, kind: str, alias: str) -> JoinedRows:
    query = parse_one(view(records, kind, "duckdb"), read=DIALECT)
    for table in list(query.find_all(exp.Table)):
        table.replace(named_table(records, table, table.alias_or_name))
    name = exp.TableAlias(this=exp.to_identifier(alias))
    columns = {column: exp.column(column, alias) for column in records.columns(kind)}
    return JoinedRows(alias, exp.Subquery(this=query, alias=name), (), columns, {}, None)


def _lookup(records: RecordMap, join: exp.Join, names: Mapping[str, str]) -> exp.Join:
    copy = join.copy()
    copy.set("this", named_table(records, join.this, names[join.alias_or_name]))
    copy.set("on", _under(join.args["on"], names))
    copy.meta[_LOOKUP] = True
    return copy


def _under(node: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    """A copy of an expression with its columns under the aliases of the query."""
    box = exp.Paren(this=node.copy())
    for column in box.find_all(exp.Column):
        column.set("table", exp.to_identifier(names[column.table]))
    inner: exp.Expr = box.this
    return inner


def _is_same_row(join: exp.Join, rows: JoinedRows, source: Source) -> bool:
    """True if a join looks up, by the patient, the row that other rows have already."""
    patient = source.columns.get("patient")
    theirs = rows.columns.get("patient")
    table: exp.Expr = join.this
    if (
        patient is None
        or not isinstance(theirs, exp.Column)
        or not isinstance(rows.table, exp.Table)
    ):
        return False
    looked_up = exp.column(theirs.name, join.alias_or_name)
    sides = {looked_up.sql(), patient.sql}
    on = join.args.get("on")
    same_table = rows.table.name.rpartition(".")[2] == table.name
    return same_table and isinstance(on, exp.EQ) and {on.left.sql(), on.right.sql()} == sides


def _own_key(records: RecordMap, source: Source, column: str) -> exp.Expr | None:
    """The column of the records' own table that equals a key of a recorded stay.

    A key is often read from the table of stays, restricted to stays of one kind. Beside the key of
    a stay of that kind, the records' own column is equivalent.
    """
    sources = records.kinds.get(_KEYS[column], ())
    key = source.columns.get(column)
    if key is None or len(sources) != 1:
        return None
    value, conditions = _guarded(expression(key))
    [stays], joins = sources, parse_tables(source.tables).args.get("joins") or ()
    named = value.table if isinstance(value, exp.Column) else ""
    join = next((join for join in joins if join.alias_or_name == named), None)
    if join is None or not isinstance(value, exp.Column):
        return None
    equal, others = _equal_column(join, value)
    first = parse_tables(stays.tables).args["from_"].this
    wanted = parse_one(stays.where, read=DIALECT) if stays.where else None
    needed = _texts(_under(wanted, {first.alias_or_name: named})) if wanted else set()
    texts = {text for each in (*conditions, *others) for text in _texts(each)}
    same = first.name == join.this.name and stays.columns[column].sql.endswith(f".{value.name}")
    return equal if same and needed == texts else None


def _guarded(key: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """The value of a key, and the condition under which it is one: of CASE WHEN … THEN … END."""
    if not isinstance(key, exp.Case) or key.this or key.args.get("default"):
        return key, []
    [*branches] = key.args["ifs"]
    if len(branches) != 1:
        return key, []
    return branches[0].args["true"], [branches[0].this]


def _equal_column(join: exp.Join, value: exp.Column) -> tuple[exp.Expr | None, list[exp.Expr]]:
    """The column that a join makes equal to a value, and its other conditions."""
    equal, others = None, []
    for part in conjuncts(join.args["on"]):
        sides = [part.left, part.right] if isinstance(part, exp.EQ) else []
        if value in sides and equal is None:
            equal = sides[1 - sides.index(value)]
        else:
            others.append(part)
    return equal, others


def _texts(condition: exp.Expr) -> set[str]:
    return {part.unnest().sql(DIALECT) for part in conjuncts(condition)}


def _module(layout: str, table: str) -> str:
    return next(each.module for each in load_schema(layout).tables if each.name == table)
