"""The schemas match published CSV files, table files and papers."""

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from wardround.ehr.schema import (
    Table,
    column_type,
    difference,
    load_schema,
    quoted,
    recognise,
)

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
CASES = Path(__file__).parent / "cases"
DEMOS = {"mimic_iii": "mimic-iii-demo", "mimic_iv": "mimic-iv-demo", "eicu": "eicu-demo"}
VERSIONS = {"mimic_iii": "demo-1.4", "mimic_iv": "demo-2.2", "eicu": "demo-2.0.1"}

# Differences of the released databases from the schemas (see the schema files).
FOLDED = {
    ("d_icd_diagnoses", "icd_version"),
    ("d_icd_procedures", "icd_version"),
    ("diagnoses_icd", "icd_version"),
    ("procedures_icd", "icd_version"),
    ("inputevents", "amount"),
    ("inputevents", "totalamount"),
    ("inputevents", "totalamountuom"),
}
RELEASED: dict[str, dict[str, set[tuple[str, str]]]] = {
    "ehrsql-1.5": {
        "mimic_iii": set(),
        "eicu": {("cost", "uniquepid"), ("cost", "patientunitstayid")},
    },
    "ehrsql-2024": {"mimic_iv": FOLDED | {("outputevents", "valueuom")}},
}


def record_files() -> Iterator[tuple[str, Table, Path]]:
    """Every CSV file of the demos that is present."""
    for name, folder in DEMOS.items():
        for table in load_schema(name).tables:
            path = DATA / folder / table.module / f"{table.name}.csv.gz"
            if path.exists():
                yield name, table, path


FILES = [pytest.param(*file, id=f"{file[0]}.{file[1].name}") for file in record_files()]


@pytest.mark.skipif(
    not FILES, reason="no published demos: whether each of their files has a schema is open"
)
def test_every_demo_file_belongs_to_a_schema() -> None:
    resolved = {path.resolve() for _, _, path in record_files()}
    every = {path.resolve() for name in DEMOS.values() for path in (DATA / name).rglob("*.csv.gz")}
    assert {path.name for path in every - resolved} <= {"lab_chart_values.csv.gz"}


@pytest.mark.parametrize(("name", "table", "path"), FILES)
def test_demo_file_has_the_columns_types_and_keys_of_its_schema(
    name: str, table: Table, path: Path
) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header = file.readline().strip().lower().split(",")
    assert header == [column.name for column in table.columns]
    types = {column.name: column_type(column, "duckdb") for column in table.columns}
    options = """header = true, auto_detect = false, delim = ',', quote = '"', escape = '"'"""
    with closing(duckdb.connect()) as connection:
        connection.execute(
            f"CREATE TABLE records AS FROM read_csv('{path}', columns = {types}, {options})"
        )
        counts = ["count(*)", *(f"count({quoted(c.name)})" for c in table.columns if not c.null)]
        counts += [f"count(DISTINCT {quoted(c.name)})" for c in table.columns if c.unique]
        if table.key:
            counts.append(f"count(DISTINCT ({', '.join(map(quoted, table.key))}))")
        (result,) = connection.execute(f"SELECT {', '.join(counts)} FROM records").fetchall()
    rows = load_schema(name).rows[VERSIONS[name]][table.name]
    assert result == (rows,) * len(counts)


@pytest.mark.parametrize(("release", "database"), [(r, d) for r in RELEASED for d in RELEASED[r]])
def test_published_tables_file_has_the_columns_of_its_schema(release: str, database: str) -> None:
    path = DATA / release / "tables.json"
    if not path.exists():
        pytest.skip("no published tables.json: its columns are not compared with the schemas")
    contents = {each["db_id"]: each for each in json.loads(path.read_text(encoding="utf-8"))}
    content = contents[database]
    names = [name.lower() for name in content["table_names_original"]]
    result: dict[str, list[str]] = {name: [] for name in names}
    for index, column in content["column_names_original"]:
        if index >= 0:
            result[names[index]].append(column.lower())
    schema = load_schema(f"ehrsql_{database}")
    assert recognise(result) == schema.name
    apart = difference(schema, result)
    assert apart.missing_tables == (("hospital",) if database == "eicu" else ())
    assert not apart.other_tables
    assert {*apart.missing_columns, *apart.other_columns} == RELEASED[release][database]


@pytest.mark.parametrize("name", ["ehrsql_mimic_iv", "mimic_iv_star"])
def test_published_database_has_its_schema(name: str, tmp_path: Path) -> None:
    packed = DATA / f"ehrsql-2024/{name.removeprefix('ehrsql_')}.sqlite.gz"
    if not packed.exists():
        pytest.skip("no rebuilt databases: whether they fit the schemas is open")
    path = tmp_path / "rebuilt.sqlite"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with closing(sqlite3.connect(path)) as database:
        result = {
            table.name: [row[1] for row in database.execute(f"PRAGMA table_info({table.name})")]
            for table in load_schema(name).tables
        }
        for table in load_schema(name).tables:
            for column in table.columns:
                if column.name in result[table.name] and not column.null:
                    query = f"SELECT count(*) FROM {table.name} WHERE {column.name} IS NULL"
                    assert database.execute(query).fetchone() == (0,)
    assert recognise(result) == name
    apart = difference(load_schema(name), result)
    assert {*apart.missing_columns, *apart.other_columns} == (
        FOLDED if name == "ehrsql_mimic_iv" else set()
    )


def lines(name: str) -> list[str]:
    """The lines of a fixture file that are not comments."""
    text = (CASES / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
