"""Sessions of agents on PostgreSQL: settings, memory limits, login."""

from collections.abc import Iterator
from contextlib import contextmanager

from wardround.ehr.database.interface import Limits, QueryError
from wardround.ehr.database.names import quote_name
from wardround.ehr.database.postgres import cells
from wardround.ehr.database.postgres.backend_process import bound_memory
from wardround.ehr.database.postgres.connection import Address
from wardround.ehr.database.postgres.server import PROCESS_BYTES
from wardround.ehr.database.postgres.session import Session

_SETTINGS = {
    **cells.SETTINGS,
    "application_name": "wardround",
    "lock_timeout": "5s",
    "client_min_messages": "error",
    "standard_conforming_strings": "on",
    # No parallel workers: the memory limit is per process, and row order stays the same.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}

_SEARCHED_SQL = """
SELECT n.nspname FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND EXISTS (SELECT FROM pg_catalog.pg_class c
        WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm'))
ORDER BY n.nspname <> 'public', n.nspname
"""


@contextmanager
def memory_bound(
    address: Address, session: Session, limits: Limits, memory: int | None
) -> Iterator[None]:
    """Limit the memory of the statement in the block, if requested and possible."""
    if memory is None or memory >= limits.heap_bytes or address.server is None:
        yield
        return
    bound_memory(address.server, session.pid, memory)
    try:
        yield
    finally:
        if not session.closed:
            bound_memory(address.server, session.pid, limits.heap_bytes)


def search_path(address: Address) -> str:
    """The search path: all schemas that contain tables, `public` first."""
    with address.connect() as connection:
        schemas = [str(row[0]) for row in connection.execute(_SEARCHED_SQL)]
    return ", ".join(quote_name(schema) for schema in schemas or ["public"])


def open_session(
    address: Address, login: tuple[str, str], settings: dict[str, str], limits: Limits
) -> Session:
    """Open a session as a role; its settings are restored after each use.

    Args:
        address: The database.
        login: The role's name and password.
        settings: Settings in addition to those of all agents' sessions.
        limits: Limits of one statement.
    """
    options = " ".join(
        f"-c {name}={_escaped(value)}" for name, value in {**_SETTINGS, **settings}.items()
    )
    name, password = login
    session = Session(address.of(user=name, password=password, options=options).connect(), limits)
    if address.server is not None and limits.heap_bytes != PROCESS_BYTES:
        bound_memory(address.server, session.pid, limits.heap_bytes)
    return session


def _escaped(value: str) -> str:
    """Escape a value for libpq's `options`, where blanks are separators."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def check_text(sql: str, limits: Limits) -> None:
    """Refuse a statement that cannot be sent to the server.

    Raises:
        QueryError: If it is too long, or contains a lone surrogate or a NUL character.
    """
    try:
        size = len(sql.encode())
    except UnicodeEncodeError as error:
        raise QueryError("The statement holds half a character.", "syntax") from error
    if size > limits.sql_bytes:
        message = f"The statement is longer than {limits.sql_bytes:,} bytes; write a shorter one."
        raise QueryError(message, "limit")
    if "\0" in sql:
        raise QueryError("The statement holds a character of code zero.", "syntax")
