"""Tables on the terminal, fitted to its width without breaking numbers."""

from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from wardround.report.tables import ShownTable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

# Names may be folded to this width; numbers never are.
_LEAST_NAME = 12


def renderables(table: ShownTable, width: int) -> "Iterator[Table | Text]":
    """The table and its note for a terminal of this width.

    If it does not fit, heads are wrapped, then intervals go below their figures. If it still does
    not fit, the table is transposed and split into parts.
    """
    compact = replace(table, rows=tuple(tuple(map(_compact, row)) for row in table.rows))
    stacked = replace(table, rows=tuple(tuple(map(_stacked, row)) for row in table.rows))
    from rich.text import Text

    for form in (compact, _with_wrapped_heads(compact), _with_wrapped_heads(stacked)):
        if _least_width(form) <= width:
            yield _rich_table(form)
            break
    else:
        yield from map(_rich_table, _turned(compact, stacked, width))
    yield Text(f"{table.note}\n" if table.note else "")


def _compact(cell: str) -> str:
    return cell.replace(", ", ",") if "[" in cell else cell


def _stacked(cell: str) -> str:
    return _compact(cell).replace(" [", "\n[")


def _least_width(table: ShownTable) -> int:
    """The least width at which no number is broken and no name is folded too far."""
    widths = []
    for column, (name, numeric) in enumerate(zip(table.columns, table.numeric, strict=True)):
        longest = _longest(table, column)
        least = longest if numeric else min(longest, _LEAST_NAME)
        head = max(map(len, name.splitlines()), default=0) if numeric else _longest_word(name)
        widths.append(max(head, least))
    return sum(widths) + len(widths) - 1


def _with_wrapped_heads(table: ShownTable) -> ShownTable:
    """The table with the heads of its figures as narrow as their words and figures allow."""
    heads = (
        "\n".join(wrap(name, max(_longest(table, at), _longest_word(name)), break_on_hyphens=False))
        if table.numeric[at] and name
        else name
        for at, name in enumerate(table.columns)
    )
    return replace(table, columns=tuple(heads))


def _turned(compact: ShownTable, stacked: ShownTable, width: int) -> Iterator[ShownTable]:
    """The transposed table, in parts that fit."""
    names = [column for column, numeric in enumerate(compact.numeric) if not numeric]
    figures = [column for column, numeric in enumerate(compact.numeric) if numeric]
    label = max((len(compact.columns[column]) for column in figures), default=0)
    widest = max((_longest(compact, column) for column in figures), default=0)
    table = compact if label + 1 + widest <= width else stacked
    column_width = 1 + max(_LEAST_NAME, *(_longest(table, column) for column in figures), 0)
    size = max(1, (width - label) // column_width)
    for first in range(0, len(table.rows), size):
        part = table.rows[first : first + size]
        heads = (_folded(", ".join(row[column] for column in names)) for row in part)
        yield ShownTable(
            table.title,
            ("", *heads),
            tuple((table.columns[c], *(row[c] for row in part)) for c in figures),
            (False, *[True] * len(part)),
        )


def _folded(name: str) -> str:
    """A name for a narrow column head, with long words broken."""
    return "\n".join(wrap(name, _LEAST_NAME))


def _rich_table(table: ShownTable) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        title=Text(table.title),
        box=box.SIMPLE_HEAD,
        padding=0,
        show_edge=False,
        title_justify="left",
    )
    for name, numeric in zip(table.columns, table.numeric, strict=True):
        if numeric:
            grid.add_column(Text(name), justify="right", no_wrap=True)
        else:
            grid.add_column(Text(name), overflow="fold")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    return grid


def _longest(table: ShownTable, column: int) -> int:
    """The longest line of a column's cells."""
    return max((len(line) for row in table.rows for line in row[column].splitlines()), default=0)


def _longest_word(name: str) -> int:
    """The longest word of a column's name."""
    return max(map(len, name.split()), default=0)
