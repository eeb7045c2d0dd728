"""Consistency of the hospital for any seed and size."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hospitals import hospital_file
from wardround.core.errors import UserError
from wardround.ehr.hospital import build_hospital, content_digest, default_hospital
from wardround.ehr.schema import load_schema, recognise

DIGEST = "12196719256b3896979a2a41207e0b84067dbc2c32724a7bb691b16fa858ce8c"
NOW = "2100-12-31 23:59:00"
# One hospital; with slow tests, four.
SEEDS = st.integers(0, settings().max_examples // 30)


def hospital(seed: int, patients: int = 12, schema: str = "ehrsql_mimic_iv") -> Path:
    return hospital_file(schema, patients, seed, ending="sqlite")


def large_hospital() -> Path:
    """The tables of 300 people that the tests of shares read."""
    tables = ["diagnoses_icd", "labevents", "prescriptions"]
    return hospital_file("ehrsql_mimic_iv", 300, seed=5, ending="sqlite", tables=tables)


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def references(schema: str) -> Iterator[tuple[str, str, str, str]]:
    for table in load_schema(schema).tables:
        for key in table.foreign_keys:
            if table.name not in ("cost", "costrecords"):
                yield table.name, key.column, key.table, key.target


@given(SEEDS)
@settings(max_examples=6)
def test_foreign_keys_are_valid(seed: int) -> None:
    for table, column, target, key in references("ehrsql_mimic_iv"):
        sql = f"SELECT {column} FROM {table} EXCEPT SELECT {key} FROM {target}"
        assert rows(hospital(seed), sql) == [], (table, column)
    coded = (
        "SELECT icd_code, icd_version FROM {}_icd EXCEPT SELECT icd_code, icd_version FROM d_icd_{}"
    )
    for kind in ("diagnoses", "procedures"):
        assert rows(hospital(seed), coded.format(kind, kind)) == []


@given(SEEDS)
@settings(max_examples=6)
def test_charges_and_events_match_one_to_one(seed: int) -> None:
    times = {
        "diagnoses_icd": "charttime",
        "procedures_icd": "charttime",
        "labevents": "charttime",
        "prescriptions": "starttime",
    }
    for table, time in times.items():
        events = f"SELECT row_id, subject_id, hadm_id, {time} FROM {table} ORDER BY 1"
        charges = (
            "SELECT event_id, subject_id, hadm_id, chargetime FROM cost "
            f"WHERE event_type = '{table}' AND cost > 0 ORDER BY 1"
        )
        assert rows(hospital(seed), events) == rows(hospital(seed), charges)


@given(SEEDS)
@settings(max_examples=6)
def test_no_time_is_after_the_current_time(seed: int) -> None:
    for table in load_schema("ehrsql_mimic_iv").tables:
        for column in table.columns:
            if column.name.endswith("time") or column.name == "dod":
                sql = f"SELECT {column.name} FROM {table.name} WHERE {column.name} > '{NOW}'"
                assert rows(hospital(seed), sql) == [], (table.name, column.name)


INSIDE = {
    "diagnoses_icd": "charttime",
    "procedures_icd": "charttime",
    "labevents": "charttime",
    "prescriptions": "starttime",
    "microbiologyevents": "charttime",
    "chartevents": "charttime",
    "inputevents": "starttime",
    "outputevents": "charttime",
    "icustays": "intime",
}


@pytest.mark.parametrize(("table", "time"), INSIDE.items())
@given(seed=SEEDS)
@settings(max_examples=4)
def test_events_are_within_their_stay(table: str, time: str, seed: int) -> None:
    outside = (
        f"SELECT e.{time}, admittime, dischtime FROM {table} e JOIN admissions USING (hadm_id) "
        f"WHERE e.{time} NOT BETWEEN admittime AND coalesce(dischtime, '{NOW}')"
    )
    assert rows(hospital(seed), outside) == []


@given(SEEDS)
@settings(max_examples=6)
def test_stays_do_not_overlap(seed: int) -> None:
    assert rows(hospital(seed), "SELECT * FROM admissions WHERE dischtime <= admittime") == []
    assert rows(hospital(seed), "SELECT * FROM icustays WHERE outtime <= intime") == []
    assert rows(hospital(seed), "SELECT * FROM prescriptions WHERE stoptime < starttime") == []
    overlapping = (
        "SELECT a.hadm_id FROM admissions a JOIN admissions b USING (subject_id) "
        f"WHERE a.hadm_id <> b.hadm_id AND a.admittime <= b.admittime "
        f"AND coalesce(a.dischtime, '{NOW}') >= b.admittime"
    )
    assert rows(hospital(seed), overlapping) == []


@given(SEEDS)
@settings(max_examples=6)
def test_charted_values_are_within_icu_stays(seed: int) -> None:
    for table, time in (("chartevents", "charttime"), ("inputevents", "starttime")):
        outside = (
            f"SELECT 1 FROM {table} e JOIN icustays i USING (stay_id) "
            f"WHERE e.{time} NOT BETWEEN i.intime AND coalesce(i.outtime, '{NOW}')"
        )
        assert rows(hospital(seed), outside) == []


@given(SEEDS)
@settings(max_examples=6)
def test_transfers_have_no_gaps(seed: int) -> None:
    sql = (
        "SELECT hadm_id, intime, outtime, eventtype FROM transfers ORDER BY hadm_id, intime, row_id"
    )
    moves = rows(hospital(seed), sql)
    for before, after in pairwise(moves):
        if before[0] == after[0]:
            assert before[2] == after[1]
            assert before[3] != "discharge"


@given(SEEDS)
@settings(max_examples=6)
def test_no_events_after_death(seed: int) -> None:
    later = (
        "SELECT 1 FROM admissions JOIN patients USING (subject_id) "
        "WHERE date(coalesce(dischtime, admittime)) > date(dod)"
    )
    assert rows(hospital(seed), later) == []
    unmarked = (
        "SELECT 1 FROM admissions JOIN patients USING (subject_id) "
        "WHERE discharge_location = 'died' AND (dod IS NULL OR date(dod) <> date(dischtime))"
    )
    assert rows(hospital(seed), unmarked) == []


@given(SEEDS)
@settings(max_examples=6)
def test_stays_have_one_icd_edition_and_ages_match_births(seed: int) -> None:
    mixed = "SELECT hadm_id FROM diagnoses_icd GROUP BY 1 HAVING count(DISTINCT icd_version) > 1"
    assert rows(hospital(seed), mixed) == []
    twice = "SELECT 1 FROM diagnoses_icd GROUP BY hadm_id, icd_code HAVING count(*) > 1"
    assert rows(hospital(seed), twice) == []
    wrong = (
        "SELECT 1 FROM admissions JOIN patients USING (subject_id) WHERE age <> "
        "strftime('%Y', admittime) - strftime('%Y', dob) "
        "- (strftime('%m-%d', admittime) < strftime('%m-%d', dob))"
    )
    assert rows(hospital(seed), wrong) == []


ONE_SEX = [
    ("f", "long_title LIKE '%prostat%' AND long_title NOT LIKE 'family history%'"),
    ("m", "long_title LIKE '%cesarean%' OR long_title LIKE '%breast%female%'"),
    ("m", "long_title = 'personal history of malignant neoplasm of breast'"),
]


@pytest.mark.parametrize(("sex", "titles"), ONE_SEX)
def test_sex_specific_diagnoses_match_the_sex(sex: str, titles: str) -> None:
    result = (
        "SELECT DISTINCT gender FROM diagnoses_icd "
        "JOIN d_icd_diagnoses USING (icd_code, icd_version) "
        f"JOIN patients USING (subject_id) WHERE {titles}"
    )
    genders = {row[0] for row in rows(large_hospital(), result)}
    assert genders == {"m" if sex == "f" else "f"}


def test_penicillin_allergy_excludes_penicillin() -> None:
    given_anyway = (
        "SELECT drug FROM prescriptions WHERE hadm_id IN "
        "(SELECT hadm_id FROM diagnoses_icd WHERE icd_code IN ('v140', 'z880')) "
        "AND (drug LIKE '%cillin%' OR drug = 'zosyn')"
    )
    path = large_hospital()
    assert rows(path, "SELECT 1 FROM prescriptions WHERE drug LIKE '%cillin%'")
    assert rows(path, given_anyway) == []


def test_derived_results_are_consistent() -> None:
    wide = (
        "SELECT max(CASE itemid WHEN 50983 THEN valuenum END) + "
        "max(CASE itemid WHEN 50971 THEN valuenum END) - "
        "max(CASE itemid WHEN 50902 THEN valuenum END) - "
        "max(CASE itemid WHEN 50882 THEN valuenum END) - "
        "max(CASE itemid WHEN 50868 THEN valuenum END) AS difference "
        "FROM labevents GROUP BY hadm_id, charttime HAVING difference IS NOT NULL"
    )
    differences = [float(str(row[0])) for row in rows(hospital(0, 30), wide)]
    assert len(differences) == 668
    assert all(abs(difference) <= 2.1 for difference in differences)


def test_treatment_lowers_the_white_count() -> None:
    """The white count of survivors of pneumonia and sepsis falls from arrival to discharge."""
    sql = (
        "SELECT l.hadm_id, valuenum FROM labevents l JOIN admissions a USING (hadm_id) "
        "WHERE itemid = 51301 AND discharge_location <> 'died' AND hadm_id IN "
        "(SELECT hadm_id FROM diagnoses_icd WHERE icd_code IN ('486', 'j189')) "
        "ORDER BY l.hadm_id, l.charttime"
    )
    counts: dict[object, list[float]] = {}
    for stay, value in rows(large_hospital(), sql):
        counts.setdefault(stay, []).append(float(str(value)))
    changes = [values[-1] < values[0] for values in counts.values() if len(values) > 3]
    assert Counter(changes) == {True: 18, False: 2}


def test_shares_match_the_data_files() -> None:
    path = large_hospital()
    [(women,)] = rows(path, "SELECT avg(gender = 'f') FROM patients")
    [(old,)] = rows(path, "SELECT avg(icd_version = 9) FROM diagnoses_icd")
    [(age, stays)] = rows(path, "SELECT avg(age), count(*) FROM admissions")
    [(days,)] = rows(
        path, "SELECT avg(julianday(dischtime) - julianday(admittime)) FROM admissions"
    )
    assert float(str(women)) == pytest.approx(0.46, abs=0.08)
    assert float(str(old)) == pytest.approx(0.7, abs=0.1)
    assert float(str(age)) == pytest.approx(61, abs=4)
    assert 1.2 <= int(str(stays)) / 300 <= 1.6
    assert 5 <= float(str(days)) <= 7.5


def test_tables_have_rows_and_items_have_names() -> None:
    path = hospital(0, 30)
    for table in load_schema("ehrsql_mimic_iv").tables:
        assert rows(path, f"SELECT 1 FROM {table.name} LIMIT 1"), table.name
    used = "SELECT DISTINCT linksto FROM d_items WHERE itemid IN (SELECT itemid FROM {})"
    for name in ("chartevents", "inputevents", "outputevents"):
        assert rows(path, used.format(name)) == [(name,)]


def test_text_is_lower_case() -> None:
    path = hospital(0)
    for table in load_schema("ehrsql_mimic_iv").tables:
        for column in table.columns:
            if column.type == "TEXT":
                sql = f"SELECT 1 FROM {table.name} WHERE {column.name} <> lower({column.name})"
                assert rows(path, sql) == [], (table.name, column.name)


def test_larger_hospital_contains_the_smaller_one() -> None:
    tables = [table.name for table in load_schema("ehrsql_mimic_iv").tables]
    for table in tables:
        small, large = (rows(hospital(1, n), f"SELECT * FROM {table} ORDER BY 1") for n in (4, 12))
        assert large[: len(small)] == small, table


def test_rows_depend_on_the_seed(tmp_path: Path) -> None:
    again = tmp_path / "again.sqlite"
    build_hospital(again, patients=12, seed=1, schema="ehrsql_mimic_iv")
    assert content_digest(again) == content_digest(hospital(1))
    assert content_digest(hospital(0)) != content_digest(hospital(1))


def test_rows_have_the_pinned_digest() -> None:
    """After an intended change of rows, update the digest and increment CODE_VERSION."""
    assert content_digest(hospital(1)) == DIGEST


def test_renamed_hospital_has_the_same_rows() -> None:
    star = hospital(0, 12, "mimic_iv_star")
    tables = {
        table: [str(row[1]) for row in rows(star, f"PRAGMA table_info({table})")]
        for table in (
            str(row[0]) for row in rows(star, "SELECT name FROM sqlite_master WHERE type = 'table'")
        )
    }
    assert recognise(tables) == "mimic_iv_star"
    assert rows(star, "SELECT * FROM labresults") == rows(hospital(0), "SELECT * FROM labevents")
    kinds = {row[0] for row in rows(star, "SELECT DISTINCT eventtype FROM costrecords")}
    assert kinds == {"admissiondiagnoses", "admissionprocedures", "labresults", "medicationorders"}
    links = {row[0] for row in rows(star, "SELECT DISTINCT itemtype FROM clinicalitemtypes")}
    assert links == {"clinicalevents", "intakerecords", "outputrecords"}


def test_default_hospital_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build_few(path: Path, *, patients: int, schema: str) -> None:
        assert patients == 100
        build_hospital(path, patients=2, schema=schema)

    monkeypatch.setattr("wardround.ehr.hospital.build.build_hospital", build_few)
    old = tmp_path / "hospital-0123456789ab-mimic_iv_star.sqlite"
    old.touch()
    path = default_hospital(tmp_path)
    stamp = path.stat().st_mtime_ns
    assert default_hospital(tmp_path) == path
    assert path.stat().st_mtime_ns == stamp
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert rows(path, "SELECT count(*) FROM demographics") == [(2,)]


@pytest.mark.parametrize(
    ("patients", "schema", "text"), [(0, "ehrsql_mimic_iv", "not 0"), (5, "fhir", "schema 'fhir'")]
)
def test_invalid_arguments_are_refused(
    tmp_path: Path, patients: int, schema: str, text: str
) -> None:
    with pytest.raises(UserError, match=text):
        build_hospital(tmp_path / "hospital.sqlite", patients=patients, schema=schema)
    assert list(tmp_path.iterdir()) == []
