"""Answers one question about a database at hand, with what was understood."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wardround.agents.parser.parser import Parsed
from wardround.agents.parser.parser_file import load, with_current_values
from wardround.ehr.database import Database
from wardround.ehr.times import substitute_words

_CHOICES = 10


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a question.

    Attributes:
        lines: What was understood, the query, and why it is refused if it is.
        sql: The query to run; None where it is refused.
    """

    lines: tuple[str, ...]
    sql: str | None


def answer(question: str, database: Database, file: Path) -> Reply:
    """Parse a question with the values that the database has now.

    Raises:
        UserError: The file holds no parser, or one that was trained on other tables.
    """
    parser = with_current_values(load(file), database)
    parsed = parser.answer(question, database)
    sql = None if parsed.sql is None else substitute_words(parsed.sql, parser.words)
    return Reply(tuple(_lines(parsed)), sql)


def _lines(parsed: Parsed) -> Iterator[str]:
    kind, *details = parsed.understood
    yield f"Understood: {kind}"
    yield from (f"  {line}" for line in details)
    yield f"Confidence: {parsed.confidence:.2f}"
    if parsed.guess:
        yield f"SQL: {parsed.guess}"
    if parsed.sql is None:
        yield from _refusal(parsed)


def _refusal(parsed: Parsed) -> Iterator[str]:
    for doubt in parsed.doubts:
        yield f"No answer yet: {doubt.asks}"
        yield from (f"  {choice.name}" for choice in doubt.choices[:_CHOICES])
        if len(doubt.choices) > _CHOICES:
            yield f"  … and {len(doubt.choices) - _CHOICES} more"
    if not parsed.doubts:
        yield "No answer: I am not sure enough of what was asked."
