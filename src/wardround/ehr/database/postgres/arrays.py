"""Parses PostgreSQL's text form of arrays."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from wardround.ehr.database.interface import Cell

List: TypeAlias = "list[Cell | List]"

_BOUNDS = re.compile(r"(?:\[-?\d+:-?\d+\])+=")
_PART = re.compile(r'[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+', re.S)
_ESCAPED = re.compile(r"\\(.)", re.S)


def read_array(shown: bytes, element: Callable[[bytes], Cell]) -> List:
    """Parse an array to a list, whatever the lower bound of its indexes.

    >>> read_array(b'{{1,NULL},{3,4}}', int)
    [[1, None], [3, 4]]
    """
    text = shown.decode(errors="replace")
    bounds = _BOUNDS.match(text)
    parts = (found[0] for found in _PART.finditer(text, bounds.end() if bounds else 0))
    next(parts)
    return _rest(parts, element)


def _rest(parts: Iterator[str], element: Callable[[bytes], Cell]) -> List:
    """The list whose opening brace was the part before."""
    found: List = []
    for part in parts:
        if part == "}":
            break
        if part == "{":
            found.append(_rest(parts, element))
        elif part != ",":
            found.append(_element(part, element))
    return found


def _element(part: str, element: Callable[[bytes], Cell]) -> Cell:
    if part.startswith('"'):
        return element(_ESCAPED.sub(r"\1", part[1:-1]).encode())
    return None if part == "NULL" else element(part.encode())
