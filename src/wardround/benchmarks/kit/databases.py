"""Opens the databases of a run by the names that tasks use, and closes them."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, Protocol, TypeVar

from wardround.core.errors import UserError
from wardround.ehr.database import Database, empty_tables, open_database
from wardround.ehr.database.definition import create_table_text


class HasDatabase(Protocol):
    """A benchmark's own type that holds an open database."""

    @property
    def database(self) -> Database:
        """The database."""
        ...


Opened = TypeVar("Opened", bound=HasDatabase)


def open_databases(
    locations: Mapping[str, str], opener: Callable[[str, str], Opened]
) -> dict[str, Opened]:
    """Opens databases by name; if one fails to open, closes the others again.

    Args:
        locations: files or URLs, by name.
        opener: opens a database by its name and its file or URL.

    Raises:
        UserError: a database cannot be opened.
    """
    opened: dict[str, Opened] = {}
    try:
        for name, location in locations.items():
            opened[name] = opener(name, location)
    except UserError:
        close_databases(opened)
        raise
    return opened


def close_databases(opened: Mapping[str, HasDatabase]) -> None:
    """Closes all databases."""
    for entry in opened.values():
        entry.database.close()


def open_filled(location: str) -> Database:
    """Opens a database and refuses empty tables.

    Raises:
        UserError: it cannot be opened, or a table is empty.
    """
    database = open_database(location)
    try:
        check_filled(database)
    except UserError:
        database.close()
        raise
    return database


def check_filled(database: Database) -> None:
    """Refuses a database with empty tables.

    Raises:
        UserError: a table is empty.
    """
    if empty := empty_tables(database):
        raise UserError(
            f"Database {database.url} has empty tables ({', '.join(empty[:5])}), which would lower "
            "every score unseen; load the whole database."
        )


def named_table(sql: str, tables: Collection[str]) -> str:
    """The first of some tables that a query names; "" if it names none.

    >>> named_table("SELECT 1 FROM Notes n", ["costs", "notes"]), named_table("SELECT 1", ["notes"])
    ('notes', '')
    """
    words = set(re.findall(r"\w+", sql.lower()))
    return next((table for table in tables if table.lower() in words), "")


def missing_database(name: str, example: str) -> str:
    """Returns the reason for not running a task whose database is not open.

    >>> missing_database("hospital", "FILE")
    'it needs the database hospital; add --database hospital=FILE.'
    """
    return f"it needs the database {name}; add --database {name}={example}."


def schema_text(database: Database) -> str:
    """Returns the `CREATE TABLE` statements of all tables."""
    columns = database.columns_by_table()
    return "\n\n".join(create_table_text(table, columns[table]) for table in columns)


class NamedLocation(NamedTuple):
    """A database of a run: the name that tasks use, and its file or URL."""

    name: str
    location: str


def only_database(databases: Mapping[str, str], title: str) -> NamedLocation | None:
    """The database that a run names; None if it names none.

    Args:
        databases: files or URLs by name.
        title: the benchmark's title, for the error.

    Raises:
        UserError: several are named.

    >>> only_database({"a": "a.fhir"}, "X"), only_database({}, "X")
    (NamedLocation(name='a', location='a.fhir'), None)
    """
    if len(databases) > 1:
        raise UserError(f"{title} asks about one record; name one with --database.")
    return next((NamedLocation(*pair) for pair in databases.items()), None)
