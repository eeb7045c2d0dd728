"""Comparing the result tables of two SQL queries: as EHR-ChatQA published it, and whole."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Rows: TypeAlias = Sequence[Sequence[Any]]
Column: TypeAlias = tuple[str, ...]

COMPARED_ROWS = 100
DECIMALS = 4


def cell_text(value: Any, decimals: int = DECIMALS) -> str:
    """A cell as it is compared: a number at four decimals where it can be one, else its text.

    >>> cell_text(3), cell_text("3.00004"), cell_text("aspirin"), cell_text(None)
    ('3.0', '3.0', 'aspirin', 'None')
    """
    try:
        return str(round(float(value), decimals))
    except (TypeError, ValueError, OverflowError):
        return str(value)


def column_matches(gold: Rows, result: Rows) -> bool:
    """The published IncreQA comparison (paper, A.6.1): any one column holds the gold's first.

    Rows are sorted and the first 100 kept; then any column of the result, as a set without
    NULL, must equal the set of the gold's first column. It looks at no second gold column, at no
    duplicates and at no order. A gold column that holds NULL is never matched, because NULL is
    dropped from the result's side only.

    Args:
        gold: the gold rows.
        result: the rows of one query that the agent ran; empty never matches.

    >>> column_matches([["aspirin"], ["heparin"]], [[7, "heparin"], [9, "aspirin"]])
    True
    """
    wanted = {row[0] for row in _first_rows(gold)}
    columns = zip(*_first_rows(result), strict=True)
    return any(set(column) - {"None"} == wanted for column in columns)


def same_table(gold: Rows, result: Rows) -> bool:
    """The strict comparison: the whole table, rows and columns in any order, duplicates counted.

    Row order is free even where the gold query sorts, since a gold answer does not say whether
    its order was asked for. An empty result matches nothing: any broken query gives one.

    >>> same_table([["aspirin", 2], ["heparin", 1]], [[1, "heparin"], [2, "aspirin"]])
    True
    >>> same_table([["aspirin"]], [["aspirin"], ["aspirin"]])
    False
    """
    if not gold or len(gold) != len(result) or len(gold[0]) != len(result[0]):
        return False
    ours, theirs = _columns(gold), _columns(result)
    if Counter(map(_content, ours)) != Counter(map(_content, theirs)):
        return False
    return _can_arrange(ours, theirs, [], [])


def _first_rows(rows: Rows) -> list[list[str]]:
    return sorted([cell_text(cell) for cell in row] for row in rows)[:COMPARED_ROWS]


def _columns(rows: Rows) -> list[Column]:
    return list(zip(*([cell_text(cell) for cell in row] for row in rows), strict=True))


def _content(column: Column) -> Column:
    """What a column holds, apart from the order of rows."""
    return tuple(sorted(column))


def _can_arrange(
    gold: list[Column], free: list[Column], placed: list[Column], taken: list[Column]
) -> bool:
    """Whether the free columns can be put in the gold's order so that the rows are the same.

    Columns are placed one by one; an arrangement is given up as soon as its rows so far differ.
    """
    if Counter(zip(*placed, strict=True)) != Counter(zip(*taken, strict=True)):
        return False
    if len(placed) == len(gold):
        return True
    target = gold[len(placed)]
    return any(
        _can_arrange(gold, rest, [*placed, target], [*taken, column])
        for column, rest in _candidates(free, target)
    )


def _candidates(free: list[Column], target: Column) -> Iterator[tuple[Column, list[Column]]]:
    """The distinct free columns with the target's content, each with what is then left."""
    wanted, seen = _content(target), set[Column]()
    for place, column in enumerate(free):
        if column not in seen and _content(column) == wanted:
            seen.add(column)
            yield column, free[:place] + free[place + 1 :]
