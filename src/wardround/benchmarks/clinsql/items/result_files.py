"""Result tables as CSV files in the published form."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from wardround.core.errors import UserError
from wardround.ehr.database import Cell


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table as text; a cell that is empty is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    @property
    def is_placeholder(self) -> bool:
        """True for the table that stands for a query that failed or gave no row."""
        return self == PLACEHOLDER


# The published result of a query that failed or gave no row.
PLACEHOLDER = CsvTable(("result",), ((None,),))


def read_csv(text: str, where: str) -> CsvTable:
    r"""Read a table with a header.

    Raises:
        UserError: there is no header, or a row has another length.

    >>> read_csv("sex,n\nF,\n", "result.csv")
    CsvTable(columns=('sex', 'n'), rows=(('F', None),))
    """
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error as error:
        raise UserError(f"{where} is not valid CSV ({error}); fix the file.") from None
    if not lines:
        raise UserError(f"{where} is empty; it needs a header of column names.")
    header, *rows = lines
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise UserError(
                f"{where}, row {number} has {len(row)} cells and the header {len(header)}; fix it."
            )
    return CsvTable(tuple(header), tuple(tuple(cell or None for cell in row) for row in rows))


def write_csv(table: CsvTable) -> str:
    r"""The inverse of `read_csv`.

    >>> write_csv(PLACEHOLDER)
    'result\n""\n'
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    # A row of one empty cell is written in quotes, as an empty line is not a row.
    writer.writerows(["" if cell is None else cell for cell in row] for row in table.rows)
    return file.getvalue()


def csv_table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> CsvTable:
    """A query's result as text; one without rows is the placeholder.

    >>> csv_table(["share"], [(0.5,), (None,)])
    CsvTable(columns=('share',), rows=(('0.5',), (None,)))
    """
    if not rows:
        return PLACEHOLDER
    return CsvTable(tuple(columns), tuple(tuple(map(_text, row)) for row in rows))


def _text(cell: Cell) -> str | None:
    return None if cell is None or cell == "" else str(cell)
