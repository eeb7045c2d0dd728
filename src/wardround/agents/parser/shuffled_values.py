"""Tells from the record itself whether test results were shuffled between patients.

A preparation for benchmarks moves results to other patients and leaves the times. Tests of one
patient at one time are then random draws, so that some occur twice; in a true record hardly any do.
"""

from typing import Literal

from wardround.ehr.database import Database
from wardround.ehr.records import Views

# Fewer results than these at a time that others share tell nothing.
_MIN_RESULTS = 200

# True records repeat below 0.1% of such results; shuffled ones 20% and more.
_MAX_REPEATED = 0.05

_PANELS = (
    "SELECT COUNT(*) AS results, COUNT(DISTINCT e.name) AS names FROM ({view}) e"
    " GROUP BY e.patient, e.time HAVING COUNT(*) > 1"
)

Shuffled = Literal["shuffled", "true", "unknown"]


def shuffled_values(records: Views, database: Database) -> Shuffled:
    """Tell shuffled records from true ones by repeated laboratory results.

    Args:
        records: The records of the database's layout.
        database: The database.
    """
    if "lab" not in records.sql:
        return "unknown"
    panels = _PANELS.format(view=records.sql["lab"])
    sql = f"SELECT SUM(results), SUM(results - names) FROM ({panels}) p"  # noqa: S608
    ((results, repeated),) = database.execute(sql, rows=1).rows
    if int(results or 0) < _MIN_RESULTS:
        return "unknown"
    return "shuffled" if int(repeated or 0) > _MAX_REPEATED * int(results or 0) else "true"
