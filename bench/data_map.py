"""Measures `data map` on a hundred tables of a million rows that nobody described."""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TypedDict

from bench.figures import Figure, figure

TABLES = 100
ROWS = 1_000_000

# Of row `i`: its stay, a time inside it, and a choice among texts.
_STAY = "hash(i) % {rows} + 500000"
_TIME = (
    "TIMESTAMP '2020-01-01' + INTERVAL ((hash(i) % {rows}) % 700) DAY + INTERVAL (i % 4000) MINUTE"
)
_CHOICE = "list_element({texts}, 1 + i % {count})"
_TESTS = ["Sodium", "Potassium", "Creatinine", "Hemoglobin", "Glucose", "Leukocytes"]
_DRUGS = ["metoprolol", "furosemide", "heparin", "ceftriaxone", "morphine", "atorvastatin"]
_CODES = ["I21.4", "J18.9", "E11.9", "N17.9", "I50.2", "K70.3", "A41.9", "S72.0"]
_SIGNS = ["heart rate", "respiratory rate", "temperature", "systolic blood pressure"]


class Proposed(TypedDict):
    """Time and peak memory of a proposal."""

    seconds: float
    sources: int
    memory: int


def measure(tables: int = TABLES, rows: int = ROWS) -> list[Figure]:
    """Measures a proposal in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hospital.duckdb"
        build(path, tables, rows)
        size = path.stat().st_size
        command = [sys.executable, "-m", "bench.data_map", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    made: Proposed = json.loads(done.stdout.splitlines()[-1])
    name = f"data map, {tables} tables of {rows:,} rows"
    about = f"{size / 2**20:,.0f} MiB in DuckDB; {made['sources']} sources proposed"
    return [
        figure(f"{name}: time", made["seconds"], "s", f"goal: at most 60; {about}"),
        figure(f"{name}: memory", made["memory"] / 2**20, "MiB", "peaks of its processes together"),
    ]


def build(path: Path, tables: int, rows: int) -> None:
    """Writes patients, their stays, and tables of events in turn, without declared keys."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t000 AS SELECT 7000000 + 3 * i AS c1, CASE WHEN hash(i) % 2 = 0 THEN 'f'"
            " ELSE 'm' END AS c2, DATE '1930-01-01' + CAST(hash(i + 1) % 25000 AS INTEGER) AS c3"
            f" FROM range({rows}) r(i)"
        )
        connection.execute(
            f"CREATE TABLE t001 AS SELECT i + 500000 AS c1, 7000000 + 3 * (hash(i) % {rows}) AS c2,"
            " TIMESTAMP '2020-01-01' + INTERVAL (i % 700) DAY AS c3, TIMESTAMP '2020-01-01'"
            f" + INTERVAL (i % 700 + 1 + i % 9) DAY AS c4 FROM range({rows}) r(i)"
        )
        for number in range(2, tables):
            columns = ", ".join(f"{sql} AS c{at}" for at, sql in enumerate(_events(number, rows)))
            connection.execute(
                f"CREATE TABLE t{number:03} AS SELECT {columns} FROM range({rows}) r(i)"
            )


def _events(number: int, rows: int) -> list[str]:
    """The columns of a table of events: its key, stay and time, then what its kind has."""
    key = f"{number} * 10000000 + i"
    kinds = (
        [_texts(_TESTS), "round(100 * random(), 1)", _texts(["mmol/L", "mg/dL", "g/dL"])],
        [_texts(_DRUGS), _texts(["po", "iv", "sc"]), _texts(["5 mg", "10 mg", "40 mg"])],
        [_texts(_CODES)],
        [_texts(_SIGNS), "round(40 + 80 * random())"],
    )
    return [key, _STAY.format(rows=rows), _TIME.format(rows=rows), *kinds[number % len(kinds)]]


def _texts(texts: list[str]) -> str:
    return _CHOICE.format(texts=texts, count=len(texts))


def _main() -> None:
    from contextlib import closing

    from wardround.ehr.database import open_database
    from wardround.ehr.records.proposal import propose

    start = perf_counter()
    with closing(open_database(sys.argv[1])) as database:
        proposal = propose(database)
    seconds = perf_counter() - start
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peaks = [resource.getrusage(who).ru_maxrss for who in processes]
    made = Proposed(seconds=seconds, sources=len(proposal.sources), memory=1024 * sum(peaks))
    print(json.dumps(made))


if __name__ == "__main__":
    _main()
