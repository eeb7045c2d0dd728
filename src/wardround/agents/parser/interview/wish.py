"""What somebody wants to know, as far as it was understood."""

from dataclasses import dataclass
from typing import NamedTuple

from wardround.agents.parser.interview.chart import Column
from wardround.ehr.times import Dialect

# What queries are written in.
DIALECT: Dialect = "postgres"


class Show(NamedTuple):
    """One column of the result.

    Attributes:
        function: What is worked out: an aggregate of SQL, "SHARE", "PLACE", the format of a period
            of time that rows are gathered by, or "" for the column itself.
        column: Of what; None for whole rows.
        distinct: Whether each different value counts once.
    """

    function: str = ""
    column: Column | None = None
    distinct: bool = False

    @property
    def gathers(self) -> bool:
        """Whether it makes one value of many rows."""
        return self.function in {"COUNT", "SUM", "AVG", "MIN", "MAX", "MEDIAN", "SHARE"}


class Where(NamedTuple):
    """A condition on the rows of a table."""

    table: str
    sql: str
    negated: bool = False

    @property
    def is_period(self) -> bool:
        """Whether it says when, which holds for a whole and not for a part of it alone."""
        return "TIMESTAMP" in self.sql


class Having(NamedTuple):
    """A condition on all rows that something has in a table."""

    table: str
    key: str
    sql: str


class Order(NamedTuple):
    """What the result is sorted by: the number of one of its columns, from 0."""

    at: int
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """A question of one table of events or things.

    Attributes:
        main: The table whose rows are shown or counted.
        shows: The columns of the result.
        wheres: What rows must meet.
        havings: What all rows of something must meet together.
        part: Of a share, what its part meets; `wheres` then hold for the whole.
        percent: Whether a share is of a hundred; else it is of one.
        orders: What is sorted by, first things first.
        best: What the one line that is wanted has most of, or least; None where others count too.
        limit: How many lines at most; 0 for all.
        places: How many places at most; 0 for all.
        ranking: The function that gives places.
        within: The columns within which places are given.
        decimals: How many; None for all.
        fill: What stands where nothing is recorded; "" for nothing.
        picked: The rows that count of each thing: its key, the time that they are sorted by, and
            whether the latest is meant; empty where all do.
        outer: Whether what has no such rows is shown too.
    """

    main: str
    shows: tuple[Show, ...]
    wheres: tuple[Where, ...] = ()
    havings: tuple[Having, ...] = ()
    part: tuple[Where, ...] = ()
    percent: bool = True
    orders: tuple[Order, ...] = ()
    best: tuple[Show, bool] | None = None
    limit: int = 0
    places: int = 0
    ranking: str = "RANK"
    within: tuple[Column, ...] = ()
    decimals: int | None = None
    fill: str = ""
    picked: tuple[tuple[str, str, bool], ...] = ()
    outer: bool = False
