"""The types that all engines share: cells, results, columns, limits and errors."""

from dataclasses import dataclass
from typing import Literal

from wardround.core.errors import ToolError

Cell = str | int | float | bytes | None

QueryErrorKind = Literal["syntax", "denied", "timeout", "limit", "runtime"]


# An engine's message may quote the statement; a message about a giant text is no giant text.
_MESSAGE_LETTERS = 5000


class QueryError(ToolError):
    """A query that gave no result; the message is for the agent who wrote it.

    Attributes:
        kind: `syntax` when it does not compile, `denied` when it asks for more than reading,
            `timeout`, `limit` when it needs too much memory or is too large, else `runtime`.
    """

    def __init__(self, message: str, kind: QueryErrorKind):
        super().__init__(message[:_MESSAGE_LETTERS])
        self.kind = kind


@dataclass(frozen=True)
class ResultTable:
    """The rows of one query.

    Attributes:
        columns: The names of the columns, as the query gives them.
        rows: The rows, each as long as `columns`.
        truncated: Whether there were more rows than were asked for.
        changed: How many rows a writing statement changed, where the engine says so.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    truncated: bool
    changed: int | None = None


@dataclass(frozen=True)
class ColumnInfo:
    """One column of a table, as it is declared.

    Attributes:
        name: The column's name.
        type: The declared type, upper case; empty when none is declared.
        nullable: Whether the column may hold NULL.
        primary_key: The 1-based position in the primary key, 0 outside it.
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
        cell_bytes: The longest text or blob that may be read or made, and the longest row.
        result_bytes: All cells of a result together.
        sql_bytes: The statement itself.
        function_calls: Function calls written in one statement, where the engine counts them.
        heap_bytes: What one statement may hold in memory.
        file_bytes: How much a workspace may add to the file that it began as.
        processes: How many statements may run at once on one database; others wait.
        threads: How many threads one statement may use. With more than one, an engine that has
            them gives rows in another order, and sums with other last digits, from run to run.
    """

    cell_bytes: int = 250_000
    result_bytes: int = 50_000_000
    sql_bytes: int = 50_000
    function_calls: int = 200
    heap_bytes: int = 1 << 30
    file_bytes: int = 1 << 30
    processes: int = 4
    threads: int = 1
