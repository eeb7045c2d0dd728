"""Converts PostgreSQL's text format of values to cells."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from wardround.ehr.database.cells import cell
from wardround.ehr.database.interface import Cell

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult


# Python's default limit of digits when parsing an int.
_MOST_DIGITS = 4300
_FRACTION = re.compile(r"\.\d+")

# Session settings that the text format of values depends on.
SETTINGS = {
    "client_encoding": "UTF8",
    "DateStyle": "ISO",
    "TimeZone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}


def reader(result: "PGresult") -> Callable[[int], tuple[Cell, ...]]:
    """Return a function from the row index in a result to its cells."""
    readers = [_READERS.get(result.ftype(column), _text) for column in range(result.nfields)]
    columns = range(result.nfields)
    value = result.get_value

    def read(row: int) -> tuple[Cell, ...]:
        raw = [value(row, column) for column in columns]
        return tuple(
            None if data is None else convert(data)
            for convert, data in zip(readers, raw, strict=True)
        )

    return read


def size(row: Sequence[Cell]) -> int:
    """The approximate size of a row's cells in bytes."""
    return sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)


def longest(row: Sequence[Cell]) -> int:
    """The length of the longest text or blob of a row."""
    return max((len(cell) for cell in row if isinstance(cell, str | bytes)), default=0)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _truth(raw: bytes) -> int:
    return int(raw == b"t")


def _decimal(raw: bytes) -> int | float | str:
    """An int if there is no decimal point, else a float; too many digits stay text.

    >>> _decimal(b"12"), _decimal(b"12.50")
    (12, 12.5)
    """
    if not raw.lstrip(b"-").isdigit():
        return float(raw)
    return int(raw) if len(raw) <= _MOST_DIGITS else _text(raw)


def _time(raw: bytes) -> str:
    """A time, with any fraction padded to six digits.

    >>> _time(b"2100-12-31 23:59:00"), _time(b"2100-12-31 23:59:00.5")
    ('2100-12-31 23:59:00', '2100-12-31 23:59:00.500000')
    """
    return _FRACTION.sub(lambda match: match[0].ljust(7, "0"), raw.decode().removesuffix("+00"))


def _blob(raw: bytes) -> bytes:
    return bytes.fromhex(raw[2:].decode())


def _list(element: Callable[[bytes], Cell], raw: bytes) -> Cell:
    """An array as JSON text, as for every engine.

    >>> _list(int, b"{1,NULL,3}")
    '[1, null, 3]'
    """
    return cell(read_array(raw, element))


# By OID; those of built-in types are the same in every version.
_PLAIN: dict[int, Callable[[bytes], Cell]] = {
    16: _truth,
    17: _blob,
    20: int,
    21: int,
    23: int,
    26: int,
    700: float,
    701: float,
    1114: _time,
    1184: _time,
    1700: _decimal,
}
# Element type OID by array type OID.
_LISTS = {
    1000: 16,
    1001: 17,
    1002: 18,
    1003: 19,
    1005: 21,
    1007: 23,
    1009: 25,
    1014: 1042,
    1015: 1043,
    1016: 20,
    1021: 700,
    1022: 701,
    1028: 26,
    1115: 1114,
    1182: 1082,
    1183: 1083,
    1185: 1184,
    1187: 1186,
    1231: 1700,
    2951: 2950,
}
_READERS = _PLAIN | {
    number: partial(_list, _PLAIN.get(element, _text)) for number, element in _LISTS.items()
}


List: TypeAlias = "list[Cell | List]"

_BOUNDS = re.compile(r"(?:\[-?\d+:-?\d+\])+=")
_PART = re.compile(r'[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+', re.S)
_ESCAPED = re.compile(r"\\(.)", re.S)


def read_array(raw: bytes, element: Callable[[bytes], Cell]) -> List:
    """Parse an array literal to a nested list, ignoring its index bounds.

    >>> read_array(b'{{1,NULL},{3,4}}', int)
    [[1, None], [3, 4]]
    """
    text = raw.decode(errors="replace")
    bounds = _BOUNDS.match(text)
    parts = (match[0] for match in _PART.finditer(text, bounds.end() if bounds else 0))
    next(parts)
    return _rest(parts, element)


def _rest(parts: Iterator[str], element: Callable[[bytes], Cell]) -> List:
    """Parse the rest of a list whose opening brace has been consumed."""
    items: List = []
    for part in parts:
        if part == "}":
            break
        if part == "{":
            items.append(_rest(parts, element))
        elif part != ",":
            items.append(_element(part, element))
    return items


def _element(part: str, element: Callable[[bytes], Cell]) -> Cell:
    if part.startswith('"'):
        return element(_ESCAPED.sub(r"\1", part[1:-1]).encode())
    return None if part == "NULL" else element(part.encode())
