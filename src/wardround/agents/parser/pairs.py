"""What the parser learns from: questions with their SQL, or with none."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A question and its SQL; None where the records cannot answer it."""

    question: str
    sql: str | None
