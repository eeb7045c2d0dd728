"""What the parts of statements that make or change something are to a user."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlglot import exp

Sort: TypeAlias = str
Found: TypeAlias = tuple[Sort, exp.Expr]


def together(nodes: list[exp.Expr]) -> exp.Expr:
    """Expressions as one piece, without the names that they are given."""
    return exp.Tuple(expressions=[one.unalias().copy() for one in nodes])


def _at_once(node: exp.Expr) -> Iterator[Found]:
    yield "transaction", node


def _inserted(node: exp.Expr) -> Iterator[Found]:
    if isinstance(node.this, exp.Schema):
        yield "inserted", together(node.this.expressions)
    rows = node.expression
    if isinstance(rows, exp.Select):
        for one in rows.expressions:
            yield "inserted", one
    elif isinstance(rows, exp.Values):
        for row in rows.expressions:
            yield "inserted", row


def _created(node: exp.Expr) -> Iterator[Found]:
    made = node.find(exp.Table, exp.Identifier)
    bare = exp.Create(this=made.copy() if made else None, kind=node.args.get("kind"))
    yield "object", bare
    if made is not None:
        yield "name", made
    if node.args.get("concurrently"):
        yield "meanwhile", exp.Create(kind=node.args["kind"], concurrently=True)
    for one in node.find_all(exp.ReturnsProperty):
        yield "returns", one
    if isinstance(node.this, exp.UserDefinedFunction):
        yield "parameter", together(node.this.expressions)


def _column(node: exp.Expr) -> Iterator[Found]:
    if isinstance(node.parent, exp.UserDefinedFunction):
        return
    if isinstance(node.parent, exp.Alter):
        yield "column", exp.ColumnDef(this=node.this.copy())
    yield "name", node.this
    if node.args.get("kind") is not None:
        yield "type", node.args["kind"]


def _constraint(node: exp.Expr) -> Iterator[Found]:
    yield "constraint", exp.Constraint(this=node.this.copy())
    yield "name", node.this


def _deleted(node: exp.Expr) -> Iterator[Found]:
    yield "object", exp.Delete(this=node.this.copy())


def _updated(node: exp.Expr) -> Iterator[Found]:
    yield "change", exp.Update(this=node.this.copy())


CHANGES: tuple[tuple[type[exp.Expr], Callable[..., Iterator[Found]]], ...] = (
    (exp.Transaction, _at_once),
    (exp.Insert, _inserted),
    (exp.Create, _created),
    (exp.ColumnDef, _column),
    (exp.Constraint, _constraint),
    (exp.Delete, _deleted),
    (exp.Update, _updated),
)
