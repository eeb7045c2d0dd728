"""A buffer for the rows of one result, of bounded number and size."""

from wardround.ehr.database.interface import Cell, Limits, QueryError, ResultTable


class RowBuffer:
    """Rows of one result.

    Args:
        rows: The most rows it takes; None takes all.
        limits: How large a row, and all of them, may be.
    """

    def __init__(self, rows: int | None, limits: Limits):
        self._rows: list[tuple[Cell, ...]] = []
        self._truncated = False
        self._most = rows
        self._limits = limits
        self._bytes = 0

    def add(self, row: tuple[Cell, ...]) -> bool:
        """Add a row; False if there are enough.

        Raises:
            QueryError: If the row or all of them are too large.
        """
        if self._most is not None and len(self._rows) >= self._most:
            self._truncated = True
            return False
        size = sum([len(cell) if isinstance(cell, str | bytes) else 8 for cell in row])
        # Even an empty cell takes room.
        self._bytes += size + 8 * len(row)
        if size > self._limits.cell_bytes:
            raise _too_large("A row", self._limits.cell_bytes)
        if self._bytes > self._limits.result_bytes:
            raise _too_large("The result", self._limits.result_bytes)
        self._rows.append(row)
        return True

    def table(self, columns: tuple[str, ...]) -> ResultTable:
        """The result."""
        return ResultTable(columns, self._rows, self._truncated)


def _too_large(what: str, most: int) -> QueryError:
    message = f"{what} is larger than {most:,} bytes; ask for fewer or shorter rows or columns."
    return QueryError(message, "limit")
