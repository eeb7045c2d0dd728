"""Measures building databases from CSV files, compared with pandas and bare DuckDB."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TypedDict

from bench.figures import Figure, figure

DATA = Path(__file__).resolve().parents[1] / "../shared/data"
DEMO = DATA / "mimic-iii-demo"
DEMO_IV = DATA / "mimic-iv-demo"
PAIRS = 5
CHART_ROWS = 5_000_000
CSV_SUFFIX = ".csv.gz"


class Measured(TypedDict):
    """The result of one child process."""

    rows: int
    seconds: float
    cpu: float
    bytes: int


def measure() -> list[Figure]:
    """Measures the demos of MIMIC-III and MIMIC-IV, and generated chart rows on DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        command = _command(Path(folder)) if DEMO_IV.exists() else []
        demo = _demo(Path(folder)) if DEMO.exists() else []
        return command + demo + _chart(Path(folder))


def _command(folder: Path) -> list[Figure]:
    """Times the whole command against a script of bare DuckDB, in turn."""
    ours, theirs = folder / "ours.duckdb", folder / "bare.duckdb"
    release = ("mimic-iv", "--from", str(DEMO_IV))
    build = (sys.executable, "-m", "wardround", "data", "build", *release, "--to", str(ours))
    script = (sys.executable, "-m", "bench.bare_duckdb", str(DEMO_IV), str(theirs))
    pairs = []
    for _ in range(PAIRS + 1):
        pairs.append((_process(build), _process(script)))
        ours.unlink()
        theirs.unlink()
    del pairs[0]  # writes bytecode and fills the cache of files
    name = "MIMIC-IV demo into duckdb, the command beside a bare script"
    return [
        figure(
            f"{name}: {clock}",
            median(a[clock] / b[clock] for a, b in pairs),
            "times",
            f"goal: at most 1.2; medians of {PAIRS} pairs: {median(a[clock] for a, _ in pairs):.2f}"
            f" and {median(b[clock] for _, b in pairs):.2f} s",
        )
        for clock in ("time", "processor time")
    ]


def _process(command: Sequence[str]) -> dict[str, float]:
    """Wall and processor seconds of a process; bytecode is cached, as after an installation."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    seconds, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"time": seconds, "processor time": cpu}


def _demo(folder: Path) -> list[Figure]:
    pandas = _child("pandas", DEMO, folder / "pandas.sqlite")
    figures = []
    for engine in ("sqlite", "duckdb"):
        built = _child("build", "mimic_iii", DEMO, folder / f"demo.{engine}")
        name = f"MIMIC-III demo, {built['rows']:,} rows into {engine}"
        ratio = _rate(built) / _rate(pandas)
        figures += [
            figure(
                f"{name}: rows a second",
                _rate(built),
                "1/s",
                f"goal: 10 times pandas; pandas and to_sql: {_rate(pandas):,.0f}; this is"
                f" {ratio:.1f} times that; processor time {built['cpu']:.1f} and"
                f" {pandas['cpu']:.1f} s",
            ),
            figure(
                f"{name}: memory",
                built["bytes"] / 2**20,
                "MiB",
                f"goal: under 1024; pandas: {pandas['bytes'] / 2**20:.0f}",
            ),
        ]
    return figures


def _chart(folder: Path) -> list[Figure]:
    """Checks time against bare DuckDB, and memory against a tenth of the rows."""
    few = _chart_build(folder, CHART_ROWS // 10)
    many = _chart_build(folder, CHART_ROWS, keep=True)
    bare = _child("bare", folder / "release/chartevents.csv", folder / "bare.duckdb")
    shutil.rmtree(folder / "release")
    name = f"MIMIC-IV, {CHART_ROWS:,} chart rows into duckdb"
    return [
        figure(
            f"{name}: time beside a bare CREATE TABLE AS FROM read_csv",
            many["seconds"] / bare["seconds"],
            "times",
            f"goal: at most 1.5; bare: {bare['seconds']:.1f} s, {bare['bytes'] / 2**20:.0f} MiB;"
            f" processor time {many['cpu']:.1f} and {bare['cpu']:.1f} s",
        ),
        figure(
            f"{name}: memory",
            many["bytes"] / 2**20,
            "MiB",
            f"goal: bounded; a tenth of the rows: {few['bytes'] / 2**20:.0f}",
        ),
    ]


def _chart_build(folder: Path, rows: int, *, keep: bool = False) -> Measured:
    release, database = folder / "release", folder / f"chart{rows}.duckdb"
    release.mkdir(exist_ok=True)
    _child("generate", rows, release / "chartevents.csv")
    built = _child("build", "mimic_iv", release, database)
    assert built["rows"] == rows
    database.unlink()
    if not keep:
        shutil.rmtree(release)
    return built


def _rate(measured: Measured) -> float:
    return measured["rows"] / measured["seconds"]


def _child(work: str, *arguments: object) -> Measured:
    """Runs work in a separate process to measure its peak memory."""
    command = [sys.executable, "-m", "bench.ingest", work, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: Measured = json.loads(done.stdout.splitlines()[-1])
    return measured


def build(schema: str, folder: str, location: str) -> int:
    """Builds a database like the command; returns the number of rows."""
    from wardround.ehr.database import write_database
    from wardround.ehr.ingest.release import build, find_sources
    from wardround.ehr.schema import load_schema

    layout = find_sources(load_schema(schema), Path(folder))
    target = write_database(location)
    report = build(load_schema(schema), layout, target, Path(location + ".faults"))
    target.close()
    assert report.whole
    return sum(outcome.rows for outcome in report.outcomes)


def pandas(folder: str, location: str) -> int:
    """Reads the same files by pandas and writes them by `to_sql`; returns the number of rows."""
    import sqlite3

    import pandas as pd

    connection, rows = sqlite3.connect(location), 0
    for path in sorted(Path(folder).glob("*" + CSV_SUFFIX)):
        frame = pd.read_csv(path, low_memory=False)
        rows += len(frame)
        frame.to_sql(path.name.removesuffix(CSV_SUFFIX), connection, index=False)
    connection.close()
    return rows


def bare(file: str, location: str) -> int:
    """Reads a file by bare DuckDB with its type detection; returns the number of rows."""
    import duckdb

    with duckdb.connect(location) as connection:
        connection.execute(f"CREATE TABLE chartevents AS FROM read_csv('{file}')")
        return int(connection.execute("SELECT count(*) FROM chartevents").fetchall()[0][0])


def generate(rows: str, file: str) -> int:
    """Writes chart rows like MIMIC-IV's, numbers and some texts; returns their number."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"""
            COPY (
                SELECT 10000000 + i // 4000 AS subject_id, 20000000 + i // 2000 AS hadm_id,
                    30000000 + i // 2000 AS stay_id, 90000 + i % 97 AS caregiver_id,
                    TIMESTAMP '2150-01-01' + to_seconds(i * 7) AS charttime,
                    TIMESTAMP '2150-01-01' + to_seconds(i * 7 + 600) AS storetime,
                    220000 + hash(i) % 900 AS itemid,
                    CASE WHEN i % 5 = 0 THEN 'Sinus, "regular" rhythm'
                        ELSE (hash(i) % 2000 / 10)::VARCHAR END AS value,
                    CASE WHEN i % 5 > 0 THEN hash(i) % 2000 / 10 END AS valuenum,
                    CASE WHEN i % 5 > 0 THEN 'mmHg' END AS valueuom, 0 AS warning
                FROM range({rows}) AS r (i)
            ) TO '{file}' (HEADER, DELIMITER ',')
        """)
    return int(rows)


def _main() -> None:
    work, *arguments = sys.argv[1:]
    start = perf_counter()
    works: dict[str, Callable[..., int]] = {
        "build": build,
        "pandas": pandas,
        "bare": bare,
        "generate": generate,
    }
    rows = works[work](*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    seconds = perf_counter() - start
    measured = Measured(rows=rows, seconds=seconds, cpu=process_time(), bytes=peak)
    print(json.dumps(measured))


if __name__ == "__main__":
    _main()
