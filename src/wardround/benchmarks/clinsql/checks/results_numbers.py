"""Rules for results leaves about a column's numbers: whole counts, percentages, ranges."""

from wardround.benchmarks.clinsql.checks.leaf_bounds import Range, find_range
from wardround.benchmarks.clinsql.checks.model import AllOf
from wardround.benchmarks.clinsql.checks.results_checks import (
    Column,
    InRange,
    Percentage,
    Types,
    WholeCount,
)
from wardround.benchmarks.clinsql.checks.results_leaf import ResultsLeaf

_WHOLE = frozenset(["whole", "integer", "integers"])
_SHARE = frozenset(
    [
        "percentage",
        "percentages",
        "percent",
        "pct",
        "proportion",
        "fraction",
        "share",
    ]
)
_FRACTION = frozenset(["proportion", "fraction"])
_ACCEPTABLE = frozenset(["acceptable", "expected", "tolerance"])
_PLAUSIBLE = frozenset(["plausible", "plausibly", "plausibility", "realistic"])


def whole(leaf: ResultsLeaf) -> WholeCount | Types | AllOf | None:
    """A whole number, positive where the sentence says so, with bounds if it has any."""
    column = leaf.column()
    if not leaf.words & _WHOLE or column is None:
        return None
    if "type" in leaf.words:
        return Types(type="integer", column=column)
    bounds = find_range(leaf.tokens)
    positive = "positive" in leaf.words or (bounds and bounds.low == 0 and bounds.low_open)
    least = 1 if positive else 0
    if bounds and not (bounds.high is None and bounds.low == 0):
        return AllOf(checks=(WholeCount(column=column, least=least), _range(leaf, column, bounds)))
    return WholeCount(column=column, least=least)


def percentage(leaf: ResultsLeaf) -> Percentage | None:
    """Bounds of 0 to 100 on a percentage, of 0 to 1 on a fraction, or a valid percentage."""
    bounds, column = find_range(leaf.tokens), leaf.column()
    if column is None or leaf.words & (_ACCEPTABLE | _PLAUSIBLE):
        return None
    named = any(word in column.names[0].lower() for word in ("pct", "perc", "rate"))
    percent = named or bool(leaf.words & _SHARE or leaf.says("%"))
    if bounds is None:
        claimed = leaf.words & _SHARE and "valid" in leaf.words
        return Percentage(column=column) if claimed else None
    if bounds.low_open or bounds.high_open or bounds.low != 0:
        return None
    if percent and bounds.high == 100:
        return Percentage(column=column)
    if leaf.words & _FRACTION and bounds.high == 1:
        return Percentage(column=column, fraction=True)
    return None


def in_range(leaf: ResultsLeaf) -> InRange | None:
    """Bounds on a column that explain the sentence's numbers."""
    bounds, column = find_range(leaf.tokens), leaf.column()
    if bounds is None or column is None or "row" in leaf.words:
        return None
    numbers = {at for at, token in enumerate(leaf.tokens) if token.is_number}
    denials = {at for at, token in enumerate(leaf.tokens) if token.text in ("not", "outside")}
    if denials - bounds.used:
        return None
    if None in (bounds.low, bounds.high) and numbers - bounds.used:
        return None  # a number that no bound explains
    return _range(leaf, column, bounds)


def _range(leaf: ResultsLeaf, column: Column, bounds: Range) -> InRange:
    return InRange(
        column=column,
        low=bounds.low,
        high=bounds.high,
        low_open=bounds.low_open,
        high_open=bounds.high_open,
        band="acceptable" if leaf.words & _ACCEPTABLE else "plausible",
    )
