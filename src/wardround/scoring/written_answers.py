"""Comparison of a written answer with expected rows, without a model.

Numbers agree at the precision with which the answer is written, at most three decimals as for
results of SQL (Lee et al. 2024); times within a minute; texts without regard to case. Lists must
be complete, and hold nothing else.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import orjson

from wardround.scoring.results import cell_text

Row: TypeAlias = tuple[Any, ...]

DECIMALS = 3
_MINUTE = 60
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_BLANKS = re.compile(r"\s+")


def answered_rows(text: str, expected: Sequence[Row]) -> tuple[Row, ...]:
    r"""The rows of a written answer: those of its last line that is a JSON list.

    Without such a line, all numbers of the text if only numbers are expected, else the text.

    >>> answered_rows('They are:\n["aspirin", "heparin"]', [])
    (('aspirin',), ('heparin',))
    >>> answered_rows("She was admitted 3 times.", [(3,)]), answered_rows(" ", [])
    ((('3',),), ())
    """
    for line in reversed(text.splitlines()):
        if (items := _list(line)) is not None:
            rows = (tuple(item) if isinstance(item, list) else (item,) for item in items)
            return tuple(row for row in rows if any(cell is not None for cell in row))
    if expected and all(_is_number(cell) for row in expected for cell in row):
        if (word := _WORDS.get(text.strip().strip(".").lower())) is not None:
            return ((word,),)
        return tuple((number,) for number in dict.fromkeys(_NUMBER.findall(text)))
    return ((text.strip(),),) if text.strip() else ()


def same_answer(expected: Sequence[Row], answer: Sequence[Row], zone: ZoneInfo) -> bool:
    """True if both hold the same rows, in any order and without regard to repetition.

    Args:
        expected: the rows of the gold; empty for no answer.
        answer: the rows of the answer.
        zone: the time zone of times without an offset.

    >>> same_answer([(98.3333,)], [("98.33",)], ZoneInfo("UTC"))
    True
    >>> same_answer([], [], ZoneInfo("UTC")), same_answer([(1.2,)], [(1.0,)], ZoneInfo("UTC"))
    (True, False)
    """
    complete = all(any(_same_row(row, each, zone) for each in answer) for row in expected)
    return complete and all(any(_same_row(row, each, zone) for row in expected) for each in answer)


def _same_row(expected: Row, answer: Row, zone: ZoneInfo) -> bool:
    pairs = zip(expected, answer, strict=False)
    return len(expected) == len(answer) and all(_same_cell(e, a, zone) for e, a in pairs)


def _same_cell(expected: Any, answer: Any, zone: ZoneInfo) -> bool:
    if _is_number(expected):
        written = _WORDS.get(str(answer).strip().lower(), answer)
        return cell_text(expected, _decimals(written)) == cell_text(written, _decimals(written))
    if (wanted := _time(expected, zone)) and (given := _time(answer, zone)):
        if len(str(expected).strip()) == len("2100-12-31"):
            return wanted.date() == given.date()
        return abs((wanted - given).total_seconds()) <= _MINUTE
    return _plain(expected) == _plain(answer)


def _decimals(written: Any) -> int:
    """The decimals with which a number is written, at most three."""
    return min(len(str(written).strip().partition(".")[2]), DECIMALS)


def _is_number(value: Any) -> bool:
    return _NUMBER.fullmatch(str(value).strip()) is not None or isinstance(value, int | float)


def _time(value: Any, zone: ZoneInfo) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return time.astimezone(zone).replace(tzinfo=None) if time.tzinfo else time


def _plain(value: Any) -> str:
    return _BLANKS.sub(" ", str(value)).strip().strip(".").casefold()


def _list(line: str) -> list[Any] | None:
    """The JSON list of a line, with or without words before it."""
    start = line.find("[")
    if start < 0:
        return None
    try:
        value = orjson.loads(line[start:].strip().strip("`*. "))
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, list) else None
