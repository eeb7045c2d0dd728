"""The types that all engines share: cells, results, columns, limits and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wardround.core.errors import ToolError

Cell = str | int | float | bytes | None

# The dialects that wardround writes queries of its own in.
Dialect = Literal["sqlite", "duckdb", "postgres"]

QueryErrorKind = Literal["syntax", "denied", "timeout", "limit", "runtime"]


# Engines quote the statement in messages; cut them, so that a giant statement gives no giant
# message.
_MESSAGE_LETTERS = 5000


class QueryError(ToolError):
    """A failed query; the message is for the agent that wrote it.

    Attributes:
        kind: `syntax` if it does not compile, `denied` if it is not permitted, `timeout`, `limit`
            if it needs too much memory or is too large, else `runtime`.
    """

    def __init__(self, message: str, kind: QueryErrorKind):
        super().__init__(message[:_MESSAGE_LETTERS])
        self.kind = kind


_LATE = "The query was stopped after"
_ENDED = "The query ended the process that ran it"


def too_late(seconds: float | None) -> QueryError:
    """The error of a statement that missed its deadline."""
    return QueryError(f"{_LATE} {seconds:g} s; make it cheaper.", "timeout")


def process_ended() -> QueryError:
    """The error of a statement whose process ended under it."""
    return QueryError(f"{_ENDED}; let it need less memory.", "limit")


def was_cut_off(message: str) -> bool:
    """True if an error means only that the statement did not finish.

    >>> was_cut_off(f"Error: {too_late(5)}"), was_cut_off("Error: no such table: beds")
    (True, False)
    """
    return _LATE in message or _ENDED in message


@dataclass(frozen=True)
class ResultTable:
    """The rows of one query.

    Attributes:
        columns: The names of the columns, as the query gives them.
        rows: The rows, each as long as `columns`.
        truncated: True if there were more rows than were asked for.
        changed: Number of rows changed by a writing statement; None if the engine does not report
            it.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    truncated: bool
    changed: int | None = None


@dataclass(frozen=True)
class ScanCost:
    """The cost of a query on an engine that charges for what queries read.

    Attributes:
        size: Number of bytes that it would read.
        dollars: Their list price in US dollars.
    """

    size: int
    dollars: float


@dataclass(frozen=True)
class ColumnInfo:
    """One column of a table, as declared.

    Attributes:
        name: The column's name.
        type: The declared type, upper case; empty when none is declared.
        nullable: True if the column may hold NULL.
        primary_key: The 1-based position in the primary key; 0 if not part of it.
        references: `table(column)` that a foreign key points to, if any.
    """

    name: str
    type: str
    nullable: bool = True
    primary_key: int = 0
    references: str | None = None


@dataclass(frozen=True)
class Limits:
    """Limits of one statement.

    Attributes:
        cell_bytes: Size of a text or blob, and of a row.
        result_bytes: Size of all cells of a result.
        sql_bytes: Length of the statement.
        function_calls: Function calls in one statement, on engines that count them.
        heap_bytes: Memory of one statement.
        file_bytes: Growth of a workspace beyond the size of its database.
        processes: Statements that run at once on one database; further ones wait.
        threads: Threads of one statement. With more than one, the order of unsorted rows and the
            last digits of sums vary from run to run.
    """

    cell_bytes: int = 250_000
    result_bytes: int = 50_000_000
    sql_bytes: int = 50_000
    function_calls: int = 200
    heap_bytes: int = 1 << 30
    file_bytes: int = 1 << 30
    processes: int = 4
    threads: int = 1
