"""Guard questions as plain data, and their file: a question a line (Huo et al. 2025, O)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import orjson
from pydantic import TypeAdapter, ValidationError

from wardround.core.errors import UserError

Category: TypeAlias = Literal["AMB", "LOC", "UNA"]
Style: TypeAlias = Literal["concise", "normal", "verbose"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True, slots=True)
class GuardQuestion:
    """A question with the action that a user should choose.

    Attributes:
        task: The task's id.
        category: A labelled ambiguity, a fragment of the gold, or unanswerable.
        style: In few words, in a sentence or at length.
        question: The assistant's question.
        reference: The ambiguity's term, or the gold fragment; "" if it must be refused.
    """

    task: str
    category: Category
    style: Style
    question: str
    reference: str = ""


def read_guard(file: Path) -> list[GuardQuestion]:
    """Reads the questions of a file.

    Raises:
        UserError: The file cannot be read or is empty, or a line is not a question; the message
            says which.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The guard set {file} cannot be read: {error}.") from None
    questions = parse_guard(text, f"the guard set {file}")
    if not questions:
        raise UserError(f"The guard set {file} holds no question; check the file.")
    return questions


def parse_guard(text: str, source: str) -> list[GuardQuestion]:
    """Reads the questions of a file's text.

    Args:
        text: JSON Lines.
        source: The name of the file in messages.

    Raises:
        UserError: A line is not a question; the message says which.
    """
    lines = enumerate(text.splitlines(), start=1)
    return [_question(source, number, line) for number, line in lines if line.strip()]


def serialized(questions: Iterable[GuardQuestion]) -> str:
    """Returns the text of a file of questions."""
    return "".join(f"{orjson.dumps(asdict(question)).decode()}\n" for question in questions)


_FORM = TypeAdapter(GuardQuestion)


def _question(source: str, number: int, line: str) -> GuardQuestion:
    try:
        return _FORM.validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise UserError(
            f"Line {number} of {source} is not a guard question: {where}: {first['msg']}."
        ) from None
