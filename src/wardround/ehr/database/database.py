"""An open database of any engine: queries within limits, tables and columns."""

from wardround.core.errors import UserError
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.driver import (
    CopyingDriver,
    Driver,
    HidingDriver,
    MeteredDriver,
    SamplingDriver,
    WorkspaceDriver,
)
from wardround.ehr.database.interface import ColumnInfo, ResultTable, ScanCost
from wardround.ehr.database.names import find_table, quote_name


class Database:
    """A read-only database; thread-safe.

    Args:
        driver: The engine's driver.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    @property
    def name(self) -> str:
        """A short name for messages and reports."""
        return self.driver.name

    @property
    def url(self) -> str:
        """The database's path or URL."""
        return self.driver.url

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""
        return self.driver.dialect

    def execute(
        self,
        sql: str,
        *,
        rows: int | None = 100,
        seconds: float = 60.0,
        memory: int | None = None,
    ) -> ResultTable:
        """Run one read-only statement.

        Cells are the same on every engine: a date is `2100-12-31`, a time `2100-12-31 23:59:00`
        with microseconds only if they are not zero, true is 1, a decimal is an int if its type has
        no fraction and a float otherwise.

        Args:
            sql: One statement; a trailing semicolon and comments are allowed.
            rows: The most rows to keep; None keeps all.
            seconds: The deadline.
            memory: The most bytes that the statement may allocate, below `Limits.heap_bytes`.

        Raises:
            QueryError: If the statement fails, is refused or exceeds a limit.
        """
        return self.driver.run(sql, rows, seconds, memory)

    def cost(self, sql: str) -> ScanCost | None:
        """The estimated cost of one statement, which is not run; None if reading is free.

        Raises:
            QueryError: If the statement is refused.
        """
        return self.driver.cost(sql) if isinstance(self.driver, MeteredDriver) else None

    def tables(self) -> list[str]:
        """The names of tables and views, in order of creation."""
        return self.driver.tables()

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order.

        Raises:
            QueryError: If there is no such table.
        """
        return self.driver.columns(find_table(self, table))

    def columns_by_table(self) -> dict[str, list[ColumnInfo]]:
        """The columns of every table and view, in order."""
        return {table: self.driver.columns(table) for table in self.driver.tables()}

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text, in the same layout on every engine."""
        described = find_table(self, table)
        return create_table_text(described, self.driver.columns(described))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""
        name = find_table(self, table)
        if isinstance(self.driver, SamplingDriver):
            return self.driver.sample(name, rows)
        sql = f"SELECT * FROM {quote_name(name)} LIMIT {int(rows)}"  # noqa: S608
        return self.execute(sql, rows=rows)

    def fingerprint(self) -> str:
        """A digest of the content: equal for a copy, different after a change."""
        return self.driver.fingerprint()

    def writable(self) -> "Workspace":
        """A private, writable copy of the database.

        Raises:
            UserError: If this engine does not support writing.
        """
        if not isinstance(self.driver, CopyingDriver):
            raise UserError(
                f"Database {self.url} cannot be written to by a task; use SQLite, DuckDB or"
                " PostgreSQL."
            )
        return Workspace(self.driver.copy())

    def hiding(self, subject_id: int) -> "Database":
        """The same database without one patient's rows, under every name that a query may use.

        It shares this database's processes, and is closed with it.

        Raises:
            UserError: If this engine cannot hide a patient.
        """
        if not isinstance(self.driver, HidingDriver):
            raise UserError(
                f"Database {self.url} cannot hide a patient; use googlesql: or bigquery:, or remove"
                " the patient with wardround data remove-patient."
            )
        return Database(self.driver.hiding(subject_id))

    def close(self) -> None:
        """Interrupt running statements and release all resources; idempotent."""
        self.driver.close()


class Workspace(Database):
    """A writable copy of a database that only one trial sees.

    `execute` accepts writing statements too, with the same limits, and `COMMIT` and the like,
    which take effect in this copy only. `close` discards the copy.
    """

    driver: WorkspaceDriver

    def __init__(self, driver: WorkspaceDriver) -> None:
        super().__init__(driver)

    def reset(self) -> None:
        """Restore the initial state, with the fingerprint of the database."""
        self.driver.reset()

    def writable(self) -> "Workspace":
        """Workspaces cannot be copied.

        Raises:
            UserError: Always.
        """
        raise UserError(f"Database {self.name!r} is a workspace; take one from its database.")
