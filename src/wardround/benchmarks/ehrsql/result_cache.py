"""Runs the queries of whole files in parallel, each text once, and caches golds' results."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from wardround.benchmarks.kit.caches import BoundedCache
from wardround.core.folders import cache_folder
from wardround.core.private_files import create_file, make_folder
from wardround.ehr.database import Cell, Database, QueryError, ResultTable

# No question asks for more rows; a longer result is wrong and is not read to its end.
MOST_ROWS = 100_000

# The time limit of the published graders.
SECONDS = 60.0

# Longer results are dropped from memory after their comparison.
REMEMBERED_ROWS = 2_000

# Size of the cache of agents' own queries, which saves running a submitted query again.
_MOST_TRIED = 1_000

Item = TypeVar("Item")
Output = TypeVar("Output")


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of a query: its rows, or an error.

    Attributes:
        rows: the rows in the query's order; None if the query failed.
        problem: the kind of a `QueryError` ("syntax", "denied", "timeout", "limit", "runtime").
        reason: the error's message.
    """

    rows: tuple[tuple[Cell, ...], ...] | None
    problem: str = ""
    reason: str = ""

    @property
    def has_value(self) -> bool:
        """True if any cell is not NULL."""
        return any(cell is not None for row in self.rows or () for cell in row)


def run_query(database: Database, sql: str, seconds: float) -> Ran:
    """Runs a query in the sandbox; errors are returned, not raised."""
    try:
        result = database.execute(sql, rows=MOST_ROWS, seconds=seconds)
    except QueryError as error:
        return Ran(None, error.kind, str(error))
    if result.truncated:
        return Ran(None, "limit", f"The result has more than {MOST_ROWS:,} rows.")
    return Ran(tuple(result.rows))


def processors() -> int:
    """Returns the number of queries to run at once: one for each processor."""
    return os.cpu_count() or 1


class Results:
    """Thread-safe cache of results on a database; each distinct query runs once.

    Args:
        database: the database.
        seconds: the time limit of each query.
    """

    def __init__(self, database: Database, seconds: float = SECONDS) -> None:
        self.database = database
        self._seconds = seconds
        self._outcomes: dict[str, Future[Ran]] = {}
        self._lock = Lock()
        self._tried = BoundedCache[str, Ran](_MOST_TRIED)

    def remember(self, sql: str, result: ResultTable) -> None:
        """Stores the complete result of an agent's query, so that grading need not run it again."""
        if not result.truncated and len(result.rows) <= REMEMBERED_ROWS:
            self._tried.add(sql, Ran(tuple(result.rows)))

    def of(self, sql: str) -> Ran:
        """Returns the outcome of a query; concurrent callers share one execution."""
        if (agents_result := self._tried.get(sql)) is not None:
            return agents_result
        with self._lock:
            known = self._outcomes.get(sql)
            future = known or self._outcomes.setdefault(sql, Future())
        if known is None:
            self._run(sql, future)
        return future.result()

    def run_golds(self, queries: Iterable[str], folder: Path | None = None) -> None:
        """Runs gold queries in parallel, or reads their results from disk.

        Args:
            queries: the queries, in any order, with any duplicates.
            folder: the folder of cached results; by default in the user's cache folder.
        """
        stored = StoredResults(self.database, folder)
        queries_to_run = [sql for sql in dict.fromkeys(queries) if sql not in self._outcomes]
        known = stored.find(queries_to_run)
        self._outcomes |= {sql: _done(ran) for sql, ran in known.items()}
        new = [sql for sql in queries_to_run if sql not in known]
        stored.add(dict(zip(new, at_once(self.of, new), strict=True)))

    def _run(self, sql: str, future: "Future[Ran]") -> None:
        try:
            ran = run_query(self.database, sql, self._seconds)
        except BaseException as error:
            future.set_exception(error)
            return
        if ran.rows is not None and len(ran.rows) > REMEMBERED_ROWS:
            with self._lock:
                del self._outcomes[sql]
        future.set_result(ran)


def _done(ran: Ran) -> "Future[Ran]":
    done: Future[Ran] = Future()
    done.set_result(ran)
    return done


def at_once(work: Callable[[Item], Output], items: Iterable[Item]) -> list[Output]:
    """Applies a function to items on as many threads as processors; results keep the order."""
    with ThreadPoolExecutor(processors(), thread_name_prefix="query") as pool:
        return list(pool.map(work, items))


class StoredResults:
    """Cache of results on disk, a file for each fingerprint of a database.

    The file holds patients' values, so only its owner may read it. It can be deleted at any time.
    """

    def __init__(self, database: Database, folder: Path | None = None) -> None:
        self._engine = database.dialect
        self._path = (folder or cache_folder() / "ehrsql") / f"{database.fingerprint()}.sqlite"

    def find(self, queries: Iterable[str]) -> dict[str, Ran]:
        """Returns the stored results of queries."""
        keys = {self._key(sql): sql for sql in queries}
        if not self._path.is_file():
            return {}
        with closing(self._open()) as connection:
            stored = dict(connection.execute("SELECT query, rows FROM results"))
        return {keys[key]: Ran(_rows(stored[key])) for key in keys.keys() & stored.keys()}

    def add(self, results: Mapping[str, Ran]) -> None:
        """Stores results with rows; failed queries are run again the next time."""
        rows = [
            (self._key(sql), json.dumps(ran.rows, default=_as_text))
            for sql, ran in results.items()
            if ran.rows is not None
        ]
        if rows:
            make_folder(self._path.parent)
            with closing(self._open()) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", rows)

    def _key(self, sql: str) -> str:
        return sha256(f"{self._engine}\n{sql}".encode(errors="replace")).hexdigest()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._opened()
        except sqlite3.DatabaseError:
            # Not an SQLite file: replace it.
            self._path.unlink()
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        create_file(self._path)
        connection = sqlite3.connect(self._path, timeout=60)
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS results (query TEXT PRIMARY KEY, rows)")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _as_text(value: bytes) -> dict[str, str]:
    return {"hex": value.hex()}


def _rows(text: str) -> tuple[tuple[Cell, ...], ...]:
    rows: list[list[Any]] = json.loads(text, object_hook=lambda cell: bytes.fromhex(cell["hex"]))
    return tuple(map(tuple, rows))
