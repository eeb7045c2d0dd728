"""Database errors for test programs: psycopg's classes and modules."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType


class Error(Exception):
    """An error of the database about a statement.

    Attributes:
        pgcode: The SQLSTATE, if the server gave one.
        late: True if the statement missed its deadline.
    """

    pgcode: str = ""
    late = False

    @property
    def sqlstate(self) -> str:
        """The SQLSTATE under psycopg's newer name."""
        return self.pgcode


class DatabaseError(Error):
    """Any error of the database."""


class OperationalError(DatabaseError):
    """A deadline, a limit or a fault of the server."""


class ProgrammingError(DatabaseError):
    """A syntax error, or a reference to a missing object."""


class IntegrityError(DatabaseError):
    """A violated constraint."""


class DataError(DatabaseError):
    """An invalid value."""


class InternalError(DatabaseError):
    """A failed or invalid transaction state."""


class NotSupportedError(DatabaseError):
    """A feature that PostgreSQL does not support."""


# By SQLSTATE class, the first two characters.
_CLASSES: Mapping[str, type[Error]] = MappingProxyType(
    {
        "0A": NotSupportedError,
        "22": DataError,
        "23": IntegrityError,
        "25": InternalError,
        "26": ProgrammingError,
        "34": ProgrammingError,
        "42": ProgrammingError,
        "53": OperationalError,
        "54": OperationalError,
        "55": OperationalError,
        "57": OperationalError,
    }
)


def error_of(state: str, message: str) -> Error:
    """The exception for a server's error."""
    error = _CLASSES.get(state[:2], DatabaseError)(message)
    error.pgcode = state
    return error


def error_modules() -> dict[str, ModuleType]:
    """Modules of psycopg's names, with the classes of errors and nothing else."""
    classes: set[type[Error]] = {Error, DatabaseError, *_CLASSES.values()}
    made = {name: ModuleType(name) for name in ("psycopg2", "psycopg")}
    for module in made.values():
        vars(module).update({each.__name__: each for each in classes})
    return made
