"""Aggregates with clauses that DuckDB lacks: ARRAY_AGG and STRING_AGG with a LIMIT, and more."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill


def array(node: exp.ArrayAgg) -> None:
    """Replace ARRAY_AGG with the rows' order, without NULLs if it says so, cut to its limit."""
    whole: exp.Expr = node
    while isinstance(whole.parent, exp.IgnoreNulls | exp.RespectNulls):
        whole = whole.parent
    drops = isinstance(whole, exp.IgnoreNulls)
    values, limit = _unlimited(node.this)
    listed: exp.Expr = exp.Anonymous(this="LIST", expressions=[values.copy()])
    if drops:
        condition = fill("__x IS NOT NULL", x=_value(values).copy())
        listed = exp.Filter(this=listed, expression=exp.Where(this=condition))
    whole.replace(_first(listed, limit))


def joined_text(node: exp.GroupConcat) -> exp.Expr:
    """STRING_AGG, which leaves out NULL."""
    separator = node.args.get("separator") or exp.Literal.string(",")
    values, limit = _unlimited(node.this)
    value = exp.cast(_value(values).copy(), "TEXT")
    listed = exp.Filter(
        this=exp.Anonymous(this="LIST", expressions=[values.copy()]),
        expression=exp.Where(this=fill("__x IS NOT NULL", x=value)),
    )
    return fill("ARRAY_TO_STRING(__l, __s)", l=_first(listed, limit), s=separator)


def _unlimited(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    if isinstance(node, exp.Limit):
        return node.this, node.expression
    return node, None


def _value(node: exp.Expr) -> exp.Expr:
    """The collected expression, without DISTINCT and ORDER BY."""
    if isinstance(node, exp.Order):
        return _value(node.this)
    return node.expressions[0] if isinstance(node, exp.Distinct) else node


def _first(listed: exp.Expr, limit: exp.Expr | None) -> exp.Expr:
    return listed if limit is None else fill("LIST_SLICE(__l, 1, __n)", l=listed, n=limit)


def top_counts(node: exp.ApproxTopK) -> exp.Expr:
    """APPROX_TOP_COUNT, exactly: values and their counts, the most frequent first."""
    return fill(
        "LIST_TRANSFORM(LIST_SLICE(LIST_REVERSE_SORT(LIST_TRANSFORM(MAP_ENTRIES(HISTOGRAM(__x)),"
        " LAMBDA e : {'n': e.value, 'v': e.key})), 1, __k),"
        " LAMBDA e : {'value': e.v, 'count': e.n})",
        x=node.this,
        k=node.expression,
    )


def distinct_count(node: exp.ApproxDistinct) -> exp.Expr:
    """APPROX_COUNT_DISTINCT, exactly."""
    return exp.Count(this=exp.Distinct(expressions=[node.this.copy()]))
