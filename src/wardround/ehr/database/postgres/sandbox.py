"""Sessions of agents on PostgreSQL: settings, limits of memory, login."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from wardround.ehr.database.interface import Limits, QueryError
from wardround.ehr.database.names import quote_name
from wardround.ehr.database.postgres import cells
from wardround.ehr.database.postgres.connection import Address
from wardround.ehr.database.postgres.server import PROCESS_BYTES, Server
from wardround.ehr.database.postgres.session import Session

_SETTINGS = {
    **cells.SETTINGS,
    "application_name": "wardround",
    "lock_timeout": "5s",
    "client_min_messages": "error",
    "standard_conforming_strings": "on",
    # One process to a statement: its memory is bounded, and rows come in the same order.
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


def bound_memory(server: Server, pid: int, most: int) -> None:
    """Bound what a process of wardround's own server may allocate (Linux).

    PostgreSQL says so when it is refused, and goes on.
    """
    if sys.platform != "linux":
        return
    if os.geteuid() == server.user.pw_uid:
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
        return
    # Root may do it to its own processes only, where a container has taken its capabilities.
    program = shutil.which("prlimit")
    if program is not None:
        subprocess.run(  # noqa: S603 - the command is made here
            [program, f"--pid={pid}", f"--data={most}:"],
            check=True,
            user=server.user.pw_uid,
            group=server.user.pw_gid,
            extra_groups=[],
        )


@contextmanager
def memory_bound(
    address: Address, session: Session, limits: Limits, memory: int | None
) -> Iterator[None]:
    """Bound the memory of a block's statement, where that is asked for and possible."""
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
    """The schemas in which a bare name is looked for: all that hold tables, `public` first."""
    with address.connect() as connection:
        schemas = [str(row[0]) for row in connection.execute(_SEARCHED_SQL)]
    return ", ".join(quote_name(schema) for schema in schemas or ["public"])


def open_session(
    address: Address, login: tuple[str, str], settings: dict[str, str], limits: Limits
) -> Session:
    """A session of a role; what it sets is forgotten, its settings are these again, after each use.

    Args:
        address: The database.
        login: The role's name and password.
        settings: Of the session, beside those that all sessions of agents have.
        limits: How much a statement may use.
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
    """A value within libpq's options, where blanks end it."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def check_text(sql: str, limits: Limits) -> None:
    """Refuse a text that the server would not get whole.

    Raises:
        QueryError: If it is too long, or holds what no text of PostgreSQL may hold.
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
