"""Inspection of intact databases and of each fault that degrades a benchmark."""

import csv
import gzip
import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.ehr.layouts import LAYOUTS
from tests.ehr.making import Rows, make_database
from wardround.apps.command_line.main import app
from wardround.core.declared import layouts_by_benchmark
from wardround.ehr.database import open_database
from wardround.ehr.database.engine import write_database
from wardround.ehr.inspection import (
    DanglingReference,
    Diagnosis,
    DuplicateKey,
    TableFacts,
    TimeSpan,
    examine,
)
from wardround.ehr.schema import load_schema

SHARED = Path(__file__).resolve().parents[3] / "../shared/data/ehrsql-2024"
FAULTS = Path(__file__).with_name("faults.tsv")


def faults() -> list[list[str]]:
    """The lines of the fixture file."""
    with FAULTS.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader((line for line in lines if line[0] != "#"), delimiter="\t"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of intact databases with one row in every table."""
    return tmp_path_factory.mktemp("sound")


def running_on(layout: str) -> str:
    """The installed benchmark that runs on a layout."""
    return next(
        name
        for name, layouts in layouts_by_benchmark().items()
        if layout in {each.name for each in layouts}
    )


def changed(sound: Path, tmp_path: Path, schema: str, ending: str, change: str) -> str:
    """An intact database after a change."""
    original = sound / f"{schema}.{ending}"
    if not original.exists():
        tables = load_schema(schema).tables
        make_database(str(original), schema, {table.name: [{}] for table in tables})
    path = str(tmp_path / original.name)
    shutil.copyfile(original, path)
    if change:
        with closing(write_database(path)) as database:
            database.execute(change)
    return path


def looked_over(location: str, current_time: str | None = None) -> Diagnosis:
    """The findings of a database."""
    with closing(open_database(location)) as database:
        return examine(database, LAYOUTS, current_time)


@pytest.mark.parametrize(("unknown", "standing"), [(1, "served"), (2, "degraded")])
def test_few_codes_without_a_title_are_tolerated(
    tmp_path: Path, unknown: int, standing: str
) -> None:
    tables: dict[str, Rows] = {table.name: [{}] for table in load_schema("ehrsql_mimic_iii").tables}
    rows = [{"row_id": n, "icd9_code": "none" if n <= unknown else "x"} for n in range(1, 21)]
    make_database(
        str(tmp_path / "codes.sqlite"), "ehrsql_mimic_iii", {**tables, "diagnoses_icd": rows}
    )
    result = looked_over(str(tmp_path / "codes.sqlite"))
    assert [loose.rows for loose in result.dangling] == [unknown]
    assert {each.benchmark: each.standing for each in result.services}["asked"] == standing


@pytest.mark.parametrize("ending", ["sqlite", pytest.param("duckdb", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("schema", "change", "benchmark", "standing", "reason"), faults())
def test_fault_is_reported_for_the_benchmarks_it_degrades(
    sound: Path,
    tmp_path: Path,
    schema: str,
    change: str,
    benchmark: str,
    standing: str,
    reason: str,
    ending: str,
) -> None:
    result = looked_over(changed(sound, tmp_path, schema, ending, change))
    service = {each.benchmark: each for each in result.services}[benchmark]
    assert result.schema == schema
    assert service.standing == standing
    assert reason in service.reasons if reason else service.reasons == ()


def test_findings_are_counted(tmp_path: Path) -> None:
    location = str(tmp_path / "some.duckdb")
    labs = [
        {"subject_id": n, "charttime": f"210{n}-01-01 00:00:00", "hadm_id": n} for n in (0, 1, 1)
    ]
    people = [{"subject_id": 0}, {"subject_id": 0}, {"subject_id": 3}]
    make_database(
        location, "ehrsql_mimic_iv", {"labevents": labs, "patients": people, "admissions": [{}]}
    )
    result = looked_over(location, "2100-12-31 23:59:00")
    span = TimeSpan("labevents", "charttime", "2100-01-01 00:00:00", "2101-01-01 00:00:00", 2)
    assert TableFacts("labevents", 3, (span,)) in result.tables
    assert result.repeated == (DuplicateKey("patients", ("subject_id",), 1),)
    targets = ("admissions.hadm_id",)
    assert DanglingReference("labevents", "hadm_id", targets, 2, personal=True) in result.dangling
    assert result.missing_tables == result.missing_columns == ()
    assert result.degraded


def test_undeclared_keys_are_checked(tmp_path: Path) -> None:
    """The published renamed copy declares no keys."""
    location = str(tmp_path / "plain.sqlite")
    make_database(location, "mimic_iv_star", {"demographics": [{}]})
    with closing(write_database(location)) as database:
        database.execute("CREATE TABLE copy AS SELECT * FROM demographics")
        database.execute("DROP TABLE demographics")
        database.execute("ALTER TABLE copy RENAME TO demographics")
        database.execute("INSERT INTO demographics SELECT * FROM demographics")
    result = looked_over(location)
    keys = {repeated.columns for repeated in result.repeated}
    assert keys == {("recordid",), ("patientid",)}


def test_unknown_schema_is_counted_and_serves_no_benchmark(tmp_path: Path) -> None:
    location = str(tmp_path / "own.duckdb")
    with closing(write_database(location)) as database:
        database.execute("CREATE TABLE visits AS SELECT 1 AS n, TIMESTAMP '2020-01-01' AS seen")
    result = looked_over(location)
    assert result.schema is None
    assert result.tables[0].spans[0].last == "2020-01-01 00:00:00"
    reasons = [reason for service in result.services for reason in service.reasons]
    assert all(reason.startswith("it runs on ") for reason in reasons)
    assert not result.degraded


def test_interrupted_build_is_reported(tmp_path: Path) -> None:
    location = str(tmp_path / "begun.sqlite")
    with closing(write_database(location)) as target:
        target.execute("CREATE TABLE wardround_building_mimic_iii (x INTEGER)")
    command_result = CliRunner().invoke(app, ["doctor", location])
    assert command_result.exit_code == 1
    assert "Half built" in command_result.output


@pytest.mark.parametrize(("change", "code"), [("", 0), ("DELETE FROM labresults", 1)])
def test_command_exit_code(sound: Path, tmp_path: Path, change: str, code: int) -> None:
    location = changed(sound, tmp_path, "mimic_iv_star", "sqlite", change)
    plain = CliRunner().invoke(app, ["doctor", location])
    assert plain.exit_code == code
    assert ("for what is found above in labresults" in plain.output) == bool(change)
    as_json = CliRunner().invoke(app, ["doctor", location, "--json"])
    command_result = json.loads(as_json.stdout)
    served = {each["benchmark"]: each["standing"] for each in command_result["services"]}
    assert served[running_on("mimic_iv_star")] == ("degraded" if change else "served")


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="no published copies: what doctor says of them is open"
)
@pytest.mark.parametrize(
    ("name", "benchmark"), [("mimic_iv", "asked"), ("mimic_iv_star", "renamed")]
)
def test_published_copies_are_intact(tmp_path: Path, name: str, benchmark: str) -> None:
    path = tmp_path / f"{name}.sqlite"
    with gzip.open(SHARED / f"{name}.sqlite.gz") as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    result = looked_over(str(path), "2100-12-31 23:59:00")
    assert (result.missing_tables, result.missing_columns, result.dangling, result.repeated) == (
        (),
    ) * 4
    assert {s.benchmark: s.standing for s in result.services}[benchmark] == "served"
