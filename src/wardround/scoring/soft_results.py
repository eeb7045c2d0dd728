"""Comparison of two SQL results: as published (Huo et al. 2025, G), and strict.

Cells are psycopg's values: `Decimal` for numeric, `date`, `datetime`, dicts and lists for JSON.
"""

import json
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, TypeAlias

Rows: TypeAlias = Sequence[Sequence[Any]]
Row: TypeAlias = tuple[Hashable, ...]

DECIMALS = 2
# Python's own context rounds half even and refuses results of more than 28 digits.
_CENT, _PLAIN = Decimal("0.01"), Context(prec=28, rounding=ROUND_HALF_UP)

# PostgreSQL's numeric can have more digits than Python's default context.
_WIDE = Context(prec=200_000, rounding=ROUND_HALF_UP)
# Digits beyond these depend on the order of additions.
_SIGNIFICANT = Context(prec=12, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The requirements of a task on its result.

    Attributes:
        order: True if the order of rows counts.
        distinct: True if duplicate rows count (strict comparison only).
        decimals: Number of decimals that count (strict comparison only); None for all.
    """

    order: bool = False
    distinct: bool = False
    decimals: int | None = None


def same_results(gold: Rows, result: Rows, conditions: Conditions, *, strict: bool) -> bool:
    """The strict comparison, or the published one."""
    if strict:
        return equal_strictly(gold, result, **asdict(conditions))
    return equal_as_published(gold, result, order=conditions.order)


def equal_as_published(gold: Rows, result: Rows, *, order: bool = False) -> bool:
    """The published comparison (Huo et al. 2025, G): rows as a set, or a list if order counts.

    Numbers are rounded to two decimals, numeric ones half up and floats as Python does; times are
    compared by day, JSON values and arrays as text. Columns are compared in order. Nothing equals
    an empty result, a numeric NaN, or a value that cannot be rounded or written.

    >>> equal_as_published([("a", Decimal("1.245"))], [("a", 1.25), ("a", 1.25)])
    True
    >>> equal_as_published([], []), equal_as_published([(Decimal("NaN"),)], [(Decimal("NaN"),)])
    (False, False)
    """
    try:
        ours, theirs = softened_rows(gold), softened_rows(result)
    except (ArithmeticError, TypeError):
        return False
    if not ours or not theirs:
        return False
    return ours == theirs if order else set(ours) == set(theirs)


def equal_strictly(
    gold: Rows,
    result: Rows,
    *,
    order: bool = False,
    distinct: bool = False,
    decimals: int | None = None,
) -> bool:
    """The strict comparison: order, duplicates and decimals count as the task specifies.

    Times count to the last digit; a date equals its midnight. Columns are compared in order.
    Nothing equals an empty result.

    Args:
        gold: The gold rows.
        result: The agent's rows.
        order: True if the order of rows counts.
        distinct: True if duplicate rows count.
        decimals: Number of decimals that count; None for twelve significant digits.

    >>> equal_strictly([("a",), ("a",)], [("a",)], distinct=True)
    False
    >>> equal_strictly([(Decimal("3.14"),)], [(3.14159,)], decimals=2)
    True
    """
    ours, theirs = (
        [tuple(_exact(cell, decimals) for cell in row) for row in rows] for rows in (gold, result)
    )
    if not ours or not theirs:
        return False
    if not distinct:
        ours, theirs = list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))
    return ours == theirs if order else Counter(ours) == Counter(theirs)


def softened_rows(rows: Rows) -> list[Row]:
    """Rows normalized for the published comparison.

    Raises:
        ArithmeticError: a number is infinite, or has more than 26 digits before its point.
        TypeError: an array holds what JSON cannot: numeric values, dates or times.

    >>> softened_rows([(datetime(2100, 1, 31, 12, 30), Decimal("2.675"), 2.675, {"b": 1.5})])
    [('2100-01-31', Decimal('2.68'), 2.67, '{"b": 1.5}')]
    """
    return [tuple(map(_normalized_cell, row)) for row in rows]


def _normalized_cell(cell: Any) -> Hashable:
    match cell:
        case date():
            return cell.isoformat()[:10]
        case Decimal():
            return cell.quantize(_CENT, context=_PLAIN)
        case float():
            return round(cell, DECIMALS)
        case dict() | list() | tuple():
            return json.dumps(_rounded_within(cell), sort_keys=True)
    return _hashable(cell)


def _rounded_within(value: Any) -> Any:
    """A JSON value or array with its floats rounded at any depth."""
    match value:
        case float():
            return round(value, DECIMALS)
        case dict():
            return {str(key): _rounded_within(each) for key, each in value.items()}
        case list() | tuple():
            return [_rounded_within(each) for each in value]
    return value


def _exact(cell: Any, decimals: int | None) -> Hashable:
    match cell:
        case datetime():
            return _moment(cell)
        case date():
            return datetime.combine(cell, time())
        case Decimal() | float():
            return _significant(cell) if decimals is None else _rounded(cell, decimals)
        case dict():
            return tuple((key, _exact(cell[key], decimals)) for key in sorted(cell))
        case list() | tuple():
            return tuple(_exact(each, decimals) for each in cell)
    return _hashable(cell)


def _rounded(number: Decimal | float, decimals: int) -> Hashable:
    """Round half up by the printed digits: 2.675 is 2.68 at two decimals."""
    exact = Decimal(str(number))
    if not exact.is_finite():
        return str(exact)
    return exact.quantize(Decimal(1).scaleb(-decimals), context=_WIDE)


def _significant(number: Decimal | float) -> Hashable:
    exact = Decimal(str(number))
    return exact.normalize(_SIGNIFICANT) if exact.is_finite() else str(exact)


def _moment(moment: datetime) -> datetime:
    """A time in UTC, without its zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _hashable(cell: Any) -> Hashable:
    return bytes(cell) if isinstance(cell, bytearray | memoryview) else cell
