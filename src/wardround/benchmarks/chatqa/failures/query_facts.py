"""The facts of a query: the texts and bounds that it asks for, its joins, result and ranking."""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# required: every row has to meet it; excluded: no row may; alternative: one of several.
Role: TypeAlias = Literal["required", "excluded", "alternative"]
CLOCK = "the clock of the machine"


@dataclass(frozen=True, slots=True)
class Texts:
    """A column compared with texts, of which any will do; those with % or _ may be patterns."""

    column: str
    role: Role
    texts: frozenset[str]
    patterns: frozenset[str] = frozenset()
    ignores_case: bool = False

    def covers(self, text: str) -> bool:
        """True if a row with the text passes."""
        texts = {each.lower() for each in self.texts} if self.ignores_case else self.texts
        asked = text.lower() if self.ignores_case else text
        return asked in texts or any(_matches(pattern, text) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Bound:
    """An expression in columns, compared with a number, a time or another expression."""

    columns: frozenset[str]
    role: Role
    expression: str
    operator: str
    value: float | str

    @property
    def measures(self) -> tuple[frozenset[str], str]:
        """The compared expression, without the limit."""
        return self.columns, self.expression


@dataclass(frozen=True, slots=True)
class Result:
    """A returned value: an aggregate of an expression in columns of tables, times a factor."""

    aggregate: str
    expression: str
    factor: float = 1.0
    is_distinct: bool = False
    tables: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order that decides which rows are returned, and how many."""

    measure: str
    is_descending: bool
    limit: float | str


@dataclass(slots=True)
class QueryFacts:
    """The facts of a query.

    Attributes:
        texts, bounds: its conditions.
        tables: the tables that it reads.
        present: those that must, or must not, have a matching row.
        links: the columns that it makes equal, for each pair of tables.
        results: its returned values.
        ranking: the order and number of rows, if it cuts them.
        repeated: the tables of which a join may give a row more than once.
        single: the columns of which no value comes twice in the rows that are returned or counted.
        is_nested: True if these rows come from another query.
        reads_clock: True if it reads the clock of the machine.
        has_unlinked: True if it joins a table by no column.
        is_unclear: True if it has a part that the other facts do not state.
    """

    texts: list[Texts] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)
    tables: set[tuple[str, Role]] = field(default_factory=set)
    present: set[tuple[str, Role]] = field(default_factory=set)
    links: dict[frozenset[str], set[str]] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    ranking: Ranking | None = None
    repeated: set[str] = field(default_factory=set)
    single: set[str] = field(default_factory=set)
    is_nested: bool = False
    reads_clock: bool = False
    has_unlinked: bool = False
    is_unclear: bool = False


def _matches(pattern: str, text: str) -> bool:
    """True if SQLite's LIKE accepts the text; also if it accepts the text of a pattern."""
    parts = (".*" if sign == "%" else "." if sign == "_" else re.escape(sign) for sign in pattern)
    return bool(re.fullmatch("".join(parts), text, re.IGNORECASE | re.DOTALL))
