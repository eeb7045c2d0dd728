"""Reads tables of a database being built into DuckDB, with the types that a schema says."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import UserError
from wardround.ehr.database.engine import Target, write_database
from wardround.ehr.schema import Column, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LITERALS = {"INTEGER": "0", "TEXT": "''", "DATE": "''", "TIMESTAMP": "''"}
_MARK = "wardround_types"


def column_names(target: Target, table: str) -> list[str]:
    """The columns of a table, in order, as the database writes them."""
    import duckdb

    sql = f"SELECT * FROM {quoted(table)} LIMIT 0"  # noqa: S608
    with target.read(sql) as rows, duckdb.connect() as lake:  # noqa: F841 - found by its name
        return [str(column[0]) for column in lake.execute("FROM rows").description or ()]


def count_rows(target: Target, table: str) -> int:
    """The number of rows of a table."""
    return int(str(target.query(f"SELECT count(*) FROM {quoted(table)}")[0][0]))  # noqa: S608


def read_table(
    lake: "DuckDBPyConnection",
    target: Target,
    table: str,
    columns: Sequence[Column],
    into: str = "",
    where: str = "true",
) -> None:
    """Make a table in DuckDB, with some columns of a database's table.

    SQLite's driver takes a column's type from the first rows and fails at the first row that has
    another: a text after a thousand empty cells, a fraction after whole numbers. Its rows are
    therefore led by one of the right types, which is taken out again. Times of SQLite are text.

    Args:
        lake: Takes the new table.
        target: Has the table.
        table: Its name.
        columns: Which of its columns are wanted.
        into: Name of the new table as SQL; the table's own if empty.
        where: Condition on the rows wanted, in DuckDB's SQL.

    Raises:
        adbc_driver_manager.Error, duckdb.Error: If a cell is not of its column's type.
    """
    names = ", ".join(quoted(column.name) for column in columns)
    sql, named, rest = f"SELECT {names} FROM {quoted(table)}", names, "true"  # noqa: S608
    if target.dialect == "sqlite":
        literals = ", ".join(_LITERALS.get(column.type, "0.0") for column in columns)
        sql = f"SELECT {literals}, 1 UNION ALL SELECT {names}, 0 FROM {quoted(table)}"  # noqa: S608
        named, rest = f"{names}, {_MARK}", f"{_MARK} = 0"
    with target.read(sql) as rows:  # noqa: F841 - found by its name
        lake.execute(
            f"CREATE OR REPLACE TABLE {into or quoted(table)} AS"  # noqa: S608
            f" SELECT {names} FROM rows AS given ({named}) WHERE {rest} AND {where}"
        )


def existing_database(location: str) -> Target:
    """Open a database that is to be there already, and that a power cut must not cost.

    Raises:
        UserError: If it is a file that is not there, or no engine knows it.
    """
    path = Path(location).expanduser()
    if path.suffix and "://" not in location and not path.is_file():
        raise UserError(f"Database {location} does not exist; check the path.")
    target = write_database(location)
    if target.dialect == "sqlite":
        target.execute("PRAGMA synchronous = FULL")
    return target
