"""Runs many queries at once, each text a single time, and keeps gold results on disk."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from wardround.core.folders import cache_folder
from wardround.ehr.database import Cell, Database, QueryError

# No question asks for as many rows; a result that has more is wrong and is not read to its end.
MOST_ROWS = 100_000

# The published graders' deadline.
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Ran:
    """What a query gave: its rows, or why it gave none.

    Attributes:
        rows: the rows in the query's order; None where there is no result.
        problem: the kind of a `QueryError` ("syntax", "denied", "timeout", "limit", "runtime").
        reason: the same in a sentence.
    """

    rows: tuple[tuple[Cell, ...], ...] | None
    problem: str = ""
    reason: str = ""

    @property
    def holds_something(self) -> bool:
        """Whether there is a row with a value in it."""
        return any(cell is not None for row in self.rows or () for cell in row)


def run_query(database: Database, sql: str, seconds: float) -> Ran:
    """Runs one query in the sandbox; what goes wrong is told, not raised."""
    try:
        result = database.execute(sql, rows=MOST_ROWS, seconds=seconds)
    except QueryError as error:
        return Ran(None, error.kind, str(error))
    if result.truncated:
        return Ran(None, "limit", f"The result has more than {MOST_ROWS:,} rows.")
    return Ran(tuple(result.rows))


def processors() -> int:
    """How many queries are run at once: one a processor."""
    return os.cpu_count() or 1


class Results:
    """What queries give on a database: each distinct text is run once, many at a time.

    Args:
        database: where they are run.
        seconds: the deadline of each query.
    """

    def __init__(self, database: Database, seconds: float = SECONDS) -> None:
        self.database = database
        self._seconds = seconds
        self._known: dict[str, Ran] = {}

    def of(self, sql: str) -> Ran:
        """What a query gives; it is run now if it was not before."""
        return self._known.get(sql) or self._run(sql)

    def run(self, queries: Iterable[str], told: Callable[[], None] = lambda: None) -> None:
        """Runs queries that were not run before, and tells of each that is done."""
        self._known |= self._run_all(queries, told)

    def run_golds(self, queries: Iterable[str], folder: Path | None = None) -> None:
        """Runs gold queries, or takes their results from disk; what is new is kept there.

        Args:
            queries: what is run.
            folder: where results are kept; in the user's cache folder where it is left out.
        """
        kept = KeptResults(self.database, folder)
        self._known |= kept.find(queries)
        new = self._run_all(queries)
        kept.keep(new)
        self._known |= new

    def _run_all(
        self, queries: Iterable[str], told: Callable[[], None] = lambda: None
    ) -> dict[str, Ran]:
        new = [sql for sql in dict.fromkeys(queries) if sql not in self._known]

        def run(sql: str) -> Ran:
            ran = self._run(sql)
            told()
            return ran

        with ThreadPoolExecutor(processors(), thread_name_prefix="query") as pool:
            return dict(zip(new, pool.map(run, new), strict=True))

    def _run(self, sql: str) -> Ran:
        return run_query(self.database, sql, self._seconds)


class KeptResults:
    """Results on disk, in one file for each state of a database.

    A file holds patients' values, as the database does, so only its owner may read it. It can
    be deleted at any time.
    """

    def __init__(self, database: Database, folder: Path | None = None) -> None:
        self._engine = database.dialect
        self._path = (folder or cache_folder() / "ehrsql") / f"{database.fingerprint()}.sqlite"

    def find(self, queries: Iterable[str]) -> dict[str, Ran]:
        """Those of the queries whose results are kept."""
        keys = {self._key(sql): sql for sql in queries}
        if not self._path.is_file():
            return {}
        with closing(self._open()) as connection:
            kept = dict(connection.execute("SELECT query, rows FROM results"))
        return {keys[key]: Ran(_rows(kept[key])) for key in keys.keys() & kept.keys()}

    def keep(self, results: Mapping[str, Ran]) -> None:
        """Keeps those that have rows; an error may be another one the next time."""
        found = [
            (self._key(sql), json.dumps(ran.rows, default=_as_text))
            for sql, ran in results.items()
            if ran.rows is not None
        ]
        if found:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with closing(self._open()) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", found)

    def _key(self, sql: str) -> str:
        return sha256(f"{self._engine}\n{sql}".encode(errors="replace")).hexdigest()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._opened()
        except sqlite3.DatabaseError:
            # Whatever it is, it is no file of results: it is made anew.
            self._path.unlink()
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
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
    rows: list[list[Any]] = json.loads(text, object_hook=lambda found: bytes.fromhex(found["hex"]))
    return tuple(map(tuple, rows))
