"""Conversion of rows to columns for fast loading."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wardround.ehr.hospital.layouts.layout import Row, Value
from wardround.ehr.schema import Column, Table

Array = NDArray[Any]
Columns = dict[str, Array]

_NUMBERS = {"INTEGER": np.int64, "REAL": np.float64}
_READ_AS = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR"}
_EPOCHS = {"DATE": date(1970, 1, 1), "TIMESTAMP": datetime(1970, 1, 1)}
# NumPy's missing time.
_NOT_A_TIME = np.iinfo(np.int64).min
_WRITTEN = {"DATE": "%Y-%m-%d", "TIMESTAMP": "%Y-%m-%d %H:%M:%S"}


def columns_of(table: Table, rows: Sequence[Row]) -> Columns:
    """The rows of a table as one array for each column, with NULLs masked or not-a-time."""
    values = zip(*rows, strict=True)
    return {
        column.name: _array(column, cells)
        for column, cells in zip(table.columns, values, strict=True)
    }


def offset_numbers(
    columns: Columns, numbered: Mapping[str, str], used: Mapping[str, int]
) -> Columns:
    """The columns with numbers offset by those of earlier batches.

    Args:
        columns: A table's columns, numbered from 0.
        numbered: The sequence of each numbered column; see `Form.numbered`.
        used: The count of numbers used by earlier batches, by sequence.
    """
    offset_numbers = {
        name: columns[name] + _offset(columns, key, used) for name, key in numbered.items()
    }
    return columns | offset_numbers


def select_cells(table: Table, dialect: str) -> str:
    """SQL that selects a table's columns, cast to the types of a dialect's tables.

    SQLite keeps times as text.
    """
    return ", ".join(_cell(column, dialect) for column in table.columns)


def _array(column: Column, cells: tuple[Value, ...]) -> Array:
    if column.type in _NUMBERS:
        return _numbers(cells, _NUMBERS[column.type])
    if column.type in _EPOCHS:
        return _times(cells, _EPOCHS[column.type])
    return np.array(cells, dtype=object)


def _times(cells: tuple[Any, ...], epoch: date) -> Array:
    """Convert times by counting seconds, six times as fast as NumPy's conversion."""
    seconds = [
        _NOT_A_TIME if cell is None else (since := cell - epoch).days * 86_400 + since.seconds
        for cell in cells
    ]
    return np.array(seconds, dtype=np.int64).view("datetime64[s]")


def _numbers(cells: tuple[Value, ...], kind: type) -> Array:
    if None not in cells:
        return np.array(cells, dtype=kind)
    empty = [cell is None for cell in cells]
    filled = [0 if cell is None else cell for cell in cells]
    return np.ma.array(np.array(filled, dtype=kind), mask=empty)


def _offset(columns: Columns, sequence: str, used: Mapping[str, int]) -> Array | int:
    if not sequence.startswith("="):
        return used.get(sequence, 0)
    return np.array([used.get(name, 0) for name in columns[sequence[1:]]], dtype=np.int64)


def _cell(column: Column, dialect: str) -> str:
    name = f'"{column.name}"'
    if column.type in _WRITTEN and dialect == "sqlite":
        return f"strftime({name}, '{_WRITTEN[column.type]}') AS {name}"
    return f"CAST({name} AS {_READ_AS.get(column.type, column.type)}) AS {name}"
