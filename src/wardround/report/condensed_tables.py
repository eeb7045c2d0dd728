"""Condenses tables: joins equal rows and turns constant columns into a note."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wardround.report.tables import MISSING, ShownTable

_NOTHING = {MISSING, "0", "0.0", ""}
_SHARED = "A row with several names holds for each of them."


def condensed(tables: Mapping[str, ShownTable]) -> tuple[dict[str, ShownTable], list[str]]:
    """The informative tables, shortened, and the titles of the others.

    The first table is always kept. A later one is omitted if all its figures are zero, or if all
    its rows have the same figures.
    """
    result: dict[str, ShownTable] = {}
    left_out = []
    for name, table in tables.items():
        short = shortened(table)
        if result and any(table.numeric) and (_is_empty(table) or _is_constant(table, short)):
            left_out.append(table.title)
        else:
            result[name] = short
    return result, left_out


def shortened(table: ShownTable) -> ShownTable:
    """The table with equal rows joined and constant columns removed.

    >>> rows = (("easy", "paper", "90.0"), ("easy", "strict", "90.0"), ("hard", "paper", "50.0"))
    >>> short = shortened(ShownTable("T", ("Level", "Grading", "SR"), rows, (False, False, True)))
    >>> short.rows
    (('easy', 'paper, strict', '90.0'), ('hard', 'paper', '50.0'))
    """
    if not any(table.numeric) or len(table.columns) == 1:
        return table
    for column, numeric in enumerate(table.numeric):
        if not numeric or all(row[column].isdigit() for row in table.rows):
            joined = _joined(table.rows, column, numeric=numeric)
            note = _with_sentence(table.note, _SHARED if len(joined) < len(table.rows) else "")
            table = replace(table, rows=joined, note=note)
    return _without_constants(table)


def _joined(
    rows: Sequence[tuple[str, ...]], column: int, *, numeric: bool
) -> tuple[tuple[str, ...], ...]:
    """The rows, with rows that differ only in the given column joined."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        groups.setdefault((*row[:column], *row[column + 1 :]), []).append(row[column])
    joined: list[tuple[str, ...]] = []
    for other_cells, values in groups.items():
        names = _range(values) if numeric else [_listed(list(dict.fromkeys(values)))]
        joined += [(*other_cells[:column], name, *other_cells[column:]) for name in names]
    return tuple(joined)


def _listed(names: Sequence[str]) -> str:
    """The names with commas between, or with semicolons if a name contains a comma."""
    return ("; " if any(", " in name for name in names) else ", ").join(names)


def _range(numbers: Sequence[str]) -> list[str]:
    """Consecutive numbers as one range: 1, 2, 3 as 1-3; other numbers unchanged."""
    first, last = int(numbers[0]), int(numbers[-1])
    if len(numbers) > 1 and [int(number) for number in numbers] == list(range(first, last + 1)):
        return [f"{first}-{last}"]
    return list(numbers)


def _without_constants(table: ShownTable) -> ShownTable:
    """The table without constant columns, which are named in the note."""
    several = len(table.rows) > 1
    constants = {
        column: table.rows[0][column]
        for column in range(len(table.columns))
        if table.rows and len({row[column] for row in table.rows}) == 1
    }
    dropped = {column for column, value in constants.items() if several or value == MISSING}
    kept_columns = [column for column in range(len(table.columns)) if column not in dropped]
    if not kept_columns:
        return table
    stated = [
        f"{table.columns[column]} {constants[column]}"
        for column in sorted(dropped)
        if constants[column] != MISSING
    ]
    note = f"In all rows: {'; '.join(stated)}." if stated else ""
    return ShownTable(
        table.title,
        tuple(table.columns[column] for column in kept_columns),
        tuple(tuple(row[column] for column in kept_columns) for row in table.rows),
        tuple(table.numeric[column] for column in kept_columns),
        _with_sentence(table.note, note),
    )


def _with_sentence(note: str, sentence: str) -> str:
    return note if sentence in note else f"{note} {sentence}".strip()


def _is_empty(table: ShownTable) -> bool:
    """True if all figures of the table are zero or missing."""
    return all(
        cell in _NOTHING
        for row in table.rows
        for cell, numeric in zip(row, table.numeric, strict=True)
        if numeric
    )


def _is_constant(table: ShownTable, short: ShownTable) -> bool:
    """True if a table of several rows has the same figures in all of them."""
    return len(table.rows) > 1 and len(short.rows) == 1
