"""Hospitals of chosen tables, and of denser cohorts."""

from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from tests.cases import for_each
from tests.hospitals import hospital_file
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.hospital import build_hospital, content_digest
from wardround.ehr.hospital.enrichment import enriched_conditions
from wardround.ehr.hospital.patient_record import patient_record

DIGEST = "6efc0392d075b3ea1dc0bcb2bf9b605c95a06ed67f680b944a6de5c17789d463"
TABLES = ["icustays", "labevents"]


def test_a_whole_hospital_has_the_pinned_digest() -> None:
    """Notes are not part of the digest, which was pinned on a hospital without them.

    After an intended change of rows, update the digest.
    """
    assert content_digest(hospital_file("mimic_iv", 40, seed=3, notes=True)) == DIGEST


def test_chosen_tables_have_the_rows_of_the_whole_hospital(tmp_path: Path) -> None:
    whole, part = hospital_file("mimic_iv", 8, seed=3), tmp_path / "part.duckdb"
    written = build_hospital(part, patients=8, seed=3, schema="mimic_iv", tables=TABLES)
    referred = ["patients", "provider", "admissions", "d_labitems"]
    assert set(written) == {*TABLES, *referred}
    with duckdb.connect() as both:
        # Read-only, since other processes read the whole hospital at the same time.
        both.execute(f"ATTACH '{whole}' AS whole (READ_ONLY); ATTACH '{part}' AS part")
        for table in written:
            sql = f"FROM whole.{table} EXCEPT ALL FROM part.{table}"
            assert both.execute(sql).fetchall() == []
            counts = f"SELECT count(*) FROM part.{table}"
            assert both.execute(counts).fetchall() == [(written[table],)]


def test_about_half_of_an_enriched_hospital_has_the_condition() -> None:
    def with_stroke(enriched: frozenset[str]) -> int:
        records = (patient_record(1, index, enriched) for index in range(60))
        return sum(
            any(visit.stay.has("ischemic_stroke") for visit in record.visits) for record in records
        )

    usual, denser = with_stroke(frozenset()), with_stroke(enriched_conditions(("I63",)))
    assert usual < 10 < 25 < denser


@for_each(
    [
        ("heart failure", "heart_failure"),
        ("Heart attack", "stemi"),
        ("diabetes", "diabetes_2"),
        ("sepsis", "sepsis_urinary"),
        ("N17", "kidney_injury"),
        ("I63.9", "ischemic_stroke"),
        ("kidney_disease", "kidney_disease"),
    ]
)
def test_a_condition_has_many_names(text: str, condition: str) -> None:
    assert condition in enriched_conditions((text,))


def test_unknown_tables_and_conditions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "hospital.duckdb"
    with pytest.raises(UserError, match="no table 'nothing'; there are: "):
        build_hospital(path, schema="mimic_iv", tables=["nothing"])
    with pytest.raises(UserError, match="no condition 'hiccups'; it has: "):
        build_hospital(path, schema="mimic_iv", enrich=["hiccups"])
    assert not path.exists()


def test_the_command_takes_tables_and_conditions(tmp_path: Path) -> None:
    path = tmp_path / "hospital.duckdb"
    command = ["data", "hospital", "--to", str(path), "--patients", "3", "--layout", "mimic_iv"]
    chosen = ["--tables", "icustays, services", "--enrich", "sepsis", "--enrich", "copd"]
    result = CliRunner().invoke(app, [*command, *chosen, "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "3 people, 5 tables" in result.output
