"""Refusals of BigQuery beyond GoogleSQL's rules."""

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness.refusal import refusal

_PERCENTILES = (exp.PercentileCont, exp.PercentileDisc)


def check_further(query: exp.Query) -> None:
    """Check a query, as parsed.

    Raises:
        QueryError: BigQuery would not plan it.
    """
    for node in query.find_all(*_PERCENTILES):
        if node.find_ancestor(exp.Window, exp.Query) is None or not _is_windowed(node):
            raise refusal("analytic only", f"{node.sql_name()} is an analytic function only.")
    for join in query.find_all(exp.Join):
        on = join.args.get("on")
        if on is not None:
            _check_condition(join, on)


def _check_condition(join: exp.Join, on: exp.Expr) -> None:
    if any(query.find(exp.Table) is not None for query in on.find_all(exp.Query)):
        raise refusal("join condition", "put the subquery into WHERE or a step of its own.")
    outer = bool(join.side) and not isinstance(join.this, exp.Unnest)
    joined = join.this.alias_or_name
    sides = _tables(on)
    if outer and joined in sides and "" not in sides and len(sides) > 1:
        parts = on.unnest().flatten() if isinstance(on.unnest(), exp.And) else [on.unnest()]
        if not any(_equates(part.unnest(), joined) for part in parts):
            raise refusal("join condition", f"{join.side} JOIN needs an equality of both sides.")


def _equates(part: exp.Expr, joined: str) -> bool:
    """True for an equality of the joined table with what stands before it."""
    if not isinstance(part, exp.EQ):
        return False
    sides = (_tables(part.this), _tables(part.expression))
    return {joined} in sides and all(side == {joined} or joined not in side for side in sides)


def _tables(node: exp.Expr) -> set[str]:
    return {column.table for column in node.find_all(exp.Column)}


def _is_windowed(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.IgnoreNulls | exp.RespectNulls):
        parent = parent.parent
    return isinstance(parent, exp.Window)
