"""Reads BigQuery datasets."""

import hashlib
from collections.abc import Callable, Collection
from concurrent.futures import TimeoutError as LateError
from typing import Any

from sqlglot import exp

from wardround.core.errors import UserError
from wardround.ehr.database.bigquery.engine import Datasets, read_location
from wardround.ehr.database.bigquery.errors import explained_errors, refused_access
from wardround.ehr.database.cells import cell
from wardround.ehr.database.driver import CATALOGUE_SECONDS
from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.script import one_query
from wardround.ehr.database.googlesql.steps import put_source, tables_read
from wardround.ehr.database.interface import (
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
    ScanCost,
)

# Google's list price of a TiB that queries on demand scan (US regions, since July 2023).
DOLLARS_PER_TIB = 6.25
_TIB = 1 << 40


class BigQueryDriver:
    """Datasets that can be read; see `Driver`.

    Every statement is first sent as a dry run, which is free and reports the statement's type,
    the tables it reads and the bytes it would scan. Restrict the account to reading these
    datasets: its permissions are not checked here.

    Args:
        datasets: The datasets to read, and the project that pays.
        limits: Limits of one statement; the memory limit does not apply.
        client: A `google.cloud.bigquery.Client`.
        hidden: A patient whose rows no query reaches.
        owner: False if another driver closes the client.
    """

    dialect = "bigquery"

    def __init__(
        self,
        datasets: Datasets,
        limits: Limits,
        client: Any,
        hidden: int | None = None,
        *,
        owner: bool = True,
    ):
        self.name, self.url = datasets.names[0].rpartition(".")[2], datasets.url
        self._datasets = datasets
        self._limits = limits
        self._client = client
        self._hidden = hidden
        self._owner = owner
        self._columns: dict[str, list[str]] = {}

    def hiding(self, subject_id: int) -> "BigQueryDriver":
        """The same datasets without one patient; closed with this one."""
        return BigQueryDriver(self._datasets, self._limits, self._client, subject_id, owner=False)

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one query after a dry run; `memory` is ignored."""
        with explained_errors(seconds):
            shown = self._without_hidden(sql)
            dry_run(self._client, shown, self._datasets)
            return self._query(shown, rows, seconds)

    def cost(self, sql: str) -> ScanCost:
        """The estimate of a dry run, which is free."""
        with explained_errors(CATALOGUE_SECONDS):
            return dry_run(self._client, self._without_hidden(sql), self._datasets)

    def _without_hidden(self, sql: str) -> str:
        if len(sql.encode()) > self._limits.sql_bytes:
            message = f"The statement is longer than {self._limits.sql_bytes:,} bytes."
            raise QueryError(message, "limit")
        if self._hidden is None:
            return sql
        return without_patient(sql, self._hidden, self._datasets.names[0], self._column_names)

    def _query(self, sql: str, rows: int | None, seconds: float) -> ResultTable:
        job = self._client.query(sql, job_config=job_settings(self._datasets, seconds=seconds))
        try:
            most = None if rows is None else rows + 1
            answer = job.result(timeout=seconds, max_results=most)
        except LateError:
            job.cancel()
            raise
        columns = tuple(field.name for field in answer.schema)
        fetched = self._cells(answer)
        limited = fetched if rows is None else fetched[:rows]
        return ResultTable(columns, limited, len(fetched) > len(limited))

    def _cells(self, answer: Any) -> list[Any]:
        rows, size = [], 0
        for row in answer:
            rows.append(tuple(cell(value) for value in row.values()))
            size += sum(len(str(value)) for value in rows[-1])
            if size > self._limits.result_bytes:
                most = self._limits.result_bytes
                raise QueryError(
                    f"The result is larger than {most:,} bytes; ask for less.", "limit"
                )
        return rows

    def tables(self) -> list[str]:
        """The table names, qualified by dataset for tables outside the first one."""
        return [self._short(table) for name in self._datasets.names for table in self._list(name)]

    def _list(self, dataset: str) -> list[Any]:
        return sorted(self._client.list_tables(dataset), key=lambda table: table.table_id)

    def _short(self, table: Any) -> str:
        if f"{table.project}.{table.dataset_id}" == self._datasets.names[0]:
            return str(table.table_id)
        return f"{table.dataset_id}.{table.table_id}"

    def _table(self, name: str) -> Any:
        project, _, dataset = self._datasets.names[0].rpartition(".")
        if "." in name:
            dataset, _, name = name.partition(".")
            full = next(each for each in self._datasets.names if each.endswith(f".{dataset}"))
            project = full.rpartition(".")[0]
        return self._client.get_table(f"{project}.{dataset}.{name}")

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table."""
        return [
            ColumnInfo(field.name, field.field_type.upper(), field.mode != "REQUIRED")
            for field in self._table(table).schema
        ]

    def _column_names(self, table: str) -> list[str]:
        if table not in self._columns:
            schema = self._client.get_table(table).schema
            self._columns[table] = [field.name for field in schema]
        return self._columns[table]

    def sample(self, table: str, rows: int) -> ResultTable:
        """Some rows of a table, read through the free list API instead of a query."""
        if self._hidden is not None:
            sql = f"SELECT * FROM `{table}` LIMIT {int(rows)}"  # noqa: S608
            return self.run(sql, rows, CATALOGUE_SECONDS, None)
        info = self._table(table)
        answer = self._client.list_rows(info, max_results=rows)
        return ResultTable(
            tuple(field.name for field in info.schema), self._cells(answer), truncated=False
        )

    def fingerprint(self) -> str:
        """A hash of each table's name, row count and ETag."""
        digest = hashlib.blake2b(digest_size=16)
        with refused_access(self.url):
            for table in self.tables():
                info = self._table(table)
                digest.update(f"{table}\t{info.num_rows}\t{info.etag}\n".encode())
        if self._hidden is not None:
            digest.update(f"without {self._hidden}\n".encode())
        return digest.hexdigest()

    def close(self) -> None:
        """Close the client's connections."""
        if self._owner:
            self._client.close()


def open_datasets(location: str, limits: Limits) -> BigQueryDriver:
    """Open datasets for reading; queries are sent to Google."""
    datasets = read_location(location)
    return BigQueryDriver(datasets, limits, open_client(datasets), datasets.without)


def open_client(datasets: Datasets) -> object:
    """The client that queries datasets with the user's own account.

    Raises:
        UserError: It is not installed, or there is no account.
    """
    try:
        from google.auth.exceptions import DefaultCredentialsError
        from google.cloud import bigquery
    except ImportError as error:
        raise UserError(
            f"Database {datasets.url} needs BigQuery's client; install wardround[bigquery]."
        ) from error
    try:
        return bigquery.Client(project=datasets.project)
    except DefaultCredentialsError as error:
        raise UserError(
            f"Database {datasets.url} needs an account; run `gcloud auth application-default "
            "login` or set GOOGLE_APPLICATION_CREDENTIALS."
        ) from error


def without_patient(
    sql: str, subject_id: int, dataset: str, columns: Callable[[str], Collection[str]]
) -> str:
    """The query over the rows of all other patients, in BigQuery's dialect.

    Args:
        sql: One query.
        subject_id: The patient.
        dataset: The `project.dataset` of tables that name none.
        columns: The column names of a table, given as `project.dataset.table`.

    >>> sql = "SELECT COUNT(*) FROM patients"
    >>> print(without_patient(sql, 7, "p.d", lambda table: ["subject_id"]))
    SELECT COUNT(*) FROM (SELECT * FROM `p.d.patients` WHERE subject_id IS DISTINCT FROM 7) AS ...

    Raises:
        QueryError: It is not a query, or reads from what may hold the patient's rows.
    """
    query, overlay = one_query(sql), Overlay(subject_id)
    for table in tables_read(query):
        name = _full_name(table, dataset)
        source = exp.Table(this=exp.Identifier(this=name, quoted=True))
        put_source(table, overlay.filtered(source, columns(name)))
    return query.sql("bigquery")


def _full_name(table: exp.Table, dataset: str) -> str:
    parts = [*dataset.split(".")[-2:]]
    if table.db:
        parts = [table.catalog or parts[0], table.db]
    name = table.name
    if "*" in name or "INFORMATION_SCHEMA" in name.upper() or "." in name:
        raise QueryError(f"Only tables can be read here, not {name}.", "denied")
    return ".".join((*parts, name))


def dry_run(client: Any, sql: str, datasets: Datasets) -> ScanCost:
    """The cost of a query.

    Args:
        client: A `google.cloud.bigquery.Client`.
        sql: The query.
        datasets: The datasets that it may read, and how much of them.

    Raises:
        QueryError: It is not one SELECT, reads from another dataset, or would scan too much.
        GoogleAPIError: BigQuery refuses it.
    """
    job = client.query(sql, job_config=job_settings(datasets, dry_run=True))
    if job.statement_type != "SELECT":
        raise _denied(job.statement_type or "that")
    for table in job.referenced_tables:
        if f"{table.project}.{table.dataset_id}" not in datasets.names:
            raise _denied(f"{table.dataset_id}.{table.table_id}")
    size = job.total_bytes_processed
    if size > datasets.most_bytes:
        raise QueryError(
            f"The query would scan {size:,} bytes and may scan {datasets.most_bytes:,}; name fewer "
            "columns or tables.",
            "limit",
        )
    return ScanCost(size, DOLLARS_PER_TIB * size / _TIB)


def job_settings(datasets: Datasets, *, dry_run: bool = False, seconds: float | None = None) -> Any:
    """The settings of a job on these datasets, as the client wants them."""
    from google.cloud import bigquery

    settings = bigquery.QueryJobConfig(
        default_dataset=datasets.names[0],
        maximum_bytes_billed=datasets.most_bytes,
        use_legacy_sql=False,
        dry_run=dry_run,
        labels={"from": "wardround"},
    )
    if seconds is not None:
        settings.job_timeout_ms = int(1000 * seconds)
    return settings


def _denied(what: str) -> QueryError:
    return QueryError(f"Only reading is allowed here, not {what}; send one SELECT.", "denied")
