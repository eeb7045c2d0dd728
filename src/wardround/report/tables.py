"""Tables of figures as text and as JSON, under the same names."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from wardround.core.benchmark import Summary, Table

Cell: TypeAlias = str | int | float | None

MISSING = "-"


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table formatted as text, each figure with its gain and interval in one cell.

    Attributes:
        title: the title.
        columns: the names, without those of gains and interval ends.
        rows: the formatted cells.
        numeric: True for each column of numbers, which is right-aligned.
        note: a remark for the reader.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str = ""


def formatted(table: Table) -> ShownTable:
    """Joins "X", "X gained", "X low" and "X high" into one column: 73.3 (+4.1) [65.1, 80.2].

    >>> formatted(Table("T", ("SR", "SR low", "SR high"), ((73.3, 65.1, 80.2),))).rows
    (('73.3 [65.1, 80.2]',),)
    """
    names = [name for name in table.columns if not _is_end(name, table.columns)]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return ShownTable(
        table.title,
        tuple(names),
        tuple(tuple(_with_interval(row, name) for name in names) for row in rows),
        tuple(not any(isinstance(row[name], str) for row in rows) for name in names),
        table.note,
    )


def cell_text(value: Cell) -> str:
    """A cell as text: the figure of the JSON with thousands separators; a dash for None.

    >>> cell_text(1234), cell_text(73.0), cell_text(0.000012), cell_text(None)
    ('1,234', '73.0', '0.000012', '-')
    """
    match value:
        case None:
            return MISSING
        case float():
            integer, _, fraction = f"{value:,.6f}".partition(".")
            return f"{integer}.{fraction.rstrip('0') or '0'}"
        case int():
            return f"{value:,}"
    return value


def to_json(table: Table) -> dict[str, Any]:
    """The table as JSON values, each row by column name.

    >>> to_json(Table("T", ("Flow", "k"), (("all", 5),)))["rows"]
    [{'Flow': 'all', 'k': 5}]
    """
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "note": table.note}


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """All tables and figures of a summary as JSON values."""
    return {
        "tables": {name: to_json(table) for name, table in summary.tables.items()},
        "figures": {name: asdict(figure) for name, figure in summary.figures.items()},
    }


def _is_end(name: str, columns: Sequence[str]) -> bool:
    figure, _, end = name.rpartition(" ")
    return end in ("gained", "low", "high") and figure in columns


def _with_interval(row: dict[str, Cell], name: str) -> str:
    """A figure with its gain and interval, if any."""
    gained, low, high = (row.get(f"{name} {end}") for end in ("gained", "low", "high"))
    gain = "" if gained is None else f" (+{cell_text(gained)})"
    interval = "" if low is None or high is None else f" [{cell_text(low)}, {cell_text(high)}]"
    return f"{cell_text(row[name])}{gain}{interval}"
