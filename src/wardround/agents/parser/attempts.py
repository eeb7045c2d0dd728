"""What readings of a question come to: queries that were run, and how well they fit."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.agents.parser.abstention_rules import Doubt, several_columns
from wardround.agents.parser.query_runner import Rows
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import Fitted
from wardround.agents.parser.spell_checker import Slip
from wardround.agents.parser.value_linker import Mention, Near

# A query that scores so little less is as good.
_CLOSE = 2.0


@dataclass(frozen=True)
class Candidate:
    """A query for a question.

    Attributes:
        score: How well it fits, as a logarithm.
        rows: What it gives; None where it fails.
    """

    fitted: Fitted
    sql: str
    score: float
    rows: Rows | None

    @property
    def empty(self) -> bool:
        """Whether nothing is found."""
        return not any(cell is not None for row in self.rows or () for cell in row)

    @property
    def nought(self) -> bool:
        """Whether nothing is found, or that there is nothing."""
        return not any(cell for row in self.rows or () for cell in row)


@dataclass(frozen=True)
class Attempt:
    """What one reading of a question comes to.

    Attributes:
        slips: What was put right in the question.
        candidates: The best queries, best first.
        score: How well the first fits with all that was taken for something, as a logarithm.
        confidence: The chance that the first one is right.
    """

    reading: Reading
    slips: tuple[Slip, ...]
    candidates: tuple[Candidate, ...]
    score: float
    confidence: float

    @property
    def fitted(self) -> Fitted | None:
        """What the best query is made of."""
        return self.candidates[0].fitted if self.candidates else None

    @property
    def named(self) -> int:
        """How many of the question's words name values of the best query."""
        said = self.fitted.said if self.fitted else ()
        return sum(one.last - one.first for one in said if isinstance(one, Mention))

    @property
    def nought(self) -> bool:
        """Whether the best query finds nothing, or that there is nothing."""
        return not self.candidates or self.candidates[0].nought

    @property
    def near(self) -> list[Near]:
        """What names that are no value's own were taken for in the best query."""
        return [one.near for one in self.fitted.filled if one.near] if self.fitted else []

    @property
    def sql(self) -> str | None:
        """The best query."""
        return self.candidates[0].sql if self.candidates else None


def alike(one: Candidate, other: Candidate) -> bool:
    """Whether two queries give the same rows."""
    return one.rows is not None and other.rows is not None and set(one.rows) == set(other.rows)


def in_other_columns(best: Attempt, others: Sequence[Attempt]) -> list[Doubt]:
    """What another query nearly as good, that finds something, takes for another column's."""
    if not best.candidates:
        return []
    first, *less = best.candidates
    tried = [*less, *(other.candidates[0] for other in others if other.candidates)]
    close = (
        several_columns(first.fitted, one.fitted, best.reading)
        for one in tried
        if first.score - one.score < _CLOSE and not one.nought and not alike(first, one)
    )
    return [doubt for doubt in close if doubt][:1]


def comes_before(own: Attempt, other: Attempt) -> bool:
    """Whether names as the database has them count, and not others for the same words.

    The others count where the names themselves find nothing.
    """
    same = own.named == other.named and not own.near and bool(other.near)
    return same and (other.nought or not own.nought)


def is_longer(mentions: Sequence[Mention], exact: Reading) -> bool:
    """Whether a name is longer than one that the question has as the database does."""
    return any(
        one.first <= part.first and part.last <= one.last and one[:2] != part[:2]
        for one in mentions
        for part in exact.mentions
    )
