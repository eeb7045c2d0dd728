"""SQLite as an engine: any file that begins as SQLite files do, or is to become one."""

from pathlib import Path

from wardround.ehr.database.files import FileDatabase, first_bytes
from wardround.ehr.database.interface import Database, Limits
from wardround.ehr.database.sqlite.database import SQLITE
from wardround.ehr.database.sqlite.target import SqliteTarget

_MAGIC = b"SQLite format 3\x00"
_ENDINGS = {".sqlite", ".sqlite3", ".db"}


class SqliteEngine:
    """Opens and writes SQLite files; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it is a SQLite file, or a file yet to be made that is named like one."""
        path = Path(location).expanduser()
        if path.is_file() and path.stat().st_size:
            return first_bytes(path, len(_MAGIC)) == _MAGIC
        return path.suffix in _ENDINGS

    def open(self, location: str, limits: Limits) -> Database:
        """Open a file for reading."""
        return FileDatabase(Path(location).expanduser(), SQLITE, limits)

    def write(self, location: str) -> SqliteTarget:
        """Open or make a file for writing."""
        return SqliteTarget(Path(location).expanduser())
