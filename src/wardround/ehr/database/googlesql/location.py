"""Locations of DuckDB files that are sent BigQuery's dialect."""

from wardround.core.errors import UserError
from wardround.ehr.database.googlesql.engine import SCHEME

_OPTION = "without="


def read_location(location: str) -> tuple[str, int | None]:
    """The file's path, and the patient whom the location hides.

    >>> read_location("googlesql:ward.duckdb?without=10003217")
    ('ward.duckdb', 10003217)

    Raises:
        UserError: If it has another option, or the patient is no number.
    """
    path, mark, option = location.removeprefix(SCHEME).partition("?")
    if not mark:
        return path, None
    number = option.removeprefix(_OPTION)
    if not option.startswith(_OPTION) or not number.isdecimal():
        raise UserError(
            f"Database {location} has an unknown option; write googlesql:FILE?without=SUBJECT_ID."
        )
    return path, int(number)
