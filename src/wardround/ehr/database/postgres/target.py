"""A PostgreSQL database being built, or read whole."""

from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database import arrow
from wardround.ehr.database.cells import cell
from wardround.ehr.database.engine import ArrowStream, TableSource, transaction
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_name
from wardround.ehr.database.postgres.connection import Address, find_address, short_message
from wardround.ehr.database.postgres.owner import DROPPED
from wardround.ehr.schema import Table, create_statement, quoted, reference_statements

_TABLES_SQL = (
    "SELECT tablename::text COLLATE \"C\" FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
    " ORDER BY 1"
)


class PostgresTarget:
    """One PostgreSQL database; see `Target`, and `TableSource` if its sessions are read-only.

    Tables are in the schema `public`.
    """

    dialect = "postgres"

    def __init__(self, address: Address):
        self._address = address
        self._closed = False
        self._queries = address.connect()

    @cached_property
    def _connection(self) -> Any:
        """The ADBC connection for loading and reading, opened on first use."""
        from adbc_driver_postgresql import dbapi  # type: ignore[import-untyped]

        return dbapi.connect(self._address.driver_uri, autocommit=True)

    @property
    def location(self) -> str:
        """The database's location, without a password."""
        return self._address.url

    def tables(self) -> list[str]:
        """The names of existing tables, in alphabetical order."""
        return [str(row[0]) for row in self.query(_TABLES_SQL)]

    def create(self, table: Table) -> None:
        """Create an empty table."""
        for statement in (create_statement(table, "postgres"), *reference_statements(table)):
            self.execute(statement)

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows."""
        loaded = arrow.load(self._connection, table, rows)
        # Otherwise the first queries are planned for an empty table.
        self.execute(f"ANALYZE {quoted(table)}")
        return loaded

    def read(self, sql: str) -> AbstractContextManager[ArrowStream]:
        """The rows of a query, streamed."""
        return arrow.read(self._connection, sql)

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query; committed data only."""
        rows = self._queries.execute(sql.encode()).fetchall()
        return [tuple(map(cell, row)) for row in rows]

    def execute(self, sql: str) -> None:
        """Run one statement."""
        arrow.execute(self._connection, sql)

    def transaction(self) -> AbstractContextManager[None]:
        """Commit the block's changes, or roll back if it raises."""
        return transaction(self)

    def close(self) -> None:
        """Close the connections and release the server."""
        if not self._closed:
            self._closed = True
            if "_connection" in vars(self):
                self._connection.close()
            self._queries.close()
            self._address.leave()


def _create_database(address: Address) -> None:
    import psycopg

    with address.maintenance.connect() as connection:
        try:
            connection.execute(f"CREATE DATABASE {quote_name(address.name)}".encode())
            if address.server is not None:
                # Agents' roles may connect only to databases that grant it to them.
                for name in (address.name, address.maintenance.name, "template1"):
                    connection.execute(
                        f"REVOKE ALL ON DATABASE {quote_name(name)} FROM PUBLIC".encode()
                    )
        except psycopg.Error as error:
            raise UserError(
                f"Database {address.url} cannot be made ({short_message(error)})."
            ) from error


def write_location(location: str) -> PostgresTarget:
    """Open or create a database for writing.

    Raises:
        UserError: If its name is one of databases that are dropped after use, or it cannot be made.
    """
    address = find_address(location)
    try:
        if address.name.startswith(DROPPED):
            raise UserError(
                f"Database {address.url} would be dropped, as all that are called {DROPPED}…; "
                "choose another name."
            )
        if not address.exists():
            _create_database(address)
        return PostgresTarget(address)
    except BaseException:
        address.leave()
        raise


def read_location(location: str) -> TableSource:
    """Open an existing database for reading.

    Raises:
        UserError: If it cannot be opened.
    """
    address = find_address(location)
    try:
        return PostgresTarget(address.of(options="-c default_transaction_read_only=on"))
    except BaseException:
        address.leave()
        raise
