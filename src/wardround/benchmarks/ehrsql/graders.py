"""The published graders of EHRSQL 1.5 and EHRSQL 2024, and a strict one."""

from collections.abc import Callable
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.preprocessing import preprocessed_2024, runnable
from wardround.scoring.results import COMPARED_ROWS, Rows, cell_text, same_table

DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Grader:
    """A grader: preprocesses queries and compares results.

    Attributes:
        name: the grading's name.
        preprocess: returns the SQL to run for a gold or predicted query and a current time.
        same: True if the answer's rows match the gold's.
    """

    name: str
    preprocess: Callable[[str, str], str]
    same: Callable[[Rows, Rows], bool]


def same_first_rows(gold: Rows, result: Rows) -> bool:
    """Compares as EHRSQL 1.5: the first 100 rows in the query's order, then sorted.

    Numbers are not rounded, and texts are not read as numbers. Columns must be in the gold's
    order. Of a longer result, the order decides which rows are compared.

    >>> same_first_rows([(2, "b"), (1, "a")], [(1, "a"), (2, "b")])
    True
    >>> same_first_rows([(1,)], [(1.0,)])
    False
    """
    return _first_texts(gold) == _first_texts(result)


def same_sorted_rows(gold: Rows, result: Rows) -> bool:
    """Compares as EHRSQL 2024: all rows sorted as texts, then the first 100.

    Numbers, and texts that read as numbers, are rounded to three decimals. Columns must be in the
    gold's order; duplicates count.

    >>> same_sorted_rows([(0.12345,), ("a",)], [("a",), ("0.1231",)])
    True
    >>> same_sorted_rows([("a",)], [("a",), ("a",)])
    False
    """
    return sorted_texts(gold) == sorted_texts(result)


def same_whole(gold: Rows, result: Rows) -> bool:
    """Compares strictly: all rows with duplicates, columns in any order, four decimals.

    Rows may be in any order, since no published question asks for one. An empty gold matches an
    empty result only.

    >>> same_whole([("aspirin", 2)], [(2.00001, "aspirin")]), same_whole([], [])
    (True, True)
    """
    return same_table(gold, result) if gold else not result


def _first_texts(rows: Rows) -> list[str]:
    return sorted(str(tuple(row)) for row in rows[:COMPARED_ROWS])


def sorted_texts(rows: Rows) -> list[list[str]]:
    """Returns rows as EHRSQL 2024 compares them: texts, sorted, at most 100."""
    return sorted([cell_text(cell, DECIMALS) for cell in row] for row in rows)[:COMPARED_ROWS]


def _lower(sql: str, now: str) -> str:
    return runnable(sql.lower(), now)


GRADERS = {
    grader.name: grader
    for grader in (
        Grader("ehrsql-1.5", _lower, same_first_rows),
        Grader("ehrsql-2024", preprocessed_2024, same_sorted_rows),
        Grader("strict", runnable, same_whole),
    )
}
