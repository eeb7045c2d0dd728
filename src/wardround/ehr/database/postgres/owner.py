"""Administration on behalf of agents: login roles, copies of databases, and cleanup.

Each session of an agent logs in as its own role, so that none can see, cancel or terminate
another's statements. Names of roles and databases made for agents contain a random number, and
their owner holds the advisory lock of that number on the maintenance database. Objects whose lock
is free were left by a process that died, and the next owner drops them.
"""

import logging
import secrets
from contextlib import suppress
from itertools import count
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.database.postgres.backend_process import raise_fault, refuse_memory
from wardround.ehr.database.postgres.connection import Address, short_message

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow

_log = logging.getLogger(__name__)

_LOCKS_SECONDS = 10
# The first letters of the names of roles and databases that are dropped after use.
DROPPED = "wardround_trial_"
_GROUP = "wardround_readers_"
# Advisory lock: concurrent GRANTs on one table fail in PostgreSQL.
_PRIVILEGES_KEY = 0x77617264726F756E
# Limits that only a superuser can set: the size of temporary files, and the log level, because log
# messages could contain patients' rows.
_BOUNDS = {"temp_file_limit": "2GB", "log_min_messages": "fatal"}

# Waits for a session's end: after each request or signal, and for all signals together.
_OBEYING_SECONDS = 0.15
_FAILING_SECONDS = 0.6
_SESSION_SQL = "SELECT 1 FROM pg_catalog.pg_stat_activity WHERE pid = %(pid)s"
_COMPUTES_SQL = _SESSION_SQL + " AND wait_event IS NULL"

_LEFT_BEHIND_SQL = f"""
SELECT 'DATABASE', datname FROM pg_catalog.pg_database WHERE datname LIKE '{DROPPED}%'
UNION ALL
SELECT 'ROLE', rolname FROM pg_catalog.pg_roles WHERE rolname LIKE '{DROPPED}%'
"""  # noqa: S608

_WITHOUT_DATABASE_SQL = f"""
SELECT rolname FROM pg_catalog.pg_roles WHERE rolname LIKE '{_GROUP}%' AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_database WHERE rolname = '{_GROUP}' || oid)
"""  # noqa: S608

_UNREADABLE_SQL = """
SELECT n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND n.nspname !~ '^pg_'
    AND n.nspname <> 'information_schema'
    AND NOT (pg_catalog.has_table_privilege(%(role)s, c.oid, 'SELECT')
        AND pg_catalog.has_schema_privilege(%(role)s, n.oid, 'USAGE'))
"""

# Functions through which a statement could reach outside the database.
_REACHING_OUT_SQL = """
SELECT DISTINCT coalesce(e.extname, p.proname)
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
    AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
WHERE pg_catalog.has_function_privilege(%(role)s, p.oid, 'EXECUTE')
    AND (NOT l.lanpltrusted AND l.lanname NOT IN ('c', 'internal')
        OR e.extname IN ('dblink', 'http', 'pg_net', 'pgsql_http', 'pg_curl'))
ORDER BY 1
"""


class Owner:
    """The owner's connection to a server, on behalf of one opened database.

    A lost connection raises `InfraError`; the next call reconnects.

    Attributes:
        breaks: The number of lost connections noticed so far.

    Raises:
        UserError: If the server cannot be reached.
    """

    def __init__(self, address: Address):
        self.address = address
        self._lock = Lock()
        self._closed = False
        self.breaks = 0
        self._numbers = count()
        self._mark = secrets.randbits(62)
        self._connection = self._connect()
        try:
            self._superuser = self._run("SHOW is_superuser")[0][0] == "on"
            self._sweep()
        except BaseException:
            self._connection.close()
            raise

    def new_name(self) -> str:
        """A unique name for a role or a database."""
        return f"{DROPPED}{self._mark:x}_{next(self._numbers)}"

    def readers(self) -> str:
        """The role whose members can read the database, created if missing.

        Raises:
            UserError: If it cannot be created, or if public functions reach outside the database.
        """
        sql = "SELECT oid FROM pg_catalog.pg_database WHERE datname = %(name)s"
        number = self._run(sql, name=self.address.name)
        if not number:
            raise UserError(
                f"Database {self.address.url} does not exist; build it, or check the name."
            )
        role = f"{_GROUP}{number[0][0]}"
        self._make_group(role)
        self._let_read(role)
        return role

    def new_login(self, group: str) -> tuple[str, str]:
        """Create a login role in a group; returns its name and password."""
        name, password = self.new_name(), secrets.token_hex(16)
        with self._lock:
            verifier = self._connection.pgconn.encrypt_password(
                password.encode(), name.encode(), b"scram-sha-256"
            )
        self._run(
            f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 2 IN ROLE {group}"
            f" PASSWORD {quote_text(verifier.decode())}"
        )
        for setting, value in _BOUNDS.items() if self._superuser else ():
            self._run(f"ALTER ROLE {name} SET {setting} = '{value}'")
        return name, password

    def end(self, pid: int) -> None:
        """Terminate a session and wait until its locks are released, for a second at most.

        On wardround's own server, a session that does not obey in time is made to fail.
        """
        self._run("SELECT pg_catalog.pg_terminate_backend(%(pid)s)", pid=pid)
        server = self.address.server
        patience = _FAILING_SECONDS if server is None else _OBEYING_SECONDS
        if self.sees_end(pid, patience) or server is None:
            return
        refuse_memory(server, pid)
        if self.sees_end(pid, _OBEYING_SECONDS):
            return
        ends = monotonic() + _FAILING_SECONDS
        while monotonic() < ends:
            # Only on the processor: an error during a write could end the whole server.
            if self._run(_COMPUTES_SQL, pid=pid):
                raise_fault(server, pid)
            if self.sees_end(pid, _OBEYING_SECONDS):
                return
        _log.warning("The PostgreSQL process %d does not end", pid)

    def sees_end(self, pid: int, seconds: float) -> bool:
        """Wait for the end of a session; returns False if it is still there."""
        ends = monotonic() + seconds
        while self._run(_SESSION_SQL, pid=pid):
            if monotonic() > ends:
                return False
            sleep(0.01)
        return True

    def drop(self, kind: str, name: str) -> None:
        """Drop a role or a database."""
        forced = " WITH (FORCE)" if kind == "DATABASE" else ""
        self._run(f"DROP {kind} IF EXISTS {quote_name(name)}{forced}")

    def copy(self, source: str, name: str) -> None:
        """Copy a database that has no open connections."""
        self._run(f"CREATE DATABASE {quote_name(name)} TEMPLATE {quote_name(source)}")

    def check(self) -> None:
        """Check the connection.

        Raises:
            InfraError: If the connection was lost since its last use.
        """
        self._run("SELECT 1")

    def close(self) -> None:
        """Drop all roles and databases made here and disconnect; idempotent."""
        if self._closed:
            return
        mine = f"{DROPPED}{self._mark:x}_"
        # If the server broke off, the next owner drops the rest.
        with suppress(InfraError):
            for kind, name in self._left_behind():
                if name.startswith(mine):
                    self.drop(kind, name)
        self._closed = True
        self._connection.close()

    def run(self, sql: str, **values: object) -> "list[TupleRow]":
        """Run one statement on the maintenance database."""
        return self._run(sql, **values)

    def _run(self, sql: str, **values: object) -> "list[TupleRow]":
        """Run a statement, retrying while locks of a session that ends leave no room for it."""
        from psycopg.errors import OutOfMemory

        ends = monotonic() + _LOCKS_SECONDS
        while True:
            try:
                return self._ask(sql, values)
            except OutOfMemory as error:
                if monotonic() > ends:
                    raise InfraError(
                        f"The PostgreSQL server of database {self.address.url} has no room for"
                        f" locks ({short_message(error)})."
                    ) from error
            # Others may use the connection meanwhile, to end the session with the locks.
            sleep(0.05)

    def _ask(self, sql: str, values: dict[str, object]) -> "list[TupleRow]":
        from psycopg import OperationalError

        with self._lock:
            if self._connection.closed:
                self._connect_again()
            try:
                cursor = self._connection.execute(sql.encode(), values or None)
                return cursor.fetchall() if cursor.description else []
            except OperationalError as error:
                if not self._connection.closed:
                    raise
                self.breaks += 1
                raise InfraError(
                    f"The PostgreSQL server of database {self.address.url} broke off"
                    f" ({short_message(error)}); what ran on it is lost."
                ) from error

    def _connect(self) -> "Connection[TupleRow]":
        connection = self.address.maintenance.connect()
        connection.execute(f"SELECT pg_catalog.pg_advisory_lock({self._mark})".encode())
        return connection

    def _connect_again(self) -> None:
        if self._closed:
            raise UserError(f"Database {self.address.url} is closed; open it again to query it.")
        try:
            self._connection = self._connect()
        except UserError as error:
            raise InfraError(str(error)) from error

    def _left_behind(self) -> list[tuple[str, str]]:
        return [(str(kind), str(name)) for kind, name in self._run(_LEFT_BEHIND_SQL)]

    def _sweep(self) -> None:
        """Drop objects left by dead processes, and groups of databases that no longer exist."""
        from psycopg import Error

        for kind, name in self._left_behind():
            mark = int(name.removeprefix(DROPPED).partition("_")[0], 16)
            if mark == self._mark or not self._run(f"SELECT pg_try_advisory_lock({mark})")[0][0]:
                continue
            # Another process may be dropping the same objects.
            with suppress(Error):
                self.drop(kind, name)
            self._run(f"SELECT pg_advisory_unlock({mark})")
        for (name,) in self._run(_WITHOUT_DATABASE_SQL):
            with suppress(Error):
                self.drop("ROLE", str(name))

    def _make_group(self, role: str) -> None:
        from psycopg import Error
        from psycopg.errors import DuplicateObject, UniqueViolation

        if self._run("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %(role)s", role=role):
            return
        try:
            # Another process may be creating it too.
            with suppress(DuplicateObject, UniqueViolation):
                self._run(f"CREATE ROLE {role} NOLOGIN")
        except Error as error:
            raise self._cannot("make a role for agents", error) from error

    def _let_read(self, role: str) -> None:
        from psycopg import Error

        with self.address.connect() as connection:
            try:
                with connection.transaction():
                    connection.execute(
                        "SELECT pg_catalog.pg_advisory_xact_lock(%s)", [_PRIVILEGES_KEY]
                    )
                    database = quote_name(self.address.name)
                    connection.execute(f"GRANT CONNECT ON DATABASE {database} TO {role}".encode())
                    unread = connection.execute(_UNREADABLE_SQL, {"role": role}).fetchall()
                    for statement in _grants(role, [(str(a), str(b)) for a, b in unread]):
                        connection.execute(statement.encode())
                    reaching = connection.execute(_REACHING_OUT_SQL, {"role": role}).fetchall()
            except Error as error:
                raise self._cannot("let agents read", error) from error
        if reaching:
            raise UserError(
                f"Database {self.address.url} has functions that reach out of it and that all may "
                f"call ({', '.join(str(row[0]) for row in reaching)}); revoke EXECUTE on them "
                "from PUBLIC before an agent is let at it."
            )

    def _cannot(self, what: str, error: Exception) -> UserError:
        reason = short_message(error)
        return UserError(
            f"The owner of database {self.address.url} cannot {what} ({reason}); give a URL "
            "of a role that owns the database and has CREATEROLE."
        )


def _grants(role: str, tables: list[tuple[str, str]]) -> list[str]:
    schemas = sorted({schema for schema, _ in tables})
    return [f"GRANT USAGE ON SCHEMA {quote_name(schema)} TO {role}" for schema in schemas] + [
        f"GRANT SELECT ON {quote_name(schema)}.{quote_name(table)} TO {role}"
        for schema, table in tables
    ]
