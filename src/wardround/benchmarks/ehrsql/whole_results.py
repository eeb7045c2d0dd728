"""Compares whole results of two SQL queries: as EHRSQL published it twice, and strictly."""

from wardround.scoring.results import COMPARED_ROWS, Rows, cell_text, same_table

DECIMALS = 3


def same_first_rows(gold: Rows, result: Rows) -> bool:
    """The comparison of EHRSQL 1.5: the first 100 rows as the query gives them, then sorted.

    Nothing is rounded and no text is read as a number. Columns must be in the gold's order, and
    of a longer result it depends on the order of rows which are seen.

    >>> same_first_rows([(2, "b"), (1, "a")], [(1, "a"), (2, "b")])
    True
    >>> same_first_rows([(1,)], [(1.0,)])
    False
    """
    return _first_texts(gold) == _first_texts(result)


def same_sorted_rows(gold: Rows, result: Rows) -> bool:
    """The comparison of EHRSQL 2024: all rows sorted as texts, then the first 100.

    Numbers, and texts that read as numbers, are taken at three decimals. Columns must be in the
    gold's order; duplicates count.

    >>> same_sorted_rows([(0.12345,), ("a",)], [("a",), ("0.1231",)])
    True
    >>> same_sorted_rows([("a",)], [("a",), ("a",)])
    False
    """
    return _sorted_texts(gold) == _sorted_texts(result)


def same_whole(gold: Rows, result: Rows) -> bool:
    """The strict comparison: all rows with their duplicates, columns in any order, four decimals.

    The order of rows is free: no question of the published files asks for one. Where the gold
    finds nothing, finding nothing is the answer.

    >>> same_whole([("aspirin", 2)], [(2.00001, "aspirin")]), same_whole([], [])
    (True, True)
    """
    return same_table(gold, result) if gold else not result


def _first_texts(rows: Rows) -> list[str]:
    return sorted(str(tuple(row)) for row in rows[:COMPARED_ROWS])


def _sorted_texts(rows: Rows) -> list[list[str]]:
    return sorted([cell_text(cell, DECIMALS) for cell in row] for row in rows)[:COMPARED_ROWS]
