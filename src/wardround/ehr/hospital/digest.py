"""Engine-independent digest of a database's rows."""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import UserError
from wardround.ehr.database import TableSource, open_source
from wardround.ehr.database.table_reader import column_names, read_table
from wardround.ehr.schema import Column, Schema, load_schema, quoted, recognise

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def content_digest(location: str | Path) -> str:
    r"""SHA-256 over row count and the sums of both MD5 halves of every table, by name.

    Ignores the order of rows. Cells are hashed as formatted by DuckDB: numbers with the fewest
    digits that round-trip, times as "2100-12-31 23:59:00", NULL as "\N".

    Args:
        location: A database in one of the packaged schemas, on any engine.

    Returns:
        64 hexadecimal digits.

    Raises:
        UserError: If the database does not exist or has no known schema.
    """
    import duckdb

    digest = hashlib.sha256()
    with closing(open_source(str(location))) as database, duckdb.connect() as lake:
        for table in sorted(_schema(database).tables, key=lambda table: table.name):
            read_table(lake, database, table.name, table.columns, into="cells")
            sums = _sums(lake, table.columns)
            digest.update(f"{table.name} {sums}\n".encode())
    return digest.hexdigest()


def _schema(database: TableSource) -> Schema:
    name = recognise(column_names(database, database.tables()))
    if name is None:
        raise UserError(
            f"Database {database.location} has no known schema; check it with wardround doctor."
        )
    return load_schema(name)


def _sums(lake: "DuckDBPyConnection", columns: Sequence[Column]) -> str:
    cells = ", ".join(
        f"coalesce(CAST({quoted(column.name)} AS VARCHAR), '\\N')" for column in columns
    )
    sql = (
        "SELECT count(*), sum(md5_number_lower(row)), sum(md5_number_upper(row)) "  # noqa: S608
        f"FROM (SELECT concat_ws(chr(31), {cells}) AS row FROM cells)"
    )
    return " ".join(str(value) for value in lake.execute(sql).fetchall()[0])
