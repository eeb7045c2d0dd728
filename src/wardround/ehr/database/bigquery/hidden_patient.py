"""Rewrites a query so that it reads every table without one patient."""

from collections.abc import Callable, Collection

from sqlglot import exp

from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.script import one_query
from wardround.ehr.database.googlesql.steps import put_source, tables_read
from wardround.ehr.database.interface import QueryError


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
        QueryError: It is no query, or reads from what may hold the patient's rows.
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
