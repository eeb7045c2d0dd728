"""Opening a database by its location, with plain words for what is wrong with it."""

from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Database, Limits
from wardround.ehr.database.names import quote_name
from wardround.ehr.database.sqlite.database import SqliteDatabase

_SQLITE_MAGIC = b"SQLite format 3\x00"


def open_database(location: str | Path, limits: Limits = Limits()) -> Database:  # noqa: B008
    """Open a SQLite file for reading.

    Args:
        location: The file, of any name; it has to be unpacked.
        limits: How much one statement may use.

    Raises:
        UserError: If there is no such file, or it is no SQLite database with tables.
    """
    path = Path(location).expanduser()
    _check_file(path)
    database = SqliteDatabase(path, limits)
    if not database.tables():
        database.close()
        raise UserError(f"Database {path} has no tables; load data into it first.")
    return database


def empty_tables(database: Database) -> list[str]:
    """The tables without a single row: what a half-loaded database shows."""
    return [
        table
        for table in database.tables()
        if not database.execute(f"SELECT 1 FROM {quote_name(table)} LIMIT 1").rows  # noqa: S608
    ]


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise UserError(f"Database {path} is a folder; name the SQLite file in it.")
    if not path.exists():
        raise UserError(f"Database {path} does not exist; check the path.")
    if path.suffix == ".gz":
        raise UserError(f"Database {path} is packed; unpack it with gunzip and name the result.")
    head = _first_bytes(path)
    if not head:
        raise UserError(f"Database {path} is empty; get a new copy.")
    if head != _SQLITE_MAGIC:
        raise UserError(f"Database {path} is not a SQLite file; give a .sqlite or .db file.")


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise UserError(f"Database {path} cannot be opened: {error.strerror}.") from error
