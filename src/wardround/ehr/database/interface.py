"""What every database engine offers, whatever the engine: types, limits and errors."""

from dataclasses import dataclass
from typing import Literal, Protocol

from wardround.core.errors import ToolError

Cell = str | int | float | bytes | None

QueryErrorKind = Literal["syntax", "denied", "timeout", "limit", "runtime"]


# An engine's message may quote what was sent; a word on a giant text is no giant text.
_MESSAGE_LETTERS = 5000


class QueryError(ToolError):
    """A query that gave no result, said in words that the agent who wrote it can act on.

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
    """How much one statement may use.

    Attributes:
        cell_bytes: The longest text or blob that may be read or made, and the longest row.
        result_bytes: All cells of a result together.
        sql_bytes: The statement itself.
        function_calls: Function calls written in one statement, where the engine counts them.
        heap_bytes: What one statement may hold in memory.
        file_bytes: How much a workspace may add to the file that it began as.
        processes: How many statements may run at once on one database; others wait their turn.
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


class Database(Protocol):
    """A database that can be read and not written, whatever is sent; any thread may use it."""

    @property
    def name(self) -> str:
        """A short name for messages and reports."""

    @property
    def url(self) -> str:
        """Where the database is: a path or a URL."""

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""

    def execute(
        self,
        sql: str,
        *,
        rows: int | None = 100,
        seconds: float = 60.0,
        memory: int | None = None,
    ) -> ResultTable:
        """Run one reading statement.

        Cells are alike on every engine: a date is `2100-12-31`, a time `2100-12-31 23:59:00` with
        microseconds only where there are some, true is 1, a decimal number an int where it is
        whole by type and a float otherwise.

        Args:
            sql: One statement; a trailing semicolon and comments are fine.
            rows: How many rows to keep at most; None keeps all.
            seconds: The deadline.
            memory: The most bytes that the statement may hold, below `Limits.heap_bytes`.

        Raises:
            QueryError: If the statement gives no result.
        """

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order.

        Raises:
            QueryError: If there is no such table.
        """

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text, laid out alike on every engine."""

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""

    def fingerprint(self) -> str:
        """What identifies the content: a copy has the same, a change gives another."""

    def writable(self) -> "Workspace":
        """A state of one's own that starts as this database is and that nobody else can see.

        Raises:
            UserError: If this engine cannot give one.
        """

    def close(self) -> None:
        """Interrupt what runs and release everything; closing twice is fine."""


class Workspace(Database, Protocol):
    """A database of one trial's own: what is written here is seen here only.

    `execute` takes writing statements too, with the same limits; `commit` and the like are a
    statement as any other and change nothing for anyone else. Closing it forgets everything.
    """

    def reset(self) -> None:
        """Go back to the state at the start; the fingerprint is then the database's again."""
