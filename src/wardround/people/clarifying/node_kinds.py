"""Aspects of query nodes, as a user sees them: order, limit, condition, count."""

from collections.abc import Callable, Iterator

from sqlglot import exp

from wardround.people.clarifying.changes import CHANGES, Aspect, AspectNode, as_tuple
from wardround.people.clarifying.names import is_key, is_time


def aspects_of(tree: exp.Expr) -> Iterator[tuple[Aspect, exp.Expr]]:
    """Yields the aspects of a tree's nodes from the top down; a node may have several."""
    for node in tree.walk(bfs=False):
        for kind, look in _ASPECTS:
            if isinstance(node, kind):
                yield from look(node)


def _as(aspect: Aspect) -> Callable[[exp.Expr], Iterator[AspectNode]]:
    def look(node: exp.Expr) -> Iterator[AspectNode]:
        yield aspect, node

    return look


def _outputs(node: exp.Expr) -> Iterator[AspectNode]:
    """Yields the output columns of the outermost query; subqueries show nothing to a user."""
    if not _is_outermost(node):
        return
    if len(node.expressions) > 1:
        yield "output", as_tuple(node.expressions)
    for expression in node.expressions:
        if isinstance(expression.unalias(), exp.Column):
            yield "output", expression


def _is_outermost(node: exp.Expr | None) -> bool:
    if not isinstance(node, exp.Query):
        return True
    return node.parent is None or isinstance(node.parent, exp.Create | exp.SetOperation)


def _compared(node: exp.Expr) -> Iterator[AspectNode]:
    """Classifies a comparison by its operands; join keys mean nothing to a user."""
    if isinstance(node.parent, exp.Update):
        yield "assignment", node
    elif _is_key(node.this) or _in_zero_check(node):
        return
    elif isinstance(node, exp.EQ) and isinstance(node.expression, exp.Column):
        yield "partition", exp.column(node.this.name)
    else:
        yield _condition(node), node


def _condition(node: exp.Expr) -> Aspect:
    if _about_time(node):
        return "period"
    if isinstance(node, exp.EQ | exp.NEQ) and not isinstance(node.this, exp.AggFunc):
        return "exclusion" if isinstance(node, exp.NEQ) else "choice"
    return "threshold"


def _is_key(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and is_key(node.name)


def _in_zero_check(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.EQ)
        and isinstance(node.parent, exp.If)
        and isinstance(node.expression, exp.Literal)
        and node.expression.name in ("0", "0.0")
    )


def _about_time(node: exp.Expr) -> bool:
    return bool(node.find(exp.Interval, exp.CurrentDate, exp.CurrentTimestamp)) or _has_time(node)


def _has_time(node: exp.Expr) -> bool:
    return any(is_time(column.name) for column in node.find_all(exp.Column))


def _membership(node: exp.Expr) -> Iterator[AspectNode]:
    if not _is_key(node.this):
        yield ("exclusion" if isinstance(node.parent, exp.Not) else "choice"), node


def _joined(node: exp.Expr) -> Iterator[AspectNode]:
    if node.args.get("side"):
        bare = exp.Join(this=exp.to_table(node.this.name), side=node.args["side"])
        yield "join", bare


def _emptiness(node: exp.Expr) -> Iterator[AspectNode]:
    if isinstance(node.expression, exp.Null):
        yield "null", node


def _divisor(node: exp.Expr) -> Iterator[AspectNode]:
    zero = isinstance(node.expression, exp.Literal) and node.expression.name in ("0", "0.0")
    yield ("zero" if zero else "null"), node


def _case(node: exp.Expr) -> Iterator[AspectNode]:
    for branch in node.args["ifs"]:
        yield ("zero" if _guards_zero(branch) else "case"), branch
    if node.args.get("default") is not None and not any(map(_guards_zero, node.args["ifs"])):
        yield "otherwise", node.args["default"]


def _guards_zero(branch: exp.Expr) -> bool:
    return _in_zero_check(branch.this)


def _hundredfold(node: exp.Expr) -> Iterator[AspectNode]:
    if isinstance(node.this, exp.Literal) and node.this.name in ("100", "100.0"):
        yield "percentage", node.this


def _windowed(node: exp.Expr) -> Iterator[AspectNode]:
    if isinstance(node.this, exp.DenseRank | exp.Rank | exp.RowNumber):
        yield "rank", node
    elif isinstance(node.this, exp.Lead | exp.Lag):
        yield "neighbour", node
    for expression in node.args.get("partition_by") or []:
        yield "partition", expression


def _ordered(node: exp.Expr) -> Iterator[AspectNode]:
    """Yields the output order; in a subquery, the order that picks a row."""
    if isinstance(node.parent, exp.Window | exp.WithinGroup | exp.GroupConcat):
        return
    yield ("order" if _is_outermost(node.parent) else "picked"), node


def _between_times(node: exp.Expr) -> Iterator[AspectNode]:
    if _has_time(node.this) and _has_time(node.expression):
        yield "duration", node


def _denominator(node: exp.Expr) -> Iterator[AspectNode]:
    below = node.expression.unnest()
    while isinstance(below, exp.Nullif | exp.Cast):
        below = below.this.unnest()
    if not isinstance(below, exp.Literal):
        yield "denominator", below


def _limited(node: exp.Expr) -> Iterator[AspectNode]:
    if _is_outermost(node.parent):
        yield "limit", node


_ASPECTS: tuple[
    tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], Callable[..., Iterator[AspectNode]]], ...
] = (
    *CHANGES,
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
    (exp.Sub, _between_times),
    (exp.Div, _denominator),
    (exp.TimeToStr, _as("format")),
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
)
