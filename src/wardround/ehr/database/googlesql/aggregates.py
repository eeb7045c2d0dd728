"""Aggregates with clauses that DuckDB lacks, such as ARRAY_AGG with a LIMIT, and UNNEST."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, is_large, number
from wardround.ehr.database.interface import QueryError

_MOST = 100_000

# The list without NULLs; NULL if nothing is left.
_WITHOUT_NULLS = (
    "LIST_EXTRACT(LIST_FILTER([LIST_FILTER(__l, LAMBDA _value : _value IS NOT NULL)],"
    " LAMBDA _values : LEN(_values) > 0), 1)"
)

_ARRAY = "_array"


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
    """Replace APPROX_QUANTILES, and the index after it, by exact quantiles.

    BigQuery's are approximate and may change from run to run; these are the values that it
    approximates: element k of n + 1 is the smallest value with at least k / n of all at or below.

    Raises:
        QueryError: The number of quantiles is not a literal, or the index lies outside.
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


def named_structs(node: exp.Array) -> exp.Expr | None:
    """An array of structs, in which the first names the fields of all."""
    first = node.expressions[0] if node.expressions else None
    names = _field_names(first) or _typed_names(node.parent)
    if not names:
        return None
    structs = [_named(each, names) for each in node.expressions]
    return exp.Array(expressions=structs)


def _field_names(first: exp.Expr | None) -> list[str]:
    if not isinstance(first, exp.Struct):
        return []
    return [
        field.this.name if isinstance(field, exp.PropertyEQ) else field.output_name
        for field in first.expressions
    ]


def _typed_names(cast: exp.Expr | None) -> list[str]:
    """The fields of ARRAY<STRUCT<…>>[…]."""
    if not isinstance(cast, exp.Cast) or not cast.to.expressions:
        return []
    struct = cast.to.expressions[0]
    fields = struct.expressions if isinstance(struct, exp.DataType) else []
    return [field.name for field in fields if isinstance(field, exp.ColumnDef)]


def _named(value: exp.Expr, names: list[str]) -> exp.Expr:
    if not isinstance(value, exp.Struct | exp.Tuple) or len(value.expressions) != len(names):
        return value.copy()
    fields = [
        exp.PropertyEQ(
            this=exp.to_identifier(name, quoted=True),
            expression=(field.expression if isinstance(field, exp.PropertyEQ) else field).copy(),
        )
        for name, field in zip(names, value.expressions, strict=True)
    ]
    return exp.Struct(expressions=fields)


def unnested(node: exp.Unnest) -> exp.Expr | None:
    """UNNEST as a subquery where it has an offset or its structs are known."""
    if not isinstance(node.parent, exp.From | exp.Join):
        return None
    array, offset = node.expressions[0], node.args.get("offset")
    structs = _holds_structs(array)
    if not offset and not structs:
        return None
    alias = node.args.get("alias")
    named = alias.columns[0] if alias and alias.columns else None
    template = "SELECT UNNEST(__a, max_depth => 2)" if structs else "SELECT UNNEST(__a)"
    # The array is written once: as the column of a query if its elements are numbered.
    listed = exp.column(_ARRAY) if offset else array
    query = fill(template, a=listed)
    assert isinstance(query, exp.Select)  # noqa: S101 - by its template
    if named is not None and not structs:
        query.selects[0].replace(exp.alias_(query.selects[0].copy(), named.name, quoted=True))
    if offset:
        name = offset.name if isinstance(offset, exp.Identifier) else "offset"
        index = fill("GENERATE_SUBSCRIPTS(__a, 1) - 1", a=exp.column(_ARRAY))
        query.select(exp.alias_(index, name, quoted=True), copy=False)
        inner = exp.Select(expressions=[exp.alias_(array, _ARRAY)])
        query.from_(exp.Subquery(this=inner), copy=False)
    source = exp.to_identifier(named.name, quoted=True) if named is not None and structs else None
    return exp.Subquery(this=query, alias=exp.TableAlias(this=source) if source else None)


def _holds_structs(array: exp.Expr) -> bool:
    if isinstance(array, exp.Cast):
        return _holds_structs(array.this)
    return (
        isinstance(array, exp.Array)
        and bool(array.expressions)
        and isinstance(array.expressions[0], exp.Struct)
    )
