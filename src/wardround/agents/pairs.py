"""Questions with their SQL, which agents learn from."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A question and its SQL; None where the records cannot answer it."""

    question: str
    sql: str | None
