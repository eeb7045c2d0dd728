"""The answer to a question about a database, and what gives one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from wardround.agents.parser.grammar.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question, or a refusal.

    Attributes:
        sql: The query to run; None where it is refused.
        confidence: The probability that the best query is right; None where it was not measured.
        understood: What the query asks for, a sentence each.
        refused: Why it is refused, a sentence each; empty where it is answered.
        columns: The names of the answer's columns; empty for those that the SQL gives.
        doubts: Why it may be another answer, a sentence each.
    """

    sql: str | None
    confidence: float | None
    understood: tuple[str, ...]
    refused: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class Answers(Protocol):
    """Answers questions about one database."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on all answers."""
        ...

    @property
    def grammar(self) -> Grammar | None:
        """The grammar of the records; None for a layout without a map."""
        ...

    @property
    def words(self) -> Mapping[str, str]:
        """SQL for the words that queries leave open."""
        ...

    def answer(self, question: str) -> Answer:
        """Answer a question, or refuse it with reasons."""
        ...
