"""Kinds of places that hold FHIR: a record's file, NDJSON, a server."""

from pathlib import Path

from wardround.ehr.fhir.ndjson import is_ndjson
from wardround.ehr.fhir.store.file_format import is_record


def is_server(location: str) -> bool:
    """True for the URL of a server.

    >>> is_server("https://fhir.example/r4"), is_server("hospital.fhir")
    (True, False)
    """
    return location.startswith(("http://", "https://"))


def is_fhir(location: str) -> bool:
    """True for a record, NDJSON or a server: FHIR already, and no database of tables."""
    path = Path(location).expanduser()
    return is_server(location) or (path.exists() and (is_record(path) or is_ndjson(path)))
