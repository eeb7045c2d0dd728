"""Measures cohort queries in BigQuery's dialect on a hospital of 1,000 patients."""

import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.ehr.database import open_database
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.statements import DEEPEST_CALLS
from wardround.ehr.database.googlesql.translation import to_duckdb
from wardround.ehr.hospital import build_hospital

QUERIES = Path(__file__).resolve().parents[1] / "tests/ehr/database/googlesql/queries"
PEOPLE = 1000
TABLES = [
    "chartevents",
    "d_icd_diagnoses",
    "d_icd_procedures",
    "diagnoses_icd",
    "labevents",
    "prescriptions",
    "procedureevents",
    "procedures_icd",
]

# Functions that are translated to more than one function, nested in each other.
DEPTH = 50
NESTED = (
    "CAST({} AS INT64)",
    "CAST({} AS STRING)",
    "ROUND({}, 2)",
    "1 / ({})",
    "GREATEST({}, 1)",
    "LENGTH({})",
    "FORMAT('%T', {})",
    "SAFE.SUBSTR({}, -1)",
    "STRUCT({})",
)


def measure() -> list[Figure]:
    """The time to build part of a hospital, and the mean times to translate and run a query."""
    files = sorted(QUERIES.glob("*.sql"))
    queries = [query for file in files for query in file.read_text().split("\n;;\n")]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/hospital.duckdb"
        start = perf_counter()
        build_hospital(
            path,
            patients=PEOPLE,
            schema="mimic_iv",
            tables=TABLES,
            enrich=["heart failure"],
            workers=2,
        )
        built = perf_counter() - start
        database = open_database(f"googlesql:{path}")
        tables = database.columns_by_table()
        names = Names({name: tuple(c.name for c in columns) for name, columns in tables.items()})
        start = perf_counter()
        for query in queries:
            to_duckdb(query, names)
        translated = (perf_counter() - start) / len(queries)
        start = perf_counter()
        for query in queries:
            database.execute(query, rows=None)
        run = (perf_counter() - start) / len(queries)
        database.close()
    nested = max(_translated(form, names) for form in NESTED)
    name = f"googlesql, {len(queries)} queries, {PEOPLE:,} patients"
    return [
        figure(f"{name}: hospital built", built, "s", "60 s"),
        figure(f"{name}: translation", 1000 * translated, "ms a query", ""),
        figure(f"{name}: translation and run", 1000 * run, "ms a query", "100 ms"),
        figure(
            f"googlesql, a function nested {DEPTH} deep: slowest translation", nested, "s", "0.2 s"
        ),
    ]


def _translated(form: str, names: Names) -> float:
    """The seconds in which a nested function is translated, as deep as a statement may be."""
    value = "subject_id"
    for _ in range(DEPTH):
        value = form.replace("{}", value)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEPEST_CALLS)
    start = perf_counter()
    to_duckdb(f"SELECT {value} AS found FROM mimiciv_hosp.patients", names)
    taken = perf_counter() - start
    sys.setrecursionlimit(before)
    return taken
