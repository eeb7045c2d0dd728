"""Measures EHRSQL's preparation of the MIMIC-III demo, compared with copying it by pandas.

Both start from the same 16 tables and write a SQLite file. The preparation reads a DuckDB file
of `wardround data build`; pandas reads the published CSVs and writes them unchanged, the minimum
that any preparation in pandas has to do.
"""

import resource
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from time import perf_counter

import duckdb
import pandas

from bench.figures import Figure, figure
from wardround.ehr.database.engine import engines
from wardround.ehr.ingest.preparation import Plan, prepare
from wardround.ehr.ingest.preparation.recipe import recipes

DEMO = Path(__file__).resolve().parents[1] / "../shared/data/mimic-iii-demo"
NAME = "EHRSQL preparation, MIMIC-III demo"
TIMES = (1, 10)


def measure() -> list[Figure]:
    """Measures rows read per second and peak memory; [] without the demo."""
    if not DEMO.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        rows = _build(Path(folder) / "official.duckdb", 1)
        pandas_seconds, pandas_memory = _apart("copied", folder)
    rate = rows / pandas_seconds
    return [new for times in TIMES for new in _prepared(times, rate, pandas_memory)]


def _prepared(times: int, pandas_rate: float, pandas_memory: float) -> list[Figure]:
    """Measures the preparation of several copies of the demo, each with distinct patients."""
    with tempfile.TemporaryDirectory() as folder:
        rows = _build(Path(folder) / "official.duckdb", times)
        seconds, memory = _apart("prepared", folder)
    rate = rows / seconds
    name = f"{NAME} taken {times} times, {rows:,} rows"
    ratio = (
        f"goal: 10 times pandas and to_sql at {pandas_rate:,.0f}; {rate / pandas_rate:.1f} times"
    )
    bound = f"goal: under 1000; pandas in pieces: {pandas_memory:.0f}"
    return [
        figure(name, rate, "rows/s", ratio),
        figure(f"{name}: peak memory", memory, "MB", bound),
    ]


def prepared(folder: str) -> None:
    """Prepares all patients of the right age."""
    for _ in prepare(f"{folder}/official.duckdb", f"{folder}/prepared.sqlite", Plan()):
        pass


def copied(folder: str) -> None:
    """Reads and writes the same tables with pandas, in chunks."""
    import sqlite3

    with sqlite3.connect(f"{folder}/copied.sqlite") as connection:
        for table in _tables():
            for piece in pandas.read_csv(DEMO / f"{table}.csv.gz", chunksize=100_000, dtype=_TEXT):
                piece.to_sql(table, connection, if_exists="append", index=False)
    connection.close()


_TEXT = {"value": str, "icd9_code": str, "stopped": str, "dilution_text": str, "iserror": str}


def _tables() -> list[str]:
    (recipe,) = (recipe for recipe in recipes() if recipe.release == "mimic_iii")
    return sorted({table for spec in recipe.specs for table in spec.read})


def _build(path: Path, times: int) -> int:
    """Writes the official tables to a DuckDB file and returns the number of rows."""
    with duckdb.connect(path) as official:
        for table in _tables():
            csv = DEMO / f"{table}.csv.gz"
            official.execute(f"CREATE TABLE {table} AS FROM read_csv('{csv}', sample_size=-1)")
            ids = [name for name in _IDS if name in _columns(official, table)]
            for copy in range(1, times if ids else 1):
                moved = ", ".join(f"{name} + {copy * 10_000_000} AS {name}" for name in ids)
                official.execute(
                    f"INSERT INTO {table} SELECT * REPLACE ({moved}) FROM {table}"
                    f" WHERE {ids[0]} < 10000000"
                )
        return sum(_rows(official, table) for table in _tables())


_IDS = ("subject_id", "hadm_id", "icustay_id")


def _columns(official: duckdb.DuckDBPyConnection, table: str) -> set[str]:
    return {row[0] for row in official.execute(f"DESCRIBE {table}").fetchall()}


def _rows(official: duckdb.DuckDBPyConnection, table: str) -> int:
    row = official.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(row[0]) if row else 0


def _apart(work: str, folder: str) -> tuple[float, float]:
    """Runs work in a process of its own; returns seconds without imports, and peak MB."""
    command = [sys.executable, "-m", "bench.ehrsql_preparation", work, folder]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, kilobytes = printed.split()
    return float(seconds), float(kilobytes) / 1024


if __name__ == "__main__":
    for engine in engines().values():
        import_module(engine.writer.partition(":")[0] or __name__)  # imports are not counted
    start = perf_counter()
    {"prepared": prepared, "copied": copied}[sys.argv[1]](sys.argv[2])
    elapsed = perf_counter() - start
    print(elapsed, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
