"""Comparison of two SQL result tables: as published (Lee et al. 2025, A.6.1), and strict."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

Rows: TypeAlias = Sequence[Sequence[Any]]
Column: TypeAlias = tuple[str, ...]

COMPARED_ROWS = 100
DECIMALS = 4
NUMERAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")


def cell_text(value: Any, decimals: int = DECIMALS) -> str:
    """A cell as compared text: rounded to four decimals if numeric, else as it is.

    >>> cell_text(3), cell_text("3.00004"), cell_text("aspirin"), cell_text(None)
    ('3.0', '3.0', 'aspirin', 'None')
    """
    try:
        return str(round(float(value), decimals))
    except (TypeError, ValueError, OverflowError):
        return str(value)


def typed_text(value: Any) -> str:
    """A cell as compared strictly: numbers and plain numerals to four decimals, text quoted.

    Whole numbers are compared in full. Text with leading zeros is an identifier, not a number.

    >>> typed_text(3), typed_text("3.00"), typed_text("030"), typed_text(None), typed_text("None")
    ('3', '3', "'030'", 'None', "'None'")
    """
    if isinstance(value, str):
        if not NUMERAL.fullmatch(value):
            return repr(value)
        value = float(value) if "." in value else int(value)
    if isinstance(value, int):
        return str(int(value))
    return _number_text(value) if isinstance(value, float | Decimal) else str(value)


def published_rows(rows: Rows) -> list[list[str]]:
    """Rows of compared text, sorted, the first 100 of them (Lee et al. 2025, A.6).

    >>> published_rows([[True, "b"], ["030", None]])
    [['1.0', 'b'], ['30.0', 'None']]
    """
    return sorted([cell_text(cell) for cell in row] for row in rows)[:COMPARED_ROWS]


def column_matches(gold: Rows, result: Rows) -> bool:
    """True if any result column equals the gold's first (Lee et al. 2025, A.6.1, IncreQA).

    The first 100 sorted rows are compared. A column of the result, as a set without NULL, must
    equal the set of the gold's first column; other gold columns, duplicates and order are
    ignored. A gold column with NULL never matches, since NULL is removed on the result's side
    only; a result column of NULLs alone equals an empty gold.

    Args:
        gold: The gold rows.
        result: The rows of one query of the agent; no rows never match.

    >>> column_matches([["aspirin"], ["heparin"]], [[7, "heparin"], [9, "aspirin"]])
    True
    """
    expected = {row[0] for row in published_rows(gold)}
    columns = zip(*published_rows(result), strict=True)
    return any(set(column) - {"None"} == expected for column in columns)


def same_table(gold: Rows, result: Rows) -> bool:
    """True if both tables are equal in any order of rows and columns, counting duplicates.

    Row order is ignored even if the gold query sorts, because a gold answer does not record
    whether its order matters. Cells are compared by type. An empty result equals an empty gold.

    >>> same_table([["aspirin", 2], ["heparin", 1]], [[1, "heparin"], [2, "aspirin"]])
    True
    >>> same_table([["aspirin"]], [["aspirin"], ["aspirin"]])
    False
    """
    if len(gold) != len(result):
        return False
    if not gold:
        return True
    if len(gold[0]) != len(result[0]):
        return False
    gold_columns, result_columns = _columns(gold), _columns(result)
    if Counter(map(_content, gold_columns)) != Counter(map(_content, result_columns)):
        return False
    return _can_arrange(gold_columns, result_columns, [], [])


def _number_text(value: float | Decimal) -> str:
    number = round(float(value), DECIMALS)
    return str(int(number)) if number.is_integer() else str(number)


def _columns(rows: Rows) -> list[Column]:
    return list(zip(*([typed_text(cell) for cell in row] for row in rows), strict=True))


def _content(column: Column) -> Column:
    """The cells of a column, sorted."""
    return tuple(sorted(column))


def _can_arrange(
    gold: list[Column], free: list[Column], placed: list[Column], matched: list[Column]
) -> bool:
    """True if the free columns can be ordered so that the rows equal the gold's.

    Places columns one by one and backtracks as soon as the partial rows differ.
    """
    if Counter(zip(*placed, strict=True)) != Counter(zip(*matched, strict=True)):
        return False
    if len(placed) == len(gold):
        return True
    target = gold[len(placed)]
    return any(
        _can_arrange(gold, remaining, [*placed, target], [*matched, column])
        for column, remaining in _candidates(free, target)
    )


def _candidates(free: list[Column], target: Column) -> Iterator[tuple[Column, list[Column]]]:
    """The distinct free columns with the target's content, each with the remaining ones."""
    content, matched = _content(target), set[Column]()
    for index, column in enumerate(free):
        if column not in matched and _content(column) == content:
            matched.add(column)
            yield column, free[:index] + free[index + 1 :]
