"""Aspects of statements that create or change something."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlglot import exp

Aspect: TypeAlias = str
AspectNode: TypeAlias = tuple[Aspect, exp.Expr]


def as_tuple(nodes: list[exp.Expr]) -> exp.Expr:
    """Combines expressions into a tuple, without their aliases, which stay as metadata."""
    items = [expression.unalias().copy() for expression in nodes]
    for copy, expression in zip(items, nodes, strict=True):
        copy.meta["alias"] = expression.alias
    return exp.Tuple(expressions=items)


def _at_once(node: exp.Expr) -> Iterator[AspectNode]:
    yield "transaction", node


def _inserted(node: exp.Expr) -> Iterator[AspectNode]:
    if isinstance(node.this, exp.Schema):
        yield "inserted", as_tuple(node.this.expressions)
    rows = node.expression
    if isinstance(rows, exp.Select):
        for expression in rows.expressions:
            yield "inserted", expression
    elif isinstance(rows, exp.Values):
        for row in rows.expressions:
            yield "inserted", row


def _created(node: exp.Expr) -> Iterator[AspectNode]:
    made = node.find(exp.Table, exp.Identifier)
    bare = exp.Create(this=made.copy() if made else None, kind=node.args.get("kind"))
    yield "object", bare
    if made is not None:
        yield "name", made
    if node.args.get("concurrently"):
        yield "meanwhile", exp.Create(kind=node.args["kind"], concurrently=True)
    for expression in node.find_all(exp.ReturnsProperty):
        yield "returns", expression
    if isinstance(node.this, exp.UserDefinedFunction):
        yield "parameter", as_tuple(node.this.expressions)


def _column(node: exp.Expr) -> Iterator[AspectNode]:
    if isinstance(node.parent, exp.UserDefinedFunction):
        return
    if isinstance(node.parent, exp.Alter):
        yield "column", exp.ColumnDef(this=node.this.copy())
    yield "name", node.this
    if node.args.get("kind") is not None:
        yield "type", node.args["kind"]


def _constraint(node: exp.Expr) -> Iterator[AspectNode]:
    yield "constraint", exp.Constraint(this=node.this.copy())
    yield "name", node.this


def _deleted(node: exp.Expr) -> Iterator[AspectNode]:
    yield "object", exp.Delete(this=node.this.copy())


def _updated(node: exp.Expr) -> Iterator[AspectNode]:
    yield "change", exp.Update(this=node.this.copy())


CHANGES: tuple[tuple[type[exp.Expr], Callable[..., Iterator[AspectNode]]], ...] = (
    (exp.Transaction, _at_once),
    (exp.Insert, _inserted),
    (exp.Create, _created),
    (exp.ColumnDef, _column),
    (exp.Constraint, _constraint),
    (exp.Delete, _deleted),
    (exp.Update, _updated),
)
