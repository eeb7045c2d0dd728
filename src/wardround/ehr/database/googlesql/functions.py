"""BigQuery functions and arithmetic that DuckDB has under another name, or not at all."""

from sqlglot import exp

from wardround.ehr.database.duckdb import farm_hash
from wardround.ehr.database.googlesql.templates import fill
from wardround.ehr.database.interface import QueryError

# Functions of one or two arguments, as DuckDB's SQL over __a and __b.
TEMPLATES: dict[type[exp.Expr], str] = {
    exp.SafeAdd: "TRY(__a + __b)",
    exp.SafeSubtract: "TRY(__a - __b)",
    exp.SafeMultiply: "TRY(__a * __b)",
    exp.SafeNegate: "TRY(-__a)",
    exp.RangeBucket: "LEN(LIST_FILTER(__b, LAMBDA bound : bound <= __a))",
    exp.ArrayFirst: "LIST_EXTRACT(__a, 1)",
    exp.ArrayLast: "LIST_EXTRACT(__a, -1)",
    exp.CurrentDatetime: "CAST(NOW() AS TIMESTAMP)",
    exp.DateFromUnixDate: "CAST(DATE '1970-01-01' + INTERVAL 1 DAY * __a AS DATE)",
    exp.LogicalOr: "BOOL_OR(__a)",
    exp.LogicalAnd: "BOOL_AND(__a)",
}

# Infinity or NaN where the divisor is 0.
_IEEE = (
    "CASE WHEN __b <> 0 THEN CAST(__a AS DOUBLE) / NULLIF(__b, 0)"
    " WHEN __b = 0 THEN CASE WHEN __a > 0 THEN CAST('inf' AS DOUBLE)"
    " WHEN __a < 0 THEN CAST('-inf' AS DOUBLE) WHEN __a = 0 THEN CAST('nan' AS DOUBLE) END END"
)

_ZERO = "CASE WHEN __b = 0 THEN ERROR('division by zero') ELSE __b END"


def templated(node: exp.Expr) -> exp.Expr:
    """A function by its template."""
    second = node.args.get("expression") or exp.Null()
    return fill(TEMPLATES[type(node)], a=node.this or exp.Null(), b=second)


def safe(node: exp.SafeFunc) -> exp.Expr:
    """`SAFE.`: NULL where the function fails."""
    for call in list(node.find_all(exp.Anonymous)):
        if call.name.upper() == "ERROR":
            call.replace(exp.Null())
    inner = node.this
    if isinstance(inner, exp.AggFunc):
        return inner  # DuckDB tries no aggregates; theirs do not fail here
    return inner if not isinstance(inner, exp.Func | exp.Case) else fill("TRY(__x)", x=inner)


def fingerprint(node: exp.FarmFingerprint) -> exp.Expr:
    """FARM_FINGERPRINT of a text, which `duckdb.farm_hash` computes."""
    return exp.Anonymous(this=farm_hash.NAME, expressions=node.expressions)


def element(node: exp.Bracket) -> exp.Expr | None:
    """`array[OFFSET(n)]`: an error outside the array unless it is SAFE_OFFSET."""
    start = node.args.get("offset")
    if start is None or len(node.expressions) != 1:
        return None
    index = fill(f"__i - {int(start)}", i=node.expressions[0])
    if node.args.get("safe"):
        picked = "CASE WHEN (__i) >= 0 THEN LIST_EXTRACT(__a, (__i) + 1) END"
    else:
        picked = (
            "CASE WHEN (__i) < 0 OR (__i) >= LEN(__a) THEN ERROR('Array index is out of bounds')"
            " ELSE LIST_EXTRACT(__a, (__i) + 1) END"
        )
    return fill(picked, a=node.this, i=index)


def any_of_like(node: exp.Like) -> exp.Expr | None:
    """`LIKE ANY (…)` and `LIKE ALL (…)` as a chain of LIKEs."""
    quantified = node.expression
    if not isinstance(quantified, exp.Any | exp.All):
        return None
    patterns = quantified.this
    listed = patterns.expressions if isinstance(patterns, exp.Tuple) else [patterns.unnest()]
    link = " OR " if isinstance(quantified, exp.Any) else " AND "
    likes = link.join(f"__x LIKE __p{at}" for at in range(len(listed)))
    return fill(f"({likes})", x=node.this, **{f"p{at}": each for at, each in enumerate(listed)})


def refuse_unknown(node: exp.Anonymous) -> None:
    """Refuse a function that neither sqlglot knows nor this module.

    Raises:
        QueryError: The function is unknown.
    """
    if not _is_ieee_division(node) and node.name.upper() != "ERROR":
        raise QueryError(f"Function not found: {node.name}.", "syntax")


def ieee_division(node: exp.Anonymous) -> exp.Expr | None:
    """IEEE_DIVIDE, which sqlglot does not know."""
    if not _is_ieee_division(node):
        return None
    above, below = node.expressions
    return fill(_IEEE, a=above, b=below)


def _is_ieee_division(node: exp.Anonymous) -> bool:
    return node.name.upper() == "IEEE_DIVIDE" and len(node.expressions) == 2


def literal(node: exp.Literal) -> exp.Expr | None:
    """A literal with a fraction is a FLOAT64; DuckDB would make it a DECIMAL."""
    if node.is_string or node.is_int or "e" in node.name.lower():
        return None
    return exp.Literal.number(f"{node.name}e0")


def product(node: exp.Mul) -> exp.Expr | None:
    """A product of whole numbers is an INT64, where DuckDB would take 32 bits for literals."""
    if not node.this.is_int:
        return None
    return fill("CAST(__a AS BIGINT) * __b", a=node.this, b=node.expression)


def division(node: exp.Div) -> exp.Expr | None:
    """`/`: a FLOAT64, and an error at zero."""
    below = node.expression
    if _cannot_be_zero(below):
        return None
    return fill(f"__a / ({_ZERO})", a=node.this, b=below)


def safe_division(node: exp.SafeDivide) -> exp.Expr:
    """SAFE_DIVIDE: NULL at zero."""
    return fill("__a / NULLIF(__b, 0)", a=node.this, b=node.expression)


def rounding(node: exp.Round) -> exp.Expr | None:
    """ROUND: a FLOAT64, halves away from zero unless the third argument says otherwise."""
    value, digits = exp.cast(node.this, "DOUBLE", copy=False), node.args.get("decimals")
    name = "ROUND"
    if node.args.get("truncate") and "EVEN" in node.args["truncate"].name:
        name = "ROUND_EVEN"
    if digits is None:
        return fill(f"{name}(__x, 0)" if name == "ROUND_EVEN" else "ROUND(__x)", x=value)
    return fill(f"{name}(__x, CAST(__n AS INTEGER))", x=value, n=digits)


def whole_rounding(node: exp.Ceil | exp.Floor) -> exp.Expr:
    """CEIL and FLOOR: a FLOAT64."""
    name = "CEIL" if isinstance(node, exp.Ceil) else "FLOOR"
    return fill(f"{name}(CAST(__x AS DOUBLE))", x=node.this)


def logarithm(node: exp.Ln | exp.Log | exp.Sqrt) -> exp.Expr:
    """LN, LOG, LOG10 and SQRT, which fail outside their domain."""
    if isinstance(node, exp.Sqrt):
        return _within("SQRT(__x)", "__x < 0", node.this)
    if isinstance(node, exp.Ln):
        return _within("LN(__x)", "__x <= 0", node.this)
    base, value = node.this, node.args.get("expression")
    if value is None:
        return _within("LN(__x)", "__x <= 0", base)
    return _within("LN(__x) / LN(__b)", "__x <= 0", value, base)


def _within(formula: str, outside: str, value: exp.Expr, base: exp.Expr | None = None) -> exp.Expr:
    message = "ERROR('Floating point error in function')"
    return fill(
        f"CASE WHEN {outside} THEN {message} ELSE {formula} END", x=value, b=base or exp.Null()
    )


def correlation(node: exp.Corr) -> exp.Expr:
    """CORR: NULL for a single row, where DuckDB gives NaN."""
    return fill(
        "CASE WHEN REGR_COUNT(__y, __x) > 1 THEN CORR(__y, __x) END",
        y=node.this,
        x=node.expression,
    )


def _cannot_be_zero(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren):
        return _cannot_be_zero(node.this)
    if isinstance(node, exp.Nullif):
        return bool(node.expression.name == "0")
    return bool(isinstance(node, exp.Literal) and not node.is_string and float(node.name))
