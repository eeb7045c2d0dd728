"""Errors of the database that a test program is given: psycopg's classes, and its modules."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType


class Error(Exception):
    """An error of the database about a statement.

    Attributes:
        pgcode: PostgreSQL's code, where the server gave one.
        late: Whether it did not end in time.
    """

    pgcode: str = ""
    late = False

    @property
    def sqlstate(self) -> str:
        """The same by psycopg's newer name."""
        return self.pgcode


class DatabaseError(Error):
    """Any error of the database."""


class OperationalError(DatabaseError):
    """A deadline or a limit, or the server's own trouble."""


class ProgrammingError(DatabaseError):
    """A statement that cannot be understood, or names what is not there."""


class IntegrityError(DatabaseError):
    """A constraint that does not hold."""


class DataError(DatabaseError):
    """A value that is not possible."""


class InternalError(DatabaseError):
    """A transaction that has failed, or is not the right one."""


class NotSupportedError(DatabaseError):
    """A feature that PostgreSQL does not have."""


# By the first two characters of PostgreSQL's codes.
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
