"""Cells of results: conversion from any driver, and a row buffer with limits."""

import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from wardround.ehr.database.interface import Cell, Limits, QueryError, ResultTable

# Values of exactly these types are cells already; testing for them first is the fast path.
PLAIN = frozenset({type(None), str, int, float, bytes})


def cell(value: Any) -> Cell:
    """Convert a driver's value to a cell, as `Database.execute` describes them.

    >>> cell(datetime(2100, 12, 31, 23, 59)), cell(True), cell(Decimal("1.50"))
    ('2100-12-31 23:59:00', 1, 1.5)
    >>> cell(timedelta(days=2, hours=3)), cell([1, None])
    ('2 days 03:00:00', '[1, null]')
    >>> cell({date(2100, 12, 31): [b"x"]})
    '{"2100-12-31": ["78"]}'
    """
    match value:
        case None | str() | float() | bytes():
            return value
        case int():
            return int(value)
        case datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case Decimal():
            return _number(value)
        case timedelta():
            return _duration(value)
        case bytearray() | memoryview():
            return bytes(value)
        case list() | tuple() | dict():
            return json.dumps(_nested(value), ensure_ascii=False)
        case _:
            return str(value)


def _nested(value: Any) -> Any:
    match value:
        case dict():
            return {str(cell(key)): _nested(within) for key, within in value.items()}
        case list() | tuple():
            return [_nested(within) for within in value]
    plain = cell(value)
    return plain.hex() if isinstance(plain, bytes) else plain


def _number(value: Decimal) -> int | float:
    return int(value) if value.as_tuple().exponent == 0 else float(value)


def _duration(span: timedelta) -> str:
    """Days and time of day, as PostgreSQL and DuckDB print an interval."""
    if span < timedelta():
        return f"-{_duration(-span)}"
    days = f"{span.days} day{'s' * (span.days != 1)}" if span.days else ""
    rest = span - timedelta(days=span.days)
    clock = (datetime.min + rest).time().isoformat() if rest or not days else ""
    return f"{days} {clock}".strip()


class RowBuffer:
    """Rows of one result.

    Args:
        rows: The most rows to keep; None keeps all.
        limits: Limits of a row and of the whole result, in bytes.
    """

    def __init__(self, rows: int | None, limits: Limits):
        self._rows: list[tuple[Cell, ...]] = []
        self._truncated = False
        self._most = rows
        self._limits = limits
        self._bytes = 0

    def add(self, row: tuple[Cell, ...]) -> bool:
        """Add a row; returns False, without adding it, if the buffer is full.

        Raises:
            QueryError: If the row or the whole result is too large.
        """
        if self._most is not None and len(self._rows) >= self._most:
            self._truncated = True
            return False
        size = sum([len(cell) if isinstance(cell, str | bytes) else 8 for cell in row])
        # 8 bytes a cell for the reference, which empty cells need too.
        self._bytes += size + 8 * len(row)
        if size > self._limits.cell_bytes:
            raise _too_large("A row", self._limits.cell_bytes)
        if self._bytes > self._limits.result_bytes:
            raise _too_large("The result", self._limits.result_bytes)
        self._rows.append(row)
        return True

    def table(self, columns: tuple[str, ...]) -> ResultTable:
        """The result table; truncated if rows were refused."""
        return ResultTable(columns, self._rows, self._truncated)


def _too_large(what: str, most: int) -> QueryError:
    message = f"{what} is larger than {most:,} bytes; ask for fewer or shorter rows or columns."
    return QueryError(message, "limit")
