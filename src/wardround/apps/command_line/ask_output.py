"""The questions of `wardround ask` with their answers, as text and as JSON."""

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from wardround.ehr.database import Database

logger = logging.getLogger(__name__)

SHOWN_ROWS = 20
JSON_ROWS = 1000


class Line(NamedTuple):
    """A question with the number of its line.

    Attributes:
        fault: Why it cannot be read; "" if it can.
    """

    number: int
    text: str
    fault: str = ""


def answered(
    line: Line, answer_to: Callable[[str], Any], database: "Database", as_json: bool
) -> dict[str, Any]:
    """A question with its answer and the rows of its query, or with the reason why it failed."""
    from wardround.core.errors import WardroundError

    rows = JSON_ROWS if as_json else SHOWN_ROWS
    entry: dict[str, Any] = {
        "line": line.number,
        "question": line.text,
        "columns": None,
        "rows": None,
        "truncated": False,
        "query": None,
        "confidence": 0.0,
        "understood": [],
        "doubts": [],
    }
    if line.fault:
        return {**entry, "refused": [line.fault]}
    try:
        answer = answer_to(line.text)
        result = database.execute(answer.sql, rows=rows) if answer.sql else None
    except WardroundError as error:
        return {**entry, "refused": [f"The question could not be answered: {error}"]}
    except Exception as error:
        logger.exception("line %d", line.number)
        name = type(error).__name__
        return {**entry, "refused": [f"A bug in wardround ({name}) kept this from an answer."]}
    return {
        **entry,
        "columns": list(answer.columns or result.columns) if result else None,
        "rows": [list(row) for row in result.rows] if result else None,
        "truncated": bool(result and result.truncated),
        "query": answer.sql,
        "confidence": answer.confidence and round(answer.confidence, 4),
        "understood": list(answer.understood),
        "doubts": list(answer.doubts),
        "refused": list(answer.refused),
    }


def show_json(entries: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Prints all entries as a JSON array, and returns them."""
    import json

    items = list(entries)
    typer.echo(json.dumps(items, indent=2, ensure_ascii=False, default=str))
    return items


def show(entries: Iterator[dict[str, Any]], is_several: bool) -> list[dict[str, Any]]:
    """Prints each entry as text as soon as it is there, and returns them."""
    shown: list[dict[str, Any]] = []
    for entry in entries:
        if is_several:
            start = "\n" if shown else ""
            typer.echo(f"{start}Question {entry['line']}: {entry['question']}")
        for line in _lines(entry):
            typer.echo(line)
        shown.append(entry)
    return shown


def _lines(entry: dict[str, Any]) -> Iterator[str]:
    head = "Nearest reading, not run" if entry["refused"] else "Understood"
    for n, line in enumerate(entry["understood"]):
        yield f"  {line}" if n else f"{head}: {line}"
    confidence = entry["confidence"]
    yield from (f"Doubt: {line}" for line in entry["doubts"])
    yield f"Confidence: {'not measured' if confidence is None else f'{confidence:.2f}'}"
    if entry["refused"]:
        yield f"No answer: {entry['refused'][0]}"
        yield from entry["refused"][1:]
        return
    yield f"SQL: {entry['query']}"
    if all(cell is None for row in entry["rows"] for cell in row):
        yield "The answer is empty: the records hold nothing of the kind."
        return
    yield "  ".join(entry["columns"])
    for row in entry["rows"]:
        yield "  ".join("" if cell is None else str(cell) for cell in row)
    if entry["truncated"]:
        yield f"The answer is cut off: these are its first {SHOWN_ROWS} rows."
