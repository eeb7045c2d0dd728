"""Runs many queries at once, each text a single time, and keeps gold results on disk."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from wardround.core.folders import cache_folder
from wardround.ehr.database import Cell, Database, QueryError

# No question asks for as many rows; a result that has more is wrong and is not read to its end.
MOST_ROWS = 100_000


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


Results: TypeAlias = Mapping[str, Ran]


def run_query(database: Database, sql: str, seconds: float) -> Ran:
    """Runs one query in the sandbox; what goes wrong is told, not raised."""
    try:
        result = database.execute(sql, rows=MOST_ROWS, seconds=seconds)
    except QueryError as error:
        return Ran(None, error.kind, str(error))
    if result.truncated:
        return Ran(None, "limit", f"The result has more than {MOST_ROWS:,} rows.")
    return Ran(tuple(result.rows))


def run_queries(
    database: Database,
    queries: Iterable[str],
    *,
    seconds: float,
    processes: int,
    told: Callable[[], None] = lambda: None,
) -> dict[str, Ran]:
    """Runs queries concurrently, each distinct text once.

    Args:
        database: where.
        queries: what; order and repetition do not matter.
        seconds: the deadline of each.
        processes: how many run at once.
        told: hears of each query that is done.
    """
    distinct = list(dict.fromkeys(queries))

    def run(sql: str) -> Ran:
        ran = run_query(database, sql, seconds)
        told()
        return ran

    with ThreadPoolExecutor(processes, thread_name_prefix="query") as pool:
        return dict(zip(distinct, pool.map(run, distinct), strict=True))


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

    def keep(self, results: Results) -> None:
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


def gold_results(
    database: Database,
    golds: Iterable[str],
    kept: KeptResults,
    *,
    seconds: float,
    processes: int,
) -> dict[str, Ran]:
    """What gold queries give, from disk where it is known; what is new is kept."""
    wanted = list(dict.fromkeys(golds))
    known = kept.find(wanted)
    missing = [sql for sql in wanted if sql not in known]
    new = run_queries(database, missing, seconds=seconds, processes=processes)
    kept.keep(new)
    return known | new


def _as_text(value: bytes) -> dict[str, str]:
    return {"hex": value.hex()}


def _rows(text: str) -> tuple[tuple[Cell, ...], ...]:
    rows: list[list[Any]] = json.loads(text, object_hook=lambda found: bytes.fromhex(found["hex"]))
    return tuple(map(tuple, rows))
