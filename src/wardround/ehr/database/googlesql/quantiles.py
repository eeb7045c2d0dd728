"""Quantiles: exact ones for APPROX_QUANTILES, and PERCENTILE_CONT over a window."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, number
from wardround.ehr.database.interface import QueryError

_MOST = 100_000


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
