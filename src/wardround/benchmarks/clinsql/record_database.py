"""The records in BigQuery's dialect, in which items are published: opened, and a query's costs."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.layouts import PUBLISHED, layout_of
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, ScanCost, open_database
from wardround.ehr.database.googlesql.strictness import analyser

_DIALECTS = ("bigquery:", "googlesql:")
PATIENTS = "patients"
_AT_ONCE = 8  # dry runs
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def in_dialect(location: str) -> str:
    """The location as one that takes BigQuery's dialect.

    >>> in_dialect("hospital.duckdb")
    'googlesql:hospital.duckdb'
    """
    return location if location.startswith(_DIALECTS) else f"googlesql:{location}"


def open_records(location: str) -> Database:
    """Opens a database of records.

    Raises:
        UserError: it cannot be opened, or is in no layout that is known.
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


def cost_sentence(database: Database, tasks: Sequence[ClinTask]) -> str:
    """A sentence about the cost of trials at these tasks; "" if reading is free.

    A trial is taken to run a query as costly as its gold; a task may come several times.
    """
    golds = {task.id: task for task in tasks}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda task: _gold_cost(database, task), golds.values())
        costs = dict(zip(golds, answers, strict=True))
    known = [cost for task in tasks if isinstance(cost := costs[task.id], ScanCost)]
    refused = {id: str(cost) for id, cost in costs.items() if isinstance(cost, QueryError)}
    return "; ".join(_parts(known, len(tasks), refused))


def size_text(size: int) -> str:
    """A number of bytes in its largest unit.

    >>> size_text(1_234_567_890)
    '1.2 GB'
    >>> size_text(12)
    '12 bytes'
    """
    number, power = float(size), 0
    while number >= 1000 and power < len(_UNITS) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.1f} {_UNITS[power]}" if power else f"{size} bytes"


def _gold_cost(database: Database, task: ClinTask) -> ScanCost | QueryError | None:
    anchor = task.hidden.anchor
    shown = database if anchor is None else database.hiding(anchor)
    try:
        return shown.cost(task.hidden.sql)
    except QueryError as error:
        return error


def _parts(known: Sequence[ScanCost], trials: int, refused: Mapping[str, str]) -> Iterator[str]:
    if known:
        size, dollars = sum(cost.size for cost in known), sum(cost.dollars for cost in known)
        yield (
            f"Queries like the golds of {len(known)} of {trials} trials would scan "
            f"{size_text(size)} by dry runs, ${dollars:.2f} at list price; mended queries, golds "
            "and cohorts come on top"
        )
    if refused:
        first, reason = next(iter(refused.items()))
        yield f"{len(refused)} golds are refused, the first of {first}: {reason}"
