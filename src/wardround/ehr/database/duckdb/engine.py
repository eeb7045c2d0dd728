"""DuckDB as an engine: any file that begins as DuckDB files do, or is to become one."""

from pathlib import Path

from wardround.ehr.database.duckdb.database import DUCKDB
from wardround.ehr.database.duckdb.target import DuckdbTarget
from wardround.ehr.database.files import FileDatabase, first_bytes
from wardround.ehr.database.interface import Database, Limits

_MAGIC = b"DUCK"
_MAGIC_AT = 8


class DuckdbEngine:
    """Opens and writes DuckDB files; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it is a DuckDB file, or a file yet to be made that is named like one."""
        path = Path(location).expanduser()
        if path.is_file() and path.stat().st_size:
            return first_bytes(path, _MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] == _MAGIC
        return path.suffix in {".duckdb", ".ddb"}

    def open(self, location: str, limits: Limits) -> Database:
        """Open a file for reading."""
        return FileDatabase(Path(location).expanduser(), DUCKDB, limits)

    def write(self, location: str) -> DuckdbTarget:
        """Open or make a file for writing."""
        return DuckdbTarget(Path(location).expanduser())
