"""Every form of the hospital satisfies its schema, and its tables agree with one another."""

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.hospital import build_hospital, content_digest
from wardround.ehr.schema import ForeignKey, Table, load_schema

FOLDER = TemporaryDirectory()
PEOPLE = 40
FORMS = ("ehrsql_mimic_iv", "mimic_iv", "mimic_iii", "eicu")
# Tables of free text, and of tests that a hospital adds by hand.
EMPTY = {"noteevents", "note", "customlab"}


@cache
def hospital(schema: str) -> Path:
    path = Path(FOLDER.name) / f"{schema}.duckdb"
    build_hospital(path, patients=PEOPLE, seed=1, schema=schema)
    return path


def rows(schema: str, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(hospital(schema), read_only=True) as database:
        return database.execute(sql).fetchall()


TABLES = [
    pytest.param(schema, table, id=f"{schema}.{table.name}")
    for schema in FORMS
    for table in load_schema(schema).tables
]


@pytest.mark.parametrize(("schema", "table"), TABLES)
def test_every_table_has_rows_and_every_key_an_end(schema: str, table: Table) -> None:
    [(count,)] = rows(schema, f"SELECT count(*) FROM {table.name}")
    assert bool(count) == (table.name not in EMPTY)
    for key in table.foreign_keys:
        if table.name != "cost" and key.column != "icd_version":
            assert dangling(schema, table, key) == [], key


def dangling(schema: str, table: Table, key: ForeignKey) -> list[tuple[Any, ...]]:
    return rows(
        schema,
        f"SELECT {key.column} FROM {table.name} WHERE {key.column} IS NOT NULL "
        f"EXCEPT SELECT {key.target} FROM {key.table}",
    )


@pytest.mark.parametrize(("schema", "table"), TABLES)
def test_keys_are_unique(schema: str, table: Table) -> None:
    unique = [(column.name,) for column in table.columns if column.unique]
    for key in filter(None, (table.key, *unique)):
        columns = ", ".join(key)
        twice = f"SELECT {columns} FROM {table.name} GROUP BY {columns} HAVING count(*) > 1"
        assert rows(schema, twice) == [], key


# One line for each thing that must not be found in MIMIC-IV's form.
NEVER_IN_MIMIC_IV = {
    "a dose of another order": "SELECT 1 FROM emar e JOIN pharmacy p USING (pharmacy_id) "
    "WHERE e.poe_id <> p.poe_id OR e.hadm_id <> p.hadm_id",
    "a dose outside its order": "SELECT 1 FROM emar e JOIN pharmacy p USING (pharmacy_id) "
    "WHERE e.charttime < p.starttime OR e.charttime > p.stoptime",
    "a prescription of another order": "SELECT 1 FROM prescriptions r JOIN pharmacy p "
    "USING (pharmacy_id) WHERE r.poe_id <> p.poe_id OR r.starttime <> p.starttime",
    "a prescription not entered as medication": "SELECT 1 FROM prescriptions JOIN poe USING (poe_id) "
    "WHERE order_type NOT IN ('Medications', 'TPN') OR ordertime > starttime",
    "an order stopped by what is none": "SELECT 1 FROM poe a JOIN poe b "
    "ON a.discontinued_by_poe_id = b.poe_id WHERE b.discontinue_of_poe_id <> a.poe_id "
    "OR b.transaction_type <> 'D/C' OR b.ordertime < a.ordertime",
    "numbers that do not follow time": "SELECT 1 FROM poe a JOIN poe b USING (subject_id) "
    "WHERE a.poe_seq < b.poe_seq AND a.ordertime > b.ordertime",
    "an ingredient of no intake": "SELECT orderid, starttime FROM ingredientevents "
    "EXCEPT SELECT orderid, starttime FROM inputevents",
    "an intake linked to none": "SELECT linkorderid FROM inputevents EXCEPT "
    "SELECT orderid FROM inputevents",
    "a specimen of two times or fluids": "SELECT specimen_id FROM labevents JOIN d_labitems "
    "USING (itemid) GROUP BY 1 HAVING count(DISTINCT (charttime, fluid)) > 1",
    "a result stored before it was drawn": "SELECT 1 FROM labevents WHERE storetime < charttime",
    "a flag that the range denies": "SELECT 1 FROM labevents WHERE ref_range_upper IS NOT NULL AND "
    "(flag IS NULL) = (valuenum < ref_range_lower OR valuenum > ref_range_upper)",
    "an intensive stay outside its stay": "SELECT 1 FROM icustays JOIN admissions a "
    "USING (hadm_id) WHERE intime < admittime OR outtime > dischtime",
    "charting outside intensive care": "SELECT 1 FROM chartevents JOIN icustays USING (stay_id) "
    "WHERE charttime < intime OR charttime > outtime",
    "a death after which things happen": "SELECT 1 FROM labevents JOIN patients USING (subject_id) "
    "WHERE charttime::date > dod",
    "a life of another length": "SELECT 1 FROM admissions JOIN patients USING (subject_id) "
    "WHERE anchor_age + year(admittime) - anchor_year NOT BETWEEN 18 AND 105",
    "an item of another table": "SELECT 1 FROM inputevents JOIN d_items USING (itemid) "
    "WHERE linksto <> 'inputevents'",
    "a race in small letters": "SELECT 1 FROM admissions WHERE race <> upper(race)",
}


@pytest.mark.parametrize("never", NEVER_IN_MIMIC_IV)
def test_what_mimic_iv_must_not_say(never: str) -> None:
    assert rows("mimic_iv", f"SELECT count(*) FROM ({NEVER_IN_MIMIC_IV[never]})") == [(0,)]


def test_mimic_iv_spells_as_published() -> None:
    wanted = {
        "SELECT DISTINCT gender FROM patients": {"F", "M"},
        "SELECT DISTINCT eventtype FROM transfers": {"ED", "admit", "transfer", "discharge"},
        "SELECT DISTINCT drug_type FROM prescriptions": {"MAIN", "BASE"},
        "SELECT DISTINCT label FROM d_items WHERE itemid = 220045": {"Heart Rate"},
        "SELECT DISTINCT valueuom FROM labevents WHERE itemid = 50983": {"mEq/L"},
        "SELECT icd_code FROM d_icd_diagnoses WHERE icd_code = 'J189'": {"J189"},
    }
    for sql, values in wanted.items():
        assert {row[0] for row in rows("mimic_iv", sql)} == values, sql


NEVER_IN_MIMIC_III = {
    "an item of the other system": "SELECT 1 FROM chartevents JOIN d_items USING (itemid) "
    "JOIN icustays i USING (icustay_id) WHERE d_items.dbsource <> i.dbsource",
    "an intake of the other system": "SELECT 1 FROM inputevents_cv JOIN icustays USING (icustay_id) "
    "WHERE dbsource <> 'carevue'",
    "a code of ICD-10": "SELECT 1 FROM diagnoses_icd WHERE icd9_code LIKE 'J%'",
    "a move to where nobody came from": "SELECT 1 FROM transfers a JOIN transfers b USING (hadm_id) "
    "WHERE a.outtime = b.intime AND a.curr_wardid <> b.prev_wardid",
    "a lasting stay": "SELECT 1 FROM admissions WHERE dischtime <= admittime",
}


@pytest.mark.parametrize("never", NEVER_IN_MIMIC_III)
def test_what_mimic_iii_must_not_say(never: str) -> None:
    assert rows("mimic_iii", f"SELECT count(*) FROM ({NEVER_IN_MIMIC_III[never]})") == [(0,)]


NEVER_IN_EICU = {
    "a vital sign outside the unit": "SELECT 1 FROM vitalperiodic JOIN patient "
    "USING (patientunitstayid) WHERE observationoffset NOT BETWEEN 0 AND "
    "coalesce(unitdischargeoffset, 9e9)",
    "a treatment outside the unit": "SELECT 1 FROM treatment JOIN patient USING (patientunitstayid) "
    "WHERE treatmentoffset NOT BETWEEN 0 AND coalesce(unitdischargeoffset, 9e9)",
    "a unit stay that ends before it begins": "SELECT 1 FROM patient WHERE unitdischargeoffset <= 0 "
    "OR hospitaladmitoffset > 0 OR hospitaldischargeoffset < unitdischargeoffset",
    "one dead in the unit but not in hospital": "SELECT 1 FROM patient WHERE "
    "unitdischargestatus = 'Expired' AND hospitaldischargestatus <> 'Expired'",
    "a score that another denies": "SELECT 1 FROM apachepatientresult "
    "WHERE apachescore < acutephysiologyscore OR predictedhospitalmortality::double > 1",
    "a saturation above 100": "SELECT 1 FROM vitalperiodic WHERE sao2 > 100 OR heartrate < 20",
}


@pytest.mark.parametrize("never", NEVER_IN_EICU)
def test_what_eicu_must_not_say(never: str) -> None:
    assert rows("eicu", f"SELECT count(*) FROM ({NEVER_IN_EICU[never]})") == [(0,)]


def test_the_same_people_are_in_every_form() -> None:
    people = rows("ehrsql_mimic_iv", "SELECT subject_id, lower(gender) FROM patients ORDER BY 1")
    for schema in ("mimic_iv", "mimic_iii"):
        sql = "SELECT subject_id, lower(gender) FROM patients ORDER BY 1"
        assert rows(schema, sql) == people
        for table in ("admissions", "procedures_icd", "labevents"):
            counted = f"SELECT hadm_id, count(*) FROM {table} GROUP BY 1 ORDER BY 1"
            assert rows(schema, counted) == rows("ehrsql_mimic_iv", counted), (schema, table)
    units = rows("eicu", "SELECT patientunitstayid FROM patient ORDER BY 1")
    assert units == rows("mimic_iv", "SELECT stay_id FROM icustays ORDER BY 1")


@pytest.mark.parametrize("schema", ["mimic_iv", "mimic_iii", "eicu"])
def test_every_engine_holds_the_same(schema: str, tmp_path: Path) -> None:
    path = tmp_path / "hospital.sqlite"
    build_hospital(path, patients=PEOPLE, seed=1, schema=schema)
    assert content_digest(path) == content_digest(hospital(schema))


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    digests = set()
    for workers in (1, 2):
        path = tmp_path / f"{workers}.duckdb"
        build_hospital(path, patients=120, schema="mimic_iv_star", workers=workers)
        digests.add(content_digest(path))
    assert len(digests) == 1


def test_what_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "hospital.duckdb"
    build_hospital(path, patients=2, schema="eicu")
    before = content_digest(path)
    with pytest.raises(UserError, match="there already"):
        build_hospital(path, patients=2, seed=1, schema="eicu")
    assert content_digest(path) == before
    build_hospital(path, patients=2, seed=1, schema="eicu", replace=True)
    assert content_digest(path) != before
    assert list(tmp_path.iterdir()) == [path]


def test_a_build_that_is_cut_off_leaves_nothing(tmp_path: Path) -> None:
    def stop(people: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_hospital(tmp_path / "hospital.sqlite", patients=2, done=stop)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_made(tmp_path: Path) -> None:
    path = tmp_path / "hospital.duckdb"
    words = ["data", "hospital", "--patients", "3", "--schema", "mimic-iv", "--to", str(path)]
    result = CliRunner().invoke(app, [*words, "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "3 people, 31 tables" in result.stdout
    with closing(duckdb.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM patients").fetchall() == [(3,)]
