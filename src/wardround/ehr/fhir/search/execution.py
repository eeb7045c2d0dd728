"""Runs a search's SQL within its time, and reads resources by key."""

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import orjson

from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.conditions import Sql
from wardround.ehr.fhir.search.query import Search
from wardround.ehr.fhir.search.statement import matches
from wardround.ehr.fhir.store.overlay import Overlay, Version

MOST_SECONDS = 5.0
# Steps of SQLite's virtual machine between two looks at the time.
STEPS = 20_000
READ_AT_ONCE = 100
READ = " UNION ALL ".join(
    f"SELECT key, type, id, version, updated, body FROM {schema}.resource "
    "WHERE key IN (SELECT value FROM json_each(?))"
    for schema in ("base", "main")
)


def found_keys(overlay: Overlay, search: Search) -> list[int]:
    """The keys of all resources that match, in their order."""

    def count(sql: Sql, most: int) -> int:
        text = f"SELECT count(*) FROM (SELECT 1 FROM ({sql.text}) LIMIT {most})"
        counted: int = overlay.connection.execute(text, sql.values).fetchone()[0]
        return counted

    with limited(overlay.connection):
        sql = matches(search, schemas(overlay), count)
        return [key for (key,) in overlay.connection.execute(sql.text, sql.values)]


def selected(overlay: Overlay, sql: Sql) -> list[tuple[int, ...]]:
    """The rows of a SELECT."""
    with limited(overlay.connection):
        return overlay.connection.execute(sql.text, sql.values).fetchall()


def schemas(overlay: Overlay) -> tuple[str, ...]:
    """The schemas that have resources: the base, and the writes if there are any."""
    return ("base", "main") if overlay.writes() else ("base",)


@contextmanager
def limited(connection: sqlite3.Connection) -> Iterator[None]:
    """Stops statements that take too long."""
    deadline = time.monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "parser stack overflow" in str(error):
            raise FhirError(
                400, "too-costly", "The search is nested too deeply; follow fewer references."
            ) from None
        if "interrupted" not in str(error):
            raise
        raise FhirError(
            503, "too-costly", "The search took too long; narrow it by patient, code or date."
        ) from None
    finally:
        connection.set_progress_handler(None, 0)


def read_versions(overlay: Overlay, keys: Iterable[int]) -> Iterator[tuple[Version, int]]:
    """The resources with these keys, in this order, each with its size in bytes."""
    wanted = list(keys)
    for start in range(0, len(wanted), READ_AT_ONCE):
        block = wanted[start : start + READ_AT_ONCE]
        rows = {row[0]: row for row in overlay.connection.execute(READ, (str(block),) * 2)}
        for key in block:
            _, kind, id, number, updated, body = rows[key]
            yield Version(key, kind, id, number, updated, False, orjson.loads(body)), len(body)
