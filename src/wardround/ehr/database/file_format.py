"""Engines that keep a database in a file: what differs between them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.ehr.database.interface import Cell, ColumnInfo, Limits, QueryError

Query = Callable[[str], Sequence[tuple[Cell, ...]]]


@dataclass(frozen=True)
class FileFormat:
    """An engine that keeps a database in a file.

    Attributes:
        dialect: The SQL dialect, as sqlglot names it.
        reading: `module:function` that opens a file for reading, as `Statements`.
        writing: `module:function` that opens a private copy for writing.
        libraries: Modules that its processes need and this one does not.
        logs: Suffixes of write-ahead logs, which hold committed changes not yet in the file.
        tables: Lists tables and views, given a query function.
        columns: Lists the columns of a table by its name, given a query function and the exact
            name; perhaps with those of other tables.
    """

    dialect: str
    reading: str
    writing: str
    libraries: tuple[str, ...]
    logs: tuple[str, ...]
    tables: Callable[[Query], list[str]]
    columns: Callable[[Query, str], Mapping[str, list[ColumnInfo]]]

    def files(self, path: Path) -> tuple[Path, ...]:
        """The database file and its logs."""
        return (path, *(path.with_name(f"{path.name}{ending}") for ending in self.logs))


def check_length(sql: str, limits: Limits) -> None:
    """Refuse a statement that is too long.

    Raises:
        QueryError: If it is longer than `limits.sql_bytes`.
    """
    if len(sql.encode(errors="replace")) > limits.sql_bytes:
        message = f"The statement is longer than {limits.sql_bytes:,} bytes; write a shorter one."
        raise QueryError(message, "limit")
