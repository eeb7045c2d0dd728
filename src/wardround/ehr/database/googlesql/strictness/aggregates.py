"""Places of aggregates and windows, and columns that are neither grouped nor aggregated."""

from collections.abc import Iterator

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness.kinds import ORDERED_WINDOWS, name_of
from wardround.ehr.database.googlesql.strictness.refusal import refusal, text_of

_ANALYTIC = (exp.RowNumber, *ORDERED_WINDOWS, exp.PercentileCont, exp.PercentileDisc)
# Nodes that may be between an OVER clause and its function.
_WRAPPERS = (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Filter)


def check(query: exp.Select, scope: int) -> None:
    """Check one SELECT whose columns are resolved.

    Args:
        query: The SELECT.
        scope: The mark of the columns that are its own.

    Raises:
        QueryError: It breaks a rule.
    """
    _places(query)
    group = query.args.get("group")
    shown = [*query.expressions, *_clauses(query, "having", "qualify", "order")]
    if group is None and not any(_aggregates(each) for each in shown):
        return
    if group is not None and group.args.get("all"):
        return
    keys = _keys(query, group)
    for item in shown:
        _grouped(item, keys, scope)


def _clauses(query: exp.Select, *names: str) -> list[exp.Expr]:
    return [clause for name in names if (clause := query.args.get(name)) is not None]


def _outer_parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of an expression without those of subqueries."""
    for each in node.walk(prune=lambda at: isinstance(at, exp.Query) and at is not node):
        if not isinstance(each, exp.Query):
            yield each


def _windowed(node: exp.Expr) -> bool:
    """True for the function of an OVER clause."""
    child, parent = node, node.parent
    while isinstance(parent, _WRAPPERS):
        child, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is child


def _aggregates(node: exp.Expr) -> list[exp.Expr]:
    return [
        each
        for each in _outer_parts(node)
        if isinstance(each, exp.AggFunc) and not isinstance(each, _ANALYTIC) and not _windowed(each)
    ]


def _windows(node: exp.Expr) -> list[exp.Expr]:
    return [each for each in _outer_parts(node) if isinstance(each, exp.Window)]


def _places(query: exp.Select) -> None:
    conditions = [join.args["on"] for join in query.args.get("joins") or () if join.args.get("on")]
    for clause in [*_clauses(query, "where"), *conditions]:
        _refuse(clause, "in WHERE or ON")
    for key in _keys(query, query.args.get("group")):
        _refuse(key, "in GROUP BY")
    for clause in _clauses(query, "having"):
        _refuse(clause, "in HAVING", aggregates=False)
    shown = [*query.expressions, *_clauses(query, "having", "qualify", "order")]
    for item in shown:
        for each in _aggregates(item):
            _within(each)
        _over(item)
    qualify = query.args.get("qualify")
    if qualify is not None and not any(map(_windows, (qualify, *query.selects))):
        raise refusal("window not allowed", "QUALIFY needs an analytic function.")


def _refuse(node: exp.Expr, clause: str, *, aggregates: bool = True) -> None:
    if aggregates and _aggregates(node):
        raise refusal("aggregate not allowed", f"an aggregate function stands {clause}.")
    if _windows(node):
        raise refusal("window not allowed", f"an analytic function stands {clause}.")


def _over(item: exp.Expr) -> None:
    """Check that analytic functions have their OVER clause."""
    for each in _outer_parts(item):
        if isinstance(each, _ANALYTIC) and not _windowed(each):
            raise refusal("analytic only", f"{name_of(each)} has no OVER clause.")


def _within(aggregate: exp.Expr) -> None:
    """Check what an aggregate function is given."""
    for each in aggregate.iter_expressions():
        if _windows(each):
            raise refusal("window not allowed", "an aggregate is given an analytic function.")
        if _aggregates(each):
            raise refusal("nested aggregates", f"{name_of(aggregate)} is given an aggregate.")


def _keys(query: exp.Select, group: exp.Expr | None) -> list[exp.Expr]:
    """The expressions of GROUP BY; positions and aliases are resolved."""
    if group is None:
        return []
    aliased = {each.alias.lower(): each.this for each in query.expressions if each.alias}
    keys: list[exp.Expr] = []
    for key in _flat(group):
        position = key.is_int and isinstance(key, exp.Literal)
        if position and 0 < int(key.name) <= len(query.expressions):
            keys.append(query.expressions[int(key.name) - 1].unalias())
            continue
        named = key.meta.get("alias")
        keys.append(aliased[key.name.lower()] if named and key.name in aliased else key)
        short = key.name.lower().split(".")[-1] if isinstance(key, exp.Column) else ""
        if short in aliased and not named and not _aggregates(aliased[short]):
            keys.append(aliased[short])
    return keys


def _flat(group: exp.Expr) -> Iterator[exp.Expr]:
    for key in group.iter_expressions():
        nested = isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple)
        yield from _flat(key) if nested else (key,)


def _grouped(node: exp.Expr, keys: list[exp.Expr], scope: int) -> None:
    """Check that each column is grouped, or within an aggregate."""
    if node in keys or isinstance(node, exp.Query):
        return
    plain = isinstance(node, exp.AggFunc) and not isinstance(node, _ANALYTIC)
    if plain and not _windowed(node):
        return
    if node.is_star and not isinstance(node.parent, exp.Count):
        raise refusal("grouped columns", "SELECT * of a query that groups.")
    if isinstance(node, exp.Column):
        if node.meta.get("scope") == scope and not _is_field(node, keys):
            raise refusal("grouped columns", f"{text_of(node)}.")
        return
    for each in node.iter_expressions():
        _grouped(each, keys, scope)


def _is_field(node: exp.Column, keys: list[exp.Expr]) -> bool:
    """True for a field of a grouped struct."""
    head = node.name.split(".")[0]
    return any(
        isinstance(key, exp.Column) and key.name == head and key.table == node.table for key in keys
    )
