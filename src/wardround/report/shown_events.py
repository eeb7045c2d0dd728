"""Events of a trial as pages show them: long texts are cut, and results with rows are tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from wardround.report.trace import Turn

MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A result with rows.

    Attributes:
        columns: their names.
        rows: the first rows as text; None for a missing value.
        left_out: the number of further rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event of a trial.

    Attributes:
        kind: the event's kind, such as "said", "called", "returned", "requested" or "noted".
        who: the speaker, tool, role, stage or subject of a note.
        text: its text, cut.
        table: the table in its text, if it is one.
    """

    kind: str
    who: str
    text: str
    table: ResultTable | None = None


def shown_event(turn: Turn, most: int) -> ShownEvent:
    """An event with at most that many characters of its text."""
    table = result_table(turn.text) if turn.kind == "returned" else None
    return ShownEvent(turn.kind, turn.who, cut(turn.text, most), table)


def cut(text: str, most: int) -> str:
    r"""The beginning of a text, with the number of characters that are left out.

    >>> cut("haloperidol", 4)
    'halo\n… 7 more characters'
    """
    remaining = len(text) - most
    return text if remaining <= 0 else f"{text[:most]}\n… {remaining:,} more characters"


def result_table(text: str) -> ResultTable | None:
    """The table in a result; None if it is not a table.

    A table is JSON: columns beside rows, or a list of objects that all have the same names.

    >>> result_table('{"columns":["n"],"rows":[[3]],"truncated":false}')
    ResultTable(columns=('n',), rows=(('3',),), left_out=0)
    >>> result_table('[{"drug":"heparin","dose":null}]').rows
    (('heparin', None),)
    >>> result_table('["heparin"]') is result_table("[3 rows]") is None
    True
    """
    if text[:1] not in ("{", "["):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    match value:
        case {"columns": list(columns), "rows": list(rows)}:
            pass
        case [{**first}, *_]:
            columns = list(first)
            if not all(isinstance(row, dict) and list(row) == columns for row in value):
                return None
            rows = [list(row.values()) for row in value]
        case _:
            return None
    return _table(columns, rows)


def _table(columns: Sequence[Any], rows: Sequence[Any]) -> ResultTable | None:
    if not columns or not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    shown = tuple(tuple(map(_cell, row)) for row in rows[:MOST_ROWS])
    return ResultTable(tuple(map(str, columns)), shown, max(0, len(rows) - MOST_ROWS))


def _cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
