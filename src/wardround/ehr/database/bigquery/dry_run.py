"""Dry runs: a query's type, tables and bytes, which BigQuery reports without running it."""

from typing import Any

from wardround.ehr.database.bigquery.location import Datasets
from wardround.ehr.database.interface import QueryError, ScanCost

# Google's list price of a TiB that queries on demand scan (US regions, since July 2023).
DOLLARS_PER_TIB = 6.25
_TIB = 1 << 40


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
