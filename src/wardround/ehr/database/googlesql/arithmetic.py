"""Numbers: division that fails at zero, FLOAT64 literals, roundings and logarithms."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill

_ZERO = "CASE WHEN __b = 0 THEN ERROR('division by zero') ELSE __b END"


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
