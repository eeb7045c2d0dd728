"""Opens a database by its location, with clear errors for the usual mistakes."""

from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.locations import check_readable, is_url
from wardround.ehr.database.database import Database
from wardround.ehr.database.engine import TableSource, Target, engine_of, first_bytes
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.names import quote_name


def open_database(location: str | Path, limits: Limits = Limits()) -> Database:  # noqa: B008
    """Open a database of any engine for reading.

    Args:
        location: An uncompressed SQLite or DuckDB file of any name, or an engine's URL.
        limits: Limits of one statement.

    Raises:
        UserError: If there is no such database, or it has no tables.
    """
    where = str(location)
    _check_location(where)
    database = engine_of(where).open(where, limits)
    if not _tables(database):
        database.close()
        raise UserError(f"Database {database.url} has no tables; load data into it first.")
    return database


def open_source(location: str) -> TableSource:
    """Open a database of any engine for reading its tables whole.

    Raises:
        UserError: If there is no such database, or its tables cannot be read whole.
    """
    _check_location(location)
    return engine_of(location).table_source(location)


def existing_database(location: str) -> Target:
    """Open an existing database for changes that survive a power cut.

    Raises:
        UserError: If there is no such database, or it cannot be written.
    """
    _check_location(location)
    target = engine_of(location).write(location)
    if target.dialect == "sqlite":
        target.execute("PRAGMA synchronous = FULL")
    return target


def empty_tables(database: Database) -> list[str]:
    """The tables without rows, the sign of a half-loaded database."""
    return [
        table
        for table in database.tables()
        if not database.execute(f"SELECT 1 FROM {quote_name(table)} LIMIT 1").rows  # noqa: S608
    ]


def _tables(database: Database) -> list[str]:
    try:
        return database.tables()
    except BaseException:
        database.close()
        raise


def _check_location(location: str) -> None:
    if not is_url(location):
        _check_file(Path(location).expanduser())


def _check_file(path: Path) -> None:
    check_readable(path)
    if path.is_dir():
        raise UserError(f"Database {path} is a folder; name the database file in it.")
    if not path.exists():
        raise UserError(f"Database {path} does not exist; check the path.")
    if path.suffix == ".gz":
        raise UserError(
            f"Database {path} is compressed; unpack it with gunzip and name the result."
        )
    if not first_bytes(path, 1):
        raise UserError(f"Database {path} is empty; get a new copy.")
