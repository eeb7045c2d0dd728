"""Opens DuckDB files and reads their catalogue."""

from pathlib import Path

from wardround.ehr.database.file_driver import FileDriver, FileFormat, Query
from wardround.ehr.database.interface import Cell, ColumnInfo, Limits
from wardround.ehr.database.names import quote_text

_TABLES = """
SELECT name FROM (
    SELECT table_name AS name, table_oid AS made FROM duckdb_tables()
    WHERE schema_name = current_schema() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT view_name, view_oid FROM duckdb_views()
    WHERE schema_name = current_schema() AND NOT internal AND NOT temporary
) ORDER BY made
"""
_COLUMNS = """
SELECT column_name, data_type, is_nullable,
    nullif(regexp_extract(comment, '^references (.+)$', 1), '')
FROM duckdb_columns()
WHERE schema_name = current_schema() AND NOT internal AND table_name = {table}
ORDER BY column_index
"""
# Unnested into one row per column, in key order, because a cell cannot hold a list.
_PRIMARY_KEY = """
SELECT unnest(constraint_column_names) FROM duckdb_constraints()
WHERE schema_name = current_schema() AND table_name = {table} AND constraint_type = 'PRIMARY KEY'
"""
_FOREIGN_KEYS = """
SELECT unnest(constraint_column_names), referenced_table, unnest(referenced_column_names)
FROM duckdb_constraints()
WHERE schema_name = current_schema() AND table_name = {table} AND constraint_type = 'FOREIGN KEY'
"""


def _tables(query: Query) -> list[str]:
    return [str(row[0]) for row in query(_TABLES)]


def _columns(query: Query, table: str) -> list[ColumnInfo]:
    literal = quote_text(table)
    key = [row[0] for row in query(_PRIMARY_KEY.format(table=literal))]
    keys = query(_FOREIGN_KEYS.format(table=literal))
    references = {row[0]: f"{row[1]!s}({row[2]!s})" for row in keys}
    declared = query(_COLUMNS.format(table=literal))
    return [_column_info(row, key, references.get(row[0])) for row in declared]


def _column_info(row: tuple[Cell, ...], key: list[Cell], declared: str | None) -> ColumnInfo:
    name, kind, nullable, commented = row
    position = key.index(name) + 1 if name in key else 0
    references = declared or (str(commented) if commented else None)
    return ColumnInfo(str(name), str(kind).upper(), bool(nullable), position, references)


DUCKDB = FileFormat(
    dialect="duckdb",
    reading="wardround.ehr.database.duckdb.statements:open_reading",
    writing="wardround.ehr.database.duckdb.statements:open_writing",
    logs=(".wal",),
    tables=_tables,
    columns=_columns,
)


def open_file(location: str, limits: Limits) -> FileDriver:
    """Open a file for reading."""
    return FileDriver(Path(location).expanduser(), DUCKDB, limits)
