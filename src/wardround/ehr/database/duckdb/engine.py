"""DuckDB as an engine: any file that begins as DuckDB files do, or is to become one."""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="A DuckDB file, read or built.",
    reader="wardround.ehr.database.duckdb.driver:open_file",
    writer="wardround.ehr.database.duckdb.target:write_file",
    suffixes=(".duckdb", ".ddb"),
    magic=b"DUCK",
    magic_offset=8,
)
