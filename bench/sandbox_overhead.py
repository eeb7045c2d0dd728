"""Measures the sandbox's overhead on a query of about 1 ms, by each engine's bare driver."""

import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, sleep

from bench.figures import Figure, figure
from wardround.ehr.database import open_database, write_database

ROWS = 200_000
ROUNDS = 12
PAIRS = 50
# Agents pause between queries, so that caches are cold and a core has to wake up.
PAUSE_SECONDS = 0.004
_MADE = (
    "CREATE TABLE events (id INTEGER PRIMARY KEY, patient INTEGER, amount INTEGER)",
    "INSERT INTO events WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    f" WHERE i < {ROWS}) SELECT i, i % 97, i % 1013 FROM n",
)
# The number of rows for about a millisecond of work.
_QUERY = "SELECT count(*), sum(amount), max(amount) FROM events WHERE id <= {} AND patient <> 13"
_WORK = {"sqlite": 8_000, "duckdb": 70_000, "postgres": 9_000}

Bare = Callable[[str], object]


def measure() -> list[Figure]:
    """Measures the median difference on each installed engine."""
    engines = ["sqlite", "duckdb", *(["postgres"] if find_spec("psycopg") else [])]
    with tempfile.TemporaryDirectory() as folder:
        return [_overhead(engine, Path(folder)) for engine in engines]


def _overhead(engine: str, folder: Path) -> Figure:
    sql = _QUERY.format(_WORK[engine])
    with (
        _database(engine, folder) as location,
        closing(open_database(location)) as database,
        _bare(engine, location) as bare,
    ):
        within, alone = _quietest(database.execute, bare, sql, 0)
        rested, rested_alone = _quietest(database.execute, bare, sql, PAUSE_SECONDS)
    return figure(
        f"{engine}: what the sandbox adds to a query",
        within - alone,
        "ms",
        f"goal: under 0.3; bare driver: {alone:.3f}; each after a pause of {PAUSE_SECONDS * 1000:g}"
        f" ms: {rested - rested_alone:.3f}; medians of the quietest of {ROUNDS} rounds",
    )


def _quietest(sandboxed: Bare, bare: Bare, sql: str, pause: float) -> tuple[float, float]:
    """Median milliseconds of both in the fastest round, which had the least interference."""
    return min((_medians(sandboxed, bare, sql, pause) for _ in range(ROUNDS)), key=sum)


def _medians(sandboxed: Bare, bare: Bare, sql: str, pause: float) -> tuple[float, float]:
    """Medians of alternating runs, so that both meet the same noise."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAIRS):
        for run, item in zip((sandboxed, bare), times, strict=True):
            if pause:
                sleep(pause)
            began = perf_counter()
            run(sql)
            item.append((perf_counter() - began) * 1000)
    within, alone = map(statistics.median, times)
    return within, alone


@contextmanager
def _database(engine: str, folder: Path) -> Iterator[str]:
    location = "postgresql:overhead" if engine == "postgres" else str(folder / f"small.{engine}")
    with closing(write_database(location)) as target:
        for statement in _MADE:
            target.execute(statement)
    yield location
    if engine == "postgres":
        _drop(location)


def _drop(location: str) -> None:
    from wardround.ehr.database.postgres.connection import find_address

    address = find_address(location)
    with address.maintenance.connect() as connection:
        connection.execute(f"DROP DATABASE {address.name} WITH (FORCE)".encode())
    address.leave()


@contextmanager
def _bare(engine: str, location: str) -> Iterator[Bare]:
    """Yields a function that fetches all rows of a query by the engine's bare driver."""
    if engine == "postgres":
        from wardround.ehr.database.postgres.connection import find_address

        address = find_address(location)
        with address.connect() as connection:
            yield lambda sql: connection.execute(sql.encode()).fetchall()
        address.leave()
    elif engine == "duckdb":
        import duckdb

        with duckdb.connect(location, read_only=True, config={"threads": 1}) as lake:
            yield lambda sql: lake.execute(sql).fetchall()
    else:
        with closing(sqlite3.connect(location)) as lite:
            yield lambda sql: lite.execute(sql).fetchall()
