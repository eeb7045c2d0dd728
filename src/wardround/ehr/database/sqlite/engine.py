"""SQLite as an engine: files with SQLite's magic bytes, or new files with its suffix."""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="A SQLite file, read or built.",
    reader="wardround.ehr.database.sqlite.driver:open_file",
    writer="wardround.ehr.database.sqlite.target:write_file",
    source="wardround.ehr.database.sqlite.target:read_file",
    copier="wardround.ehr.database.attached_copy:sqlite_copy",
    catalogue="wardround.ehr.database.sqlite.driver:column_names",
    suffixes=(".sqlite", ".sqlite3", ".db"),
    magic=b"SQLite format 3\x00",
)
