"""The database of records that queries are about, opened in BigQuery's dialect."""

from wardround.benchmarks.clinsql.layouts import PUBLISHED, layout_of
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.database.googlesql.strictness import analyser

_DIALECTS = ("bigquery:", "googlesql:")
PATIENTS = "patients"


def in_dialect(location: str) -> str:
    """The location as one that takes BigQuery's dialect.

    >>> in_dialect("hospital.duckdb")
    'googlesql:hospital.duckdb'
    """
    return location if location.startswith(_DIALECTS) else f"googlesql:{location}"


def open_records(location: str) -> Database:
    """Opens a database of records.

    Raises:
        UserError: It cannot be opened, or is in no layout that is known.
    """
    database = open_database(in_dialect(location))
    if layout_of(database) == PUBLISHED and not _has_patients(database):
        database.close()
        raise UserError(
            f"Database {location} has no table {PATIENTS}; name one in MIMIC-IV's layout, as "
            "wardround data build makes it, or in OMOP's."
        )
    return database


def query_checker(database: Database) -> str:
    """The program that refuses what BigQuery refuses, before a query runs."""
    is_bigquery = database.url.startswith(_DIALECTS[0])
    return "BigQuery" if is_bigquery else analyser.version() or "wardround"


def _has_patients(database: Database) -> bool:
    try:
        return bool(database.columns(PATIENTS))
    except QueryError:
        return False
