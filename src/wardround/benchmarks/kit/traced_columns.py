"""Columns traced to the tables that they come from, through CTEs and subqueries."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

# An expression that grows beyond this many columns is left as it stands.
_MOST_COLUMNS = 400


@dataclass(slots=True)
class Tracer:
    """Replaces columns by the columns of their source tables.

    A traced column has the table's own name as its table and, as its database, the occurrence of
    the table in the query. A column that cannot be traced has no table.
    """

    _occurrences: dict[int, str] = field(default_factory=dict)
    # The expressions of the columns of steps: a column that is read often is traced once.
    _known: dict[tuple[int, str], exp.Expr] = field(default_factory=dict)

    def traced(self, scope: Scope, expression: exp.Expr) -> exp.Expr:
        """A copy of an expression with its columns traced; subqueries are left as they are."""
        box = exp.Paren(this=expression.copy())
        for column in [n for n in own_nodes(box) if isinstance(n, exp.Column)]:
            column.replace(self.column(scope, column))
        if sum(1 for _ in box.find_all(exp.Column)) > _MOST_COLUMNS:
            return exp.column("_")
        return inner(box)

    def column(self, scope: Scope, column: exp.Column) -> exp.Expr:
        """The expression in columns of tables that a column stands for."""
        source = _source(scope, column.table)
        if isinstance(source, exp.Table):
            return self.table_column(source, column.name)
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
            return exp.column("_")
        key = (id(source), column.name)
        if key not in self._known:
            self._known[key] = self._projected(source, source.expression, column.name)
        return self._known[key].copy()

    def _projected(self, source: Scope, select: exp.Select, name: str) -> exp.Expr:
        for projection in select.expressions:
            if projection.alias_or_name == name:
                return exp.paren(self.traced(source, projection.unalias()), copy=False)
        return exp.column("_")

    def table_column(self, table: exp.Table, name: str) -> exp.Column:
        """A column of one occurrence of a table."""
        return exp.column(name, table=table.name, db=self.occurrence(table))

    def occurrence(self, table: exp.Table) -> str:
        """The name of an occurrence of a table in the query."""
        return self._occurrences.setdefault(id(table), f"t{len(self._occurrences)}")


def inner(box: exp.Paren) -> exp.Expr:
    """The expression in a box, which lets it be replaced while it is rewritten."""
    query: exp.Expr = box.this
    return query


def own_nodes(node: exp.Expr) -> list[exp.Expr]:
    """The nodes of an expression, those inside subqueries left out."""
    return list(node.walk(prune=lambda child: isinstance(child, exp.Query)))


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that all have to hold."""
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    elif isinstance(condition, exp.Between) and not condition.args.get("symmetric"):
        yield exp.GTE(this=condition.this.copy(), expression=condition.args["low"].copy())
        yield exp.LTE(this=condition.this.copy(), expression=condition.args["high"].copy())
    else:
        yield condition


def _source(scope: Scope | None, name: str) -> exp.Expr | Scope | None:
    """The source of a name, in the scope or one around it."""
    while scope is not None:
        if name in scope.sources:
            source: exp.Expr | Scope = scope.sources[name]
            return source
        scope = scope.parent
    return None
