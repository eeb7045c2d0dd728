"""A folder of Parquet files behind the database interface, queried by Spark."""

from threading import Lock
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.cells import cell
from wardround.ehr.database.database import Database, Workspace
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.interface import ColumnInfo, Limits, QueryError, ResultTable
from wardround.ehr.database.names import find_table
from wardround.ehr.database.spark.deadline import job_group
from wardround.ehr.database.spark.errors import explain_error, is_dead
from wardround.ehr.database.spark.fingerprint import folder_fingerprint
from wardround.ehr.database.spark.location import Place, place_of
from wardround.ehr.database.spark.sandbox import plan_of
from wardround.ehr.database.spark.session import forget_session, start_session, tables_in


class SparkDatabase(Database):
    """Tables as Parquet files on a Spark cluster; see `Database`.

    What one statement may hold in memory is the cluster's own setting (`spark.executor.memory`);
    a statement that ends an executor, or a session on this machine alone, is answered with an
    error and the next one starts anew.
    """

    dialect = "spark"

    def __init__(self, place: Place, limits: Limits):
        self._place = place
        self._limits = limits
        self._lock = Lock()
        self._session: Any = start_session(place, limits)
        self._closed = False

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._place.folder.name

    @property
    def url(self) -> str:
        """The location as it was given."""
        return self._place.url

    def execute(
        self,
        sql: str,
        *,
        rows: int | None = 100,
        seconds: float = 60.0,
        memory: int | None = None,
    ) -> ResultTable:
        """Run one query; see `Database.execute`. `memory` is the cluster's affair."""
        session = self._ready()
        if len(sql.encode()) > self._limits.sql_bytes:
            raise QueryError(
                f"The statement is longer than {self._limits.sql_bytes} bytes.", "limit"
            )
        with job_group(session.sparkContext, seconds) as late:
            try:
                return self._run(session, sql, rows)
            except QueryError:
                raise
            except Exception as error:
                # Everything that Spark raises comes through here, whatever its class.
                if is_dead(error):
                    self._forget()
                raise explain_error(error, seconds if late.is_set() else None) from error

    def _run(self, session: Any, sql: str, rows: int | None) -> ResultTable:
        from pyspark.sql import DataFrame

        dataset = session._jvm.org.apache.spark.sql.classic.Dataset
        plan = plan_of(session, sql.strip().rstrip(";"))
        frame = DataFrame(dataset.ofRows(session._jsparkSession, plan), session)
        wanted = frame if rows is None else frame.limit(rows + 1)
        found = [tuple(cell(value) for value in row) for row in wanted.collect()]
        kept = found if rows is None else found[:rows]
        size = sum(len(str(value)) for row in kept for value in row)
        if size > self._limits.result_bytes:
            message = (
                f"The result is larger than {self._limits.result_bytes:,} bytes; ask for less."
            )
            raise QueryError(message, "limit")
        return ResultTable(tuple(frame.columns), kept, len(found) > len(kept))

    def tables(self) -> list[str]:
        """The tables, in alphabetical order."""
        return list(tables_in(self._place))

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table; Parquet knows no keys."""
        named = find_table(self, table)
        return [ColumnInfo(name, kind.upper()) for name, kind in self._ready().table(named).dtypes]

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text."""
        return create_table_text(find_table(self, table), self.columns(table))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """Some rows of a table."""
        return self.execute(f"SELECT * FROM `{find_table(self, table)}` LIMIT {int(rows)}")  # noqa: S608

    def fingerprint(self) -> str:
        """A hash of all files."""
        return folder_fingerprint(self._place.folder)

    def writable(self) -> Workspace:
        """Not on Spark.

        Raises:
            UserError: Always.
        """
        raise UserError(
            f"Database {self.url} cannot be written to by a task; use SQLite, DuckDB or PostgreSQL."
        )

    def close(self) -> None:
        """Stop the session."""
        with self._lock:
            self._closed = True
            session, self._session = self._session, None
        if session is not None:
            session.stop()

    def _ready(self) -> Any:
        with self._lock:
            if self._closed:
                raise UserError(f"Database {self.name!r} is closed; open it again to query it.")
            if self._session is None:
                self._session = start_session(self._place, self._limits)
            return self._session

    def _forget(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            forget_session(session)


def open_folder(location: str, limits: Limits) -> SparkDatabase:
    """Open a folder for reading; starts a Spark session, which takes seconds."""
    return SparkDatabase(place_of(location), limits)
