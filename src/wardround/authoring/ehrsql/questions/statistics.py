"""Statistics of a set of questions (Lee et al. 2022, Table 4)."""

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from sqlglot import exp, parse_one

from wardround.authoring.ehrsql.questions.made_question import Made
from wardround.authoring.ehrsql.templates.records import Records
from wardround.ehr.records import record_kinds
from wardround.ehr.schema import load_schema

# The nodes of Spider's grammar: five aggregates of columns and their arithmetic, joins, nesting in
# conditions, set operations, ORDER BY and LIMIT. The paper says that it lacks functions of time
# and NULL (4.3). The rest is inferred: no named query in FROM, no other functions, CASE, windows,
# casts, OFFSET, rows of several columns, arithmetic or comparison of whole queries, or current
# time. With this, 107 published queries of `valid` fit, 57 of MIMIC-III and 50 of eICU, as in
# Table 6.
_SPIDER = (
    exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered,
    exp.Limit, exp.Subquery, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier,
    exp.Literal, exp.Star, exp.Distinct, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT,
    exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.Union,
    exp.Except, exp.Intersect, exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Add, exp.Sub,
    exp.Mul, exp.Div, exp.Paren, exp.Neg,
)  # fmt: skip
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_COMPARISON = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In)


class Likeness(NamedTuple):
    """The statistics of a query; `in_spider` is True if Spider's grammar can parse it."""

    tables: int
    nesting: int
    uses_time: bool
    in_spider: bool


def statistics(made: Sequence[Made], times: Set[str], dialect: str) -> Mapping[str, float]:
    """Computes the statistics of a set: counts, averages and percentages over its queries.

    A query without nesting has one level.

    Args:
        made: the questions.
        times: the names of the database's time columns.
        dialect: the dialect of the queries.
    """
    queries = [likeness(each.sql, times, dialect) for each in made if each.sql]
    count = max(1, len(queries))
    return {
        "questions": len(made),
        "answerable": len(queries),
        "templates": len({each.template.id for each in made if each.sql}),
        "tables": round(sum(query.tables for query in queries) / count, 2),
        "nesting": round(sum(query.nesting for query in queries) / count, 2),
        "time_used": round(100 * sum(query.uses_time for query in queries) / count, 1),
        "in_spider": round(100 * sum(query.in_spider for query in queries) / count, 1),
    }


def likeness(sql: str, times: Set[str], dialect: str) -> Likeness:
    """Computes the statistics of a query.

    >>> likeness("SELECT COUNT(*) FROM a WHERE x IN (SELECT y FROM b)", {"at"}, "sqlite")
    Likeness(tables=2, nesting=2, uses_time=False, in_spider=True)
    """
    tree = parse_one(sql, dialect=dialect)
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    return Likeness(
        len({table.name.lower() for table in tree.find_all(exp.Table)}),
        max(_depth(select) for select in tree.find_all(exp.Select)),
        bool(columns & times),
        all(_in_spider(node) for node in tree.walk()),
    )


def time_columns(records: Records) -> frozenset[str]:
    """Returns the names of the records' time columns in lower case."""
    if records.are_views:
        kinds = record_kinds().values()
        typed = [(name, type) for kind in kinds for name, type in kind.columns.items()]
        return frozenset(name for name, type in typed if type == "time")
    layout = records.renaming.name if records.renaming else records.map.layout
    return frozenset(
        column.name.lower()
        for table in load_schema(layout).tables
        for column in table.columns
        if column.type in ("TIMESTAMP", "DATE")
    )


def _depth(select: exp.Expr | None) -> int:
    return 1 + _depth(select.find_ancestor(exp.Select)) if select else 0


def _in_spider(node: exp.Expr) -> bool:
    if not isinstance(node, _SPIDER):
        return False
    if isinstance(node, exp.Subquery):
        return not isinstance(node.parent, exp.From | exp.Join)
    if isinstance(node, _ARITHMETIC):
        sides = (node.this.unnest(), node.expression.unnest())
        return not any(isinstance(side, exp.Query | exp.Literal) for side in sides)
    if isinstance(node, _COMPARISON):
        in_condition = node.find_ancestor(exp.Where, exp.Having, exp.Join, exp.Select)
        return not isinstance(in_condition, exp.Select)
    return True
