"""Reads tables of a database being built into DuckDB, with the types of its schema."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wardround.ehr.database.engine import TableSource
from wardround.ehr.schema import Column, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LITERALS = {"INTEGER": "0", "TEXT": "''", "DATE": "''", "TIMESTAMP": "''"}
_MARK = "wardround_types"


def column_names(source: TableSource, tables: Iterable[str]) -> dict[str, list[str]]:
    """The column names of tables, in order and in the database's case."""
    import duckdb

    with duckdb.connect() as lake:
        return {table: _columns_of_table(lake, source, table) for table in tables}


def _columns_of_table(lake: "DuckDBPyConnection", source: TableSource, table: str) -> list[str]:
    sql = f"SELECT * FROM {quoted(table)} LIMIT 0"  # noqa: S608
    with source.read(sql) as rows:  # noqa: F841 - found by its name
        return [str(column[0]) for column in lake.execute("FROM rows").description or ()]


def count_rows(source: TableSource, table: str) -> int:
    """The number of rows of a table."""
    return int(str(source.query(f"SELECT count(*) FROM {quoted(table)}")[0][0]))  # noqa: S608


def read_table(
    lake: "DuckDBPyConnection",
    source: TableSource,
    table: str,
    columns: Sequence[Column],
    into: str = "",
    where: str = "true",
) -> None:
    """Copy some columns of a table into DuckDB.

    SQLite's ADBC driver infers a column's type from the first rows and fails at the first row of
    another: a text after a thousand NULLs, a fraction after integers. A row of the right types is
    therefore put first and filtered out again. Times of SQLite are text.

    Args:
        lake: The DuckDB connection that gets the new table.
        source: The database to read from.
        table: The table's name.
        columns: The columns to read.
        into: Name of the new table as SQL; empty for the table's own.
        where: Condition on the rows, in DuckDB's SQL.

    Raises:
        adbc_driver_manager.Error, duckdb.Error: If a cell is not of its column's type.
    """
    names = ", ".join(quoted(column.name) for column in columns)
    sql, column_list, condition = f"SELECT {names} FROM {quoted(table)}", names, "true"  # noqa: S608
    if source.dialect == "sqlite":
        literals = ", ".join(_LITERALS.get(column.type, "0.0") for column in columns)
        sql = f"SELECT {literals}, 1 UNION ALL SELECT {names}, 0 FROM {quoted(table)}"  # noqa: S608
        column_list, condition = f"{names}, {_MARK}", f"{_MARK} = 0"
    with source.read(sql) as rows:  # noqa: F841 - found by its name
        lake.execute(
            f"CREATE OR REPLACE TABLE {into or quoted(table)} AS"  # noqa: S608
            f" SELECT {names} FROM rows AS given ({column_list}) WHERE {condition} AND {where}"
        )
