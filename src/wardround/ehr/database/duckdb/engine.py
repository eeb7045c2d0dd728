"""DuckDB as an engine: files with DuckDB's magic bytes, or new files with its suffix."""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="A DuckDB file, read or built.",
    reader="wardround.ehr.database.duckdb.driver:open_file",
    writer="wardround.ehr.database.duckdb.target:write_file",
    source="wardround.ehr.database.duckdb.target:read_file",
    copier="wardround.ehr.database.attached_copy:duckdb_copy",
    suffixes=(".duckdb", ".ddb"),
    magic=b"DUCK",
    magic_offset=8,
)
