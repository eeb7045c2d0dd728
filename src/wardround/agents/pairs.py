"""Questions with their SQL, as agents learn from them."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A question and its SQL; None where the records cannot answer it."""

    question: str
    sql: str | None
