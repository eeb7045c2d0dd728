"""Differences between the results of gold and agent, for verdicts and reports."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from wardround.scoring.results import Rows, cell_text

_SHOWN_ROWS = 5
_SHOWN_LETTERS = 80


def difference(gold: Rows, result: Rows | None) -> str:
    """Summarizes both results and shows the first row missing from each.

    Args:
        gold: the gold's rows.
        result: the agent's rows; None if its query failed.

    >>> print(difference([["aspirin", 2], ["heparin", 1]], [["aspirin", 2]]))
    want 2 rows: (aspirin, 2), (heparin, 1)
    got 1 row: (aspirin, 2)
    missing: (heparin, 1)
    """
    if result is None:
        return f"want {_short(gold)}\ngot no result"
    lines = [f"want {_short(gold)}", f"got {_short(result)}"]
    lines += [f"missing: {row}" for row in _first_only_in(gold, result)]
    lines += [f"unexpected: {row}" for row in _first_only_in(result, gold)]
    return "\n".join(lines)


def nearest(gold: str, attempts: Sequence[str]) -> str:
    """Returns the attempt with the words most similar to the gold's, the latest of ties, or "".

    >>> nearest("SELECT a FROM t", ["SELECT 1", "SELECT b FROM t", "DROP TABLE u"])
    'SELECT b FROM t'
    """
    words = gold.lower().split()
    return max(
        reversed(attempts),
        key=lambda attempt: SequenceMatcher(None, words, attempt.lower().split()).ratio(),
        default="",
    )


def _short(rows: Rows) -> str:
    count = f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"
    shown = ", ".join(map(_row, rows[:_SHOWN_ROWS]))
    more = ", …" if len(rows) > _SHOWN_ROWS else ""
    return f"{count}: {shown}{more}" if rows else count


def _row(row: Sequence[object]) -> str:
    return f"({', '.join(_cell(cell) for cell in row)})"


def _cell(cell: object) -> str:
    text = str(cell)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"


def _first_only_in(rows: Rows, reference: Rows) -> list[str]:
    """The first row missing from the reference, counting duplicates, compared as graders do."""
    unmatched = Counter(tuple(map(cell_text, row)) for row in reference)
    for row in rows:
        key = tuple(map(cell_text, row))
        if not unmatched[key]:
            return [_row(row)]
        unmatched[key] -= 1
    return []
