"""Measures cohort queries in BigQuery's dialect on a hospital of 1,000 patients."""

import tempfile
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.ehr.database import open_database
from wardround.ehr.database.googlesql.names import Names
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
    name = f"googlesql, {len(queries)} queries, {PEOPLE:,} patients"
    return [
        figure(f"{name}: hospital built", built, "s", "60 s"),
        figure(f"{name}: translation", 1000 * translated, "ms a query", ""),
        figure(f"{name}: translation and run", 1000 * run, "ms a query", "100 ms"),
    ]
