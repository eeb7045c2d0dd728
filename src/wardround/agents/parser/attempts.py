"""Attempts at a question: the candidate queries of one reading, and how they compare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wardround.agents.parser.abstention_rules import Doubt, ambiguous_columns
from wardround.agents.parser.names.spell_checker import Correction
from wardround.agents.parser.names.value_index import AliasMatch, Mention
from wardround.agents.parser.query_search import Rows
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm

_TIME = re.compile(r"\d{4}-\d\d-\d\d")
_TIME_WORDS = frozenset(
    [
        *("when", "date", "dates", "time", "times", "day", "days", "hour", "moment"),
        *("birth", "birthday", "born", "dob"),
    ]
)

# Candidates within this many nats are about as good.
_CLOSE = 2.0


@dataclass(frozen=True)
class Candidate:
    """A query that was tried.

    Attributes:
        score: How well it fits the question, in nats.
        rows: Its result; None where it failed or was not run.
    """

    filled: FilledForm
    sql: str
    score: float
    rows: Rows | None

    @property
    def is_empty(self) -> bool:
        """True if it returns no rows or only NULLs."""
        return not any(cell is not None for row in self.rows or () for cell in row)

    @property
    def is_null(self) -> bool:
        """True if it returns no rows or only NULLs, zeros and empty texts."""
        return not any(cell for row in self.rows or () for cell in row)


def is_unasked_time(candidate: Candidate, reading: Reading) -> bool:
    """True if a query returns times, and no word asks for one: "for the first time" does not."""
    cells = [cell for row in candidate.rows or () for cell in row]
    if not cells or not all(_TIME.match(str(cell)) for cell in cells):
        return False
    inside = {at for time in reading.times for at in range(time.first, time.last)}
    tokens = [word.text for word in reading.words]
    words = {
        token
        for at, token in enumerate(tokens)
        if at not in inside and tokens[max(at - 3, 0) : at - 1] != ["for", "the"]
    }
    return words.isdisjoint(_TIME_WORDS)


@dataclass(frozen=True)
class Attempt:
    """The outcome of one reading of a question.

    Attributes:
        corrections: What was corrected in the question.
        candidates: The best queries, best first.
        score: The score of the first less the penalties of corrections and aliases, in nats.
        confidence: The probability that the first is right.
    """

    reading: Reading
    corrections: tuple[Correction, ...]
    candidates: tuple[Candidate, ...]
    score: float
    confidence: float

    @property
    def filled(self) -> FilledForm | None:
        """The filled form of the best query."""
        return self.candidates[0].filled if self.candidates else None

    @property
    def named_words(self) -> int:
        """The number of words of the question that name values of the best query."""
        fillers = self.filled.fillers if self.filled else ()
        return sum(filler.last - filler.first for filler in fillers if isinstance(filler, Mention))

    @property
    def is_null(self) -> bool:
        """True if the best query finds nothing, or there is no query."""
        return not self.candidates or self.candidates[0].is_null

    @property
    def aliases(self) -> list[AliasMatch]:
        """The resolved aliases of the best query."""
        return [slot.alias for slot in self.filled.slots if slot.alias] if self.filled else []

    @property
    def sql(self) -> str | None:
        """The best query."""
        return self.candidates[0].sql if self.candidates else None


def same_rows(candidate: Candidate, rival: Candidate) -> bool:
    """True if two queries return the same rows."""
    return (
        candidate.rows is not None
        and rival.rows is not None
        and set(candidate.rows) == set(rival.rows)
    )


def ambiguous_column(best: Attempt, attempts: Sequence[Attempt]) -> list[Doubt]:
    """The doubt raised by a close query with rows that takes a name for another column's."""
    if not best.candidates:
        return []
    first, *rest = best.candidates
    alternatives = [*rest, *(item.candidates[0] for item in attempts if item.candidates)]
    doubts = (
        ambiguous_columns(first.filled, alternative.filled, best.reading)
        for alternative in alternatives
        if first.score - alternative.score < _CLOSE
        and not alternative.is_null
        and not same_rows(first, alternative)
    )
    return [doubt for doubt in doubts if doubt][:1]


def exact_name_wins(exact: Attempt, alias: Attempt) -> bool:
    """True if exact names take precedence over aliases for the same words.

    They do not where the query with exact names finds nothing and the one with aliases does.
    """
    same_words = exact.named_words == alias.named_words
    is_alternative = same_words and not exact.aliases and bool(alias.aliases)
    return is_alternative and (alias.is_null or not exact.is_null)


def extends_exact_name(mentions: Sequence[Mention], exact: Reading) -> bool:
    """True if a mention contains a shorter exact one."""
    return any(
        mention.first <= part.first and part.last <= mention.last and mention[:2] != part[:2]
        for mention in mentions
        for part in exact.mentions
    )
