"""Facts about the columns of a result, each column read once: numbers, empty cells, types."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CellType: TypeAlias = Literal["number", "integer", "text", "date", "empty"]
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """Type, empty cells and range of a column.

    Attributes:
        type: integer, number or date if all filled cells are one, otherwise text; empty if no cell
            is filled.
        empty: number of empty cells.
        low: the least number; None unless all filled cells are finite numbers.
        high: the greatest.
    """

    type: CellType
    empty: int
    low: float | None = None
    high: float | None = None

    @property
    def is_numeric(self) -> bool:
        """True if all filled cells are finite numbers, and one is filled."""
        return self.type in ("number", "integer")


@dataclass(slots=True)
class ResultFacts:
    """A result and what is known of its columns."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    _known: dict[int, ColumnFacts] = field(default_factory=dict)

    def column(self, at: int) -> ColumnFacts:
        """The facts of a column."""
        if at not in self._known:
            self._known[at] = column_facts([row[at] for row in self.rows])
        return self._known[at]

    @property
    def is_empty(self) -> bool:
        """True if no cell is filled."""
        return all(is_empty(cell) for row in self.rows for cell in row)

    def numbers(self, at: int) -> "NDArray[np.float64]":
        """The numbers of a numeric column; NaN where a cell is empty."""
        import numpy as np

        cells = [row[at] for row in self.rows]
        return np.array([math.nan if is_empty(c) else float(c) for c in cells], dtype=float)


def column_facts(cells: Sequence[Any]) -> ColumnFacts:
    """The facts of a column, from its cells.

    >>> column_facts(["1", "2.5", None])
    ColumnFacts(type='number', empty=1, low=1.0, high=2.5)
    """
    filled = [cell for cell in cells if not is_empty(cell)]
    empty = len(cells) - len(filled)
    if not filled:
        return ColumnFacts("empty", empty)
    numbers = _finite(filled)
    if numbers is None:
        return ColumnFacts("date" if all(map(_is_date, filled)) else "text", empty)
    whole = all(number == int(number) for number in numbers)
    return ColumnFacts("integer" if whole else "number", empty, min(numbers), max(numbers))


def is_empty(cell: object) -> bool:
    """True for NULL and for text without a visible character.

    >>> is_empty(" "), is_empty(0)
    (True, False)
    """
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _finite(cells: Sequence[Any]) -> list[float] | None:
    """The cells as finite numbers; None at the first that is none."""
    numbers = []
    for cell in cells:
        number = as_number(cell)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def as_number(cell: object) -> float | None:
    """A cell's finite number, also where it is text; None if it has none.

    >>> as_number("2.50"), as_number("1e3"), as_number("3 days")
    (2.5, 1000.0, None)
    """
    if isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float)):
        return float(cell) if math.isfinite(cell) else None
    if isinstance(cell, str) and _NUMBER.fullmatch(cell.strip()):
        number = float(cell)
        return number if math.isfinite(number) else None
    return None


def _is_date(cell: object) -> bool:
    return isinstance(cell, date) or _DATE.fullmatch(str(cell).strip()) is not None
