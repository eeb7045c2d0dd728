"""Opens DuckDB files and reads their catalogue."""

from collections import defaultdict
from pathlib import Path

from wardround.ehr.database.file_driver import FileDriver
from wardround.ehr.database.file_format import FileFormat, Query
from wardround.ehr.database.interface import ColumnInfo, Limits

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
SELECT table_name, column_name, data_type, is_nullable,
    nullif(regexp_extract(comment, '^references (.+)$', 1), '')
FROM duckdb_columns() WHERE schema_name = current_schema() AND NOT internal
ORDER BY table_name, column_index
"""
# Unnested into one row per column, in key order, because a cell cannot hold a list.
_PRIMARY_KEYS = """
SELECT table_name, unnest(constraint_column_names), unnest(range(len(constraint_column_names)))
FROM duckdb_constraints()
WHERE schema_name = current_schema() AND constraint_type = 'PRIMARY KEY'
"""
_FOREIGN_KEYS = """
SELECT table_name, unnest(constraint_column_names), referenced_table,
    unnest(referenced_column_names)
FROM duckdb_constraints()
WHERE schema_name = current_schema() AND constraint_type = 'FOREIGN KEY'
"""


def _tables(query: Query) -> list[str]:
    return [str(row[0]) for row in query(_TABLES)]


def _columns(query: Query, table: str) -> dict[str, list[ColumnInfo]]:
    """The columns of all tables: DuckDB reads them about as fast as one table's."""
    keys = {
        (name, column): int(str(position)) + 1 for name, column, position in query(_PRIMARY_KEYS)
    }
    references = {row[:2]: f"{row[2]!s}({row[3]!s})" for row in query(_FOREIGN_KEYS)}
    columns = defaultdict[str, list[ColumnInfo]](list)
    for name, column, kind, nullable, commented in query(_COLUMNS):
        key, declared = keys.get((name, column), 0), references.get((name, column))
        refers = declared or (str(commented) if commented else None)
        info = ColumnInfo(str(column), str(kind).upper(), bool(nullable), key, refers)
        columns[str(name)].append(info)
    return columns


DUCKDB = FileFormat(
    dialect="duckdb",
    reading="wardround.ehr.database.duckdb.statements:open_reading",
    writing="wardround.ehr.database.duckdb.statements:open_writing",
    libraries=("duckdb",),
    logs=(".wal",),
    tables=_tables,
    columns=_columns,
)


def open_file(location: str, limits: Limits) -> FileDriver:
    """Open a file for reading."""
    return FileDriver(Path(location).expanduser(), DUCKDB, limits)
