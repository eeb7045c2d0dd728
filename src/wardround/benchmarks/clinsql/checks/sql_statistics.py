"""Statistics that a query takes: its aggregates and quantiles."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

_SIMPLE: dict[type[exp.Expr], str] = {
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
    exp.Sum: "sum",
    exp.Count: "count",
    exp.CountIf: "count",
    exp.Stddev: "sd",
    exp.StddevSamp: "sd",
    exp.StddevPop: "sd",
}


@dataclass(frozen=True, slots=True)
class Statistic:
    """An aggregate of a query.

    Attributes:
        name: As in a check; percentile for all quantiles.
        of: The expression that it is taken of.
        argument: The percentile, from 0 to 100.
    """

    name: str
    of: exp.Expr
    argument: float | None = None


def statistics(value: exp.Expr) -> Iterator[Statistic]:
    """The aggregates within an expression."""
    for node in value.find_all(*_SIMPLE, exp.Bracket, exp.PercentileCont, exp.PercentileDisc):
        if isinstance(node, exp.Bracket):
            if (taken := _approximate(node)) is not None:
                yield taken
        elif isinstance(node, exp.PercentileCont | exp.PercentileDisc):
            at = _number(node.expression)
            yield Statistic("percentile", node.this, None if at is None else 100 * at)
        else:
            yield Statistic(_SIMPLE[type(node)], node.this)


def _approximate(node: exp.Bracket) -> Statistic | None:
    """An element of APPROX_QUANTILES."""
    array = node.this.unnest()
    if not isinstance(array, exp.ApproxQuantiles) or len(node.expressions) != 1:
        return None
    parts, place = _number(array.args.get("expression")), _number(node.expressions[0])
    of = array.this
    at = None if not parts or place is None else 100 * place / parts
    return Statistic("percentile", of, at)


def _number(node: exp.Expr | None) -> float | None:
    node = node.this if isinstance(node, exp.Offset) else node
    return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
