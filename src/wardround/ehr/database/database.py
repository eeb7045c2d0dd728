"""An open database, whatever its engine: queries within limits, and what its tables look like."""

from wardround.core.errors import UserError
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.driver import CopyingDriver, Driver, SamplingDriver, WorkspaceDriver
from wardround.ehr.database.interface import ColumnInfo, ResultTable
from wardround.ehr.database.names import find_table, quote_name


class Database:
    """A database that can be read and not written, whatever is sent; any thread may use it.

    Args:
        driver: The engine's part.
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
        """Run one reading statement.

        Cells are alike on every engine: a date is `2100-12-31`, a time `2100-12-31 23:59:00` with
        microseconds only where there are some, true is 1, a decimal number an int where it is
        whole by type and a float otherwise.

        Args:
            sql: One statement; a trailing semicolon and comments are fine.
            rows: How many rows to keep at most; None keeps all.
            seconds: The deadline.
            memory: The most bytes that the statement may hold, below `Limits.heap_bytes`.

        Raises:
            QueryError: If the statement gives no result.
        """
        return self.driver.run(sql, rows, seconds, memory)

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
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
        """The table as `CREATE TABLE` text, laid out alike on every engine."""
        found = find_table(self, table)
        return create_table_text(found, self.driver.columns(found))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""
        found = find_table(self, table)
        if isinstance(self.driver, SamplingDriver):
            return self.driver.sample(found, rows)
        sql = f"SELECT * FROM {quote_name(found)} LIMIT {int(rows)}"  # noqa: S608
        return self.execute(sql, rows=rows)

    def fingerprint(self) -> str:
        """A digest of the content: the same for a copy, another after a change."""
        return self.driver.fingerprint()

    def writable(self) -> "Workspace":
        """A state of one's own that starts as this database is and that nobody else can see.

        Raises:
            UserError: If this engine cannot give one.
        """
        if not isinstance(self.driver, CopyingDriver):
            raise UserError(
                f"Database {self.url} cannot be written to by a task; use SQLite, DuckDB or"
                " PostgreSQL."
            )
        return Workspace(self.driver.copy())

    def close(self) -> None:
        """Interrupt what runs and release everything; closing twice is fine."""
        self.driver.close()


class Workspace(Database):
    """A database of one trial's own: what is written here is seen here only.

    `execute` takes writing statements too, with the same limits; `commit` and the like are a
    statement as any other and change nothing for anyone else. Closing it forgets everything.
    """

    driver: WorkspaceDriver

    def __init__(self, driver: WorkspaceDriver) -> None:
        super().__init__(driver)

    def reset(self) -> None:
        """Go back to the state at the start; the fingerprint is then the database's again."""
        self.driver.reset()

    def writable(self) -> "Workspace":
        """Refused: a workspace gives no other.

        Raises:
            UserError: Always.
        """
        raise UserError(f"Database {self.name!r} is a workspace; take one from its database.")
