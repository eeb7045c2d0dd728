"""A pool of database copies for trials that write, made in advance."""

from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from threading import Condition, Thread
from time import monotonic, sleep

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.names import quote_name
from wardround.ehr.database.postgres import content
from wardround.ehr.database.postgres.connection import short_message
from wardround.ehr.database.postgres.owner import Owner
from wardround.ehr.database.postgres.sandbox import open_session
from wardround.ehr.database.postgres.session import Session

_COPY_SECONDS = 60
MOST_SPARE = 4
# Bounds the disk space of clones that wait to be dropped.
_MOST_USED = 8

_END_IDLE_SQL = """
SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
WHERE datname = %(name)s AND usename LIKE 'wardround\\_trial\\_%%' AND state = 'idle'
"""
_USERS_SQL = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity WHERE datname = %(name)s"
# `pg_locks` can be read even when the table is full.
_FILLS_LOCK_TABLE_SQL = """
SELECT pg_catalog.count(*) > pg_catalog.current_setting('max_locks_per_transaction')::int
    * pg_catalog.current_setting('max_connections')::int / 2
FROM pg_catalog.pg_locks WHERE pid = %(pid)s
"""


@dataclass(eq=False)
class Clone:
    """A copy and the only session that can connect to it.

    Attributes:
        login: The role that owns the objects created by the session.
    """

    name: str
    login: str
    session: Session


class Clones:
    """A pool of copies of one database.

    A background thread makes them from a private template, to which nobody can connect, keeping
    as many spare copies as are in use, and drops copies returned unclean.

    Args:
        owner: The owner of the source database; nobody else may be connected to it while the
            template is made.
        settings: Settings of the clones' sessions.
        limits: Limits of one statement.

    Attributes:
        sequences: The initial state of each sequence, by quoted name.
        search_path: The schemas on the search path.

    Raises:
        UserError: If the database cannot be copied.
    """

    def __init__(self, owner: Owner, settings: dict[str, str], limits: Limits):
        address = owner.address
        self._address = address
        # CREATE and DROP DATABASE wait for other sessions, so the thread has its own connection.
        self._quick = owner
        self._settings = settings
        self._limits = limits
        self._owner = Owner(address)
        self._changed = Condition()
        self._spare: deque[Clone] = deque()
        self._used: deque[Clone] = deque()
        self._out = 0
        self._closed = False
        self._failure: Exception | None = None
        self.search_path = settings["search_path"]
        try:
            self._template, self._writers = self._make_template()
        except BaseException:
            self._owner.close()
            raise
        self._maker = Thread(target=self._work, daemon=True, name="wardround clones")
        self._maker.start()

    def take(self) -> Clone:
        """Take a fresh copy for exclusive use.

        Raises:
            InfraError: If none can be made; the next call tries again.
            UserError: If the pool is closed.
        """
        with self._changed:
            self._failure = None
            self._out += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._spare or self._failure or self._closed)
            if not self._spare:
                self._out -= 1
                raise self._unavailable_error()
            clone = self._spare.popleft()
            self._changed.notify_all()
            return clone

    def give_back(self, clone: Clone, *, clean: bool) -> None:
        """Return a copy to the pool, or have it dropped if it is not clean."""
        with self._changed:
            self._out -= 1
            is_reusable = clean and not self._closed and len(self._spare) < MOST_SPARE
            if is_reusable:
                self._spare.append(clone)
            elif not self._closed:
                self._used.append(clone)
            self._changed.notify_all()
        if not is_reusable:
            # An open session holds a connection to the server, and locks.
            clone.session.close()

    def growth(self, clone: Clone) -> int:
        """The bytes by which a copy has grown on disk."""
        sql = "SELECT pg_database_size(%(name)s) - pg_database_size(%(template)s)"
        return int(self._quick.run(sql, name=clone.name, template=self._template)[0][0])

    def fills_lock_table(self, clone: Clone) -> bool:
        """True if a copy's session holds so many locks that others soon find no room for theirs."""
        return bool(self._quick.run(_FILLS_LOCK_TABLE_SQL, pid=clone.session.pid)[0][0])

    def end(self, clone: Clone) -> None:
        """Terminate a copy's session that does not end by itself."""
        self._quick.end(clone.session.pid)

    def breaks(self) -> int:
        """The number of lost connections; raises an `InfraError` for an unreported one."""
        self._quick.check()
        return self._quick.breaks

    def close(self) -> None:
        """Drop all copies; idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._maker.join()
        for clone in self._spare:
            clone.session.close()
        self._spare.clear()
        self._used.clear()
        self._owner.close()

    def _unavailable_error(self) -> UserError | InfraError:
        if self._closed:
            return UserError(f"Database {self._address.url} is closed; open it again to query it.")
        return InfraError(
            f"Database {self._address.url} cannot be copied for a task that writes"
            f" ({short_message(self._failure) if self._failure else 'no reason given'})."
        )

    def _work(self) -> None:
        while job := self._next_job():
            try:
                self._drop(job) if isinstance(job, Clone) else self._add(self._make_with_retry())
            except Exception as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()

    def _next_job(self) -> "Clone | str | None":
        """The clone to drop, "make", or None once closed; making comes first unless many wait."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._needs_more() or self._used)
            if self._closed:
                return None
            full = len(self._used) >= _MOST_USED
            return "make" if self._needs_more() and not full else self._used.popleft()

    def _needs_more(self) -> bool:
        return not self._failure and len(self._spare) < min(max(self._out, 1), MOST_SPARE)

    def _add(self, clone: Clone) -> None:
        with self._changed:
            self._spare.append(clone)
            self._changed.notify_all()

    def _make_with_retry(self) -> Clone:
        """Make a copy, retrying once if the connection was lost."""
        with suppress(InfraError):
            return self._make()
        return self._make()

    def _make(self) -> Clone:
        name = self._owner.new_name()
        login = self._owner.new_login(self._writers)
        self._owner.copy(self._template, name)
        self._owner.run(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
        self._owner.run(f"GRANT ALL ON DATABASE {name} TO {login[0]}")
        session = open_session(self._address.of(dbname=name), login, self._settings, self._limits)
        return Clone(name, login[0], session)

    def _drop(self, clone: Clone) -> None:
        self._owner.drop("DATABASE", clone.name)
        self._owner.drop("ROLE", clone.login)

    def _make_template(self) -> tuple[str, str]:
        """Make the template; returns its name and the role that owns everything in it."""
        name, writers = self._owner.new_name(), self._owner.new_name()
        self._owner.run(f"CREATE ROLE {writers} NOLOGIN")
        self._owner.run(f"GRANT {writers} TO CURRENT_USER")
        self._copy_when_free(name)
        self._owner.run(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
        with self._address.of(dbname=name).connect() as connection:
            run = connection.execute
            self.sequences = content.sequences(lambda sql: run(sql.encode()).fetchall())
            sql = files("wardround.ehr.database.postgres").joinpath("ownership.sql").read_text()
            for (statement,) in run(sql.encode(), {"role": writers}).fetchall():
                run(str(statement).encode())
        self._owner.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        return name, writers

    def _copy_when_free(self, name: str) -> None:
        """Copy the database once no statement runs on it."""
        from psycopg import Error
        from psycopg.errors import ObjectInUse

        ends = monotonic() + _COPY_SECONDS
        source = self._address.name
        while True:
            # wardround's own sessions reconnect when next used.
            self._owner.run(_END_IDLE_SQL, name=source)
            try:
                with suppress(ObjectInUse):
                    self._owner.copy(source, name)
                    return
            except Error as error:
                raise UserError(
                    f"Database {self._address.url} cannot be copied for a task that writes "
                    f"({short_message(error)}); give a URL of a role that owns it and has CREATEDB."
                ) from error
            if monotonic() > ends:
                users = self._owner.run(_USERS_SQL, name=source)[0][0]
                raise UserError(
                    f"Database {self._address.url} cannot be copied for a task that writes while "
                    f"{users} others are connected to it; close them, {quote_name(source)} first."
                )
            sleep(0.2)
