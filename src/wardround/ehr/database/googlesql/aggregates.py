"""Aggregates with clauses that DuckDB lacks: ARRAY_AGG and STRING_AGG with a LIMIT, and more."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, is_large

# The list without NULLs; NULL if nothing is left.
_WITHOUT_NULLS = (
    "LIST_EXTRACT(LIST_FILTER([LIST_FILTER(__l, LAMBDA _value : _value IS NOT NULL)],"
    " LAMBDA _values : LEN(_values) > 0), 1)"
)


def array(node: exp.ArrayAgg) -> None:
    """Replace ARRAY_AGG with the rows' order, without NULLs if it says so, cut to its limit."""
    whole: exp.Expr = node
    while isinstance(whole.parent, exp.IgnoreNulls | exp.RespectNulls):
        whole = whole.parent
    drops = isinstance(whole, exp.IgnoreNulls)
    values, limit = _unlimited(node.this)
    listed: exp.Expr = exp.Anonymous(this="LIST", expressions=[values])
    if drops and is_large(value := _value(values)):
        listed = fill(_WITHOUT_NULLS, l=listed)
    elif drops:
        condition = fill("__x IS NOT NULL", x=value.copy())
        listed = exp.Filter(this=listed, expression=exp.Where(this=condition))
    whole.replace(_first(listed, limit))


def joined_text(node: exp.GroupConcat) -> exp.Expr:
    """STRING_AGG, which leaves out NULL; of NULLs alone it is NULL."""
    separator = node.args.get("separator") or exp.Literal.string(",")
    values, limit = _unlimited(node.this)
    listed: exp.Expr = exp.Anonymous(this="LIST", expressions=[values])
    if limit is not None:
        listed = _first(fill("LIST_FILTER(__l, LAMBDA _x : _x IS NOT NULL)", l=listed), limit)
    joined = "LIST_AGGREGATE(CAST(__l AS TEXT[]), 'string_agg', __s)"
    return fill(joined, l=listed, s=separator)


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
