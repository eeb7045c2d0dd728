"""What the nodes of a query are to a user: an order, a limit, a condition, something counted."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlglot import exp

from wardround.people.clarifying.names import is_time

Sort: TypeAlias = str
_Found: TypeAlias = tuple[Sort, exp.Expr]


def sorts(tree: exp.Expr) -> Iterator[tuple[Sort, exp.Expr]]:
    """What a tree and everything below it is, from the top down; a node may be several things."""
    for node in tree.walk(bfs=False):
        for kind, look in _LOOKS:
            if isinstance(node, kind):
                yield from look(node)


def _as(sort: Sort) -> Callable[[exp.Expr], Iterator[_Found]]:
    def look(node: exp.Expr) -> Iterator[_Found]:
        yield sort, node

    return look


def _outputs(node: exp.Expr) -> Iterator[_Found]:
    """What the whole query shows; the queries within it show nothing to anybody."""
    if not _is_outermost(node):
        return
    if len(node.expressions) > 1:
        yield "output", _together(node.expressions)
    for one in node.expressions:
        if isinstance(one.unalias(), exp.Column):
            yield "output", one


def _together(nodes: list[exp.Expr]) -> exp.Expr:
    return exp.Tuple(expressions=[one.unalias().copy() for one in nodes])


def _is_outermost(node: exp.Expr | None) -> bool:
    if not isinstance(node, exp.Query):
        return True
    return node.parent is None or isinstance(node.parent, exp.Create | exp.SetOperation)


def _compared(node: exp.Expr) -> Iterator[_Found]:
    """A condition by what it compares; a join's keys tell a user nothing."""
    left, right = node.this, node.args.get("expression")
    if isinstance(node.parent, exp.Update):
        yield "assignment", node
    elif not _both_columns(left, right) and not _names_an_id(left) and not _in_zero_check(node):
        yield _condition(node), node


def _condition(node: exp.Expr) -> Sort:
    if _about_time(node):
        return "period"
    if isinstance(node, exp.EQ | exp.NEQ) and not isinstance(node.this, exp.AggFunc):
        return "exclusion" if isinstance(node, exp.NEQ) else "choice"
    return "threshold"


def _both_columns(left: exp.Expr, right: exp.Expr | None) -> bool:
    return isinstance(left, exp.Column) and isinstance(right, exp.Column)


def _names_an_id(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and bool(re.search(r"(_id|itemid|_code)$", node.name, re.I))


def _in_zero_check(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.EQ)
        and isinstance(node.parent, exp.If)
        and isinstance(node.expression, exp.Literal)
        and node.expression.name in ("0", "0.0")
    )


def _about_time(node: exp.Expr) -> bool:
    if node.find(exp.Interval, exp.CurrentDate, exp.CurrentTimestamp):
        return True
    return any(is_time(column.name) for column in node.find_all(exp.Column))


def _membership(node: exp.Expr) -> Iterator[_Found]:
    if not _names_an_id(node.this):
        yield ("exclusion" if isinstance(node.parent, exp.Not) else "choice"), node


def _joined(node: exp.Expr) -> Iterator[_Found]:
    if node.args.get("side"):
        bare = exp.Join(this=exp.to_table(node.this.name), side=node.args["side"])
        yield "join", bare


def _emptiness(node: exp.Expr) -> Iterator[_Found]:
    if isinstance(node.expression, exp.Null):
        yield "null", node


def _divisor(node: exp.Expr) -> Iterator[_Found]:
    zero = isinstance(node.expression, exp.Literal) and node.expression.name in ("0", "0.0")
    yield ("zero" if zero else "null"), node


def _case(node: exp.Expr) -> Iterator[_Found]:
    for branch in node.args["ifs"]:
        yield ("zero" if _in_zero_check(branch.this) else "case"), branch


def _hundredfold(node: exp.Expr) -> Iterator[_Found]:
    if isinstance(node.this, exp.Literal) and node.this.name in ("100", "100.0"):
        yield "percentage", node.this


def _windowed(node: exp.Expr) -> Iterator[_Found]:
    if isinstance(node.this, exp.DenseRank | exp.Rank | exp.RowNumber):
        yield "rank", node
    elif isinstance(node.this, exp.Lead | exp.Lag):
        yield "neighbour", node
    for one in node.args.get("partition_by") or []:
        yield "partition", one


def _ordered(node: exp.Expr) -> Iterator[_Found]:
    within = isinstance(node.parent, exp.Window | exp.WithinGroup | exp.GroupConcat)
    if not within and _is_outermost(node.parent):
        yield "order", node


def _limited(node: exp.Expr) -> Iterator[_Found]:
    if _is_outermost(node.parent):
        yield "limit", node


def _inserted(node: exp.Expr) -> Iterator[_Found]:
    if isinstance(node.expression, exp.Values):
        for row in node.expression.expressions:
            yield "inserted", row


def _created(node: exp.Expr) -> Iterator[_Found]:
    made = node.find(exp.Table, exp.Identifier)
    bare = exp.Create(this=made.copy() if made else None, kind=node.args.get("kind"))
    yield "object", bare
    if made is not None:
        yield "name", made
    for one in node.find_all(exp.ReturnsProperty):
        yield "returns", one
    if isinstance(node.this, exp.UserDefinedFunction):
        yield "parameter", _together(node.this.expressions)


def _column(node: exp.Expr) -> Iterator[_Found]:
    if isinstance(node.parent, exp.UserDefinedFunction):
        return
    yield "name", node.this
    if node.args.get("kind") is not None:
        yield "type", node.args["kind"]


def _deleted(node: exp.Expr) -> Iterator[_Found]:
    yield "object", exp.Delete(this=node.this.copy())


_LOOKS: tuple[
    tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], Callable[..., Iterator[_Found]]], ...
] = (
    (exp.Select, _outputs),
    ((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between), _compared),
    (exp.In, _membership),
    ((exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike), _as("choice")),
    (exp.Join, _joined),
    (exp.Is, _emptiness),
    (exp.Coalesce, _as("null")),
    (exp.Nullif, _divisor),
    (exp.Case, _case),
    (exp.Round, _as("decimal")),
    (exp.Mul, _hundredfold),
    (exp.Count, _as("count")),
    ((exp.Avg, exp.Max, exp.Min, exp.Sum, exp.Median, exp.Stddev), _as("aggregate")),
    (exp.WithinGroup, _as("aggregate")),
    (exp.GroupConcat, _as("aggregate")),
    (exp.Distinct, _as("distinct")),
    (exp.Window, _windowed),
    (exp.Group, _as("group")),
    (exp.Order, _ordered),
    ((exp.Limit, exp.Fetch), _limited),
    (exp.SetOperation, _as("union")),
    (exp.Insert, _inserted),
    (exp.Create, _created),
    (exp.ColumnDef, _column),
    (exp.Delete, _deleted),
)
