"""Aggregates with clauses that DuckDB lacks: ARRAY_AGG and STRING_AGG with a LIMIT, and more."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, is_large, number
from wardround.ehr.database.interface import QueryError

_MOST = 100_000

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


def exact_quantiles(node: exp.ApproxQuantiles) -> None:
    """Replace APPROX_QUANTILES, and the index behind it, by exact quantiles.

    BigQuery's are approximate and may change from run to run; these are the values that it
    approximates: element k of n + 1 is the smallest value with at least k / n of all at or below.

    Raises:
        QueryError: The number of quantiles is no literal, or the index lies outside.
    """
    value, count = _arguments(node)
    whole = node.parent if isinstance(node.parent, exp.IgnoreNulls) else node
    index = whole.parent
    if isinstance(index, exp.Bracket) and index.this is whole:
        number_of_quantile = _literal(index.expressions[0])
        if number_of_quantile is not None:
            index.replace(
                _element(
                    value, number_of_quantile - int(index.args.get("offset") or 0), count, index
                )
            )
            return
    fractions = exp.Array(
        expressions=[number(number_of_quantile / count) for number_of_quantile in range(count + 1)]
    )
    whole.replace(fill("QUANTILE_DISC(__x, __p)", x=value, p=fractions))


def _element(value: exp.Expr, position: int, count: int, index: exp.Bracket) -> exp.Expr:
    if 0 <= position <= count:
        return fill("QUANTILE_DISC(__x, __p)", x=value, p=number(position / count))
    if index.args.get("safe"):
        return exp.Null()
    raise QueryError(f"Array index {position} is out of bounds.", "runtime")


def _arguments(node: exp.ApproxQuantiles) -> tuple[exp.Expr, int]:
    value, count = node.this, node.args.get("expression")
    if isinstance(value, exp.Distinct):
        value, count = exp.Distinct(expressions=value.expressions[:1]), value.expressions[-1]
    parts = _literal(count)
    if parts is None or not 0 < parts <= _MOST:
        raise QueryError(
            "The second argument of APPROX_QUANTILES is to be a positive whole number.", "syntax"
        )
    return value, parts


def _literal(node: exp.Expr | None) -> int | None:
    return int(node.name) if isinstance(node, exp.Literal) and node.is_int else None


def percentile(node: exp.PercentileCont | exp.PercentileDisc) -> exp.Expr | None:
    """PERCENTILE_CONT or PERCENTILE_DISC over a window; both leave out NULL."""
    if node.args.get("expression") is None:
        return None
    name = "QUANTILE_CONT" if isinstance(node, exp.PercentileCont) else "QUANTILE_DISC"
    return fill(f"{name}(__x, __p)", x=node.this, p=node.expression)
