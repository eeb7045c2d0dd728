"""Translates a query in BigQuery's dialect to DuckDB's."""

from sqlglot import ErrorLevel, exp, parse
from sqlglot.errors import SqlglotError

from wardround.ehr.database.interface import QueryError


def to_duckdb(sql: str) -> str:
    """One statement in DuckDB's dialect; tables lose their project and dataset.

    Raises:
        QueryError: It cannot be parsed, is several statements, or has no translation.

    >>> to_duckdb("SELECT COUNTIF(x) AS n FROM `physionet-data.mimiciv_hosp.patients`")
    'SELECT COUNT_IF(x) AS n FROM "patients"'
    """
    try:
        statements = [found for found in parse(sql, read="bigquery") if found is not None]
    except SqlglotError as error:
        raise QueryError(f"Syntax error: {_first_line(error)}", "syntax") from error
    if len(statements) != 1:
        raise QueryError(f"{len(statements)} statements were sent; send one.", "syntax")
    query = statements[0].transform(_unqualified)
    try:
        return query.sql("duckdb", unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise QueryError(f"This cannot be run here: {_first_line(error)}", "syntax") from error


def _unqualified(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Table) and node.db:
        node.set("db", None)
        node.set("catalog", None)
    return node


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
