"""Names of datasets, tables and columns, and the derived table."""

import pytest

from wardround.ehr.database import Database, QueryError


@pytest.mark.parametrize(
    "table",
    [
        "`physionet-data.mimiciv_3_1_hosp.patients`",
        "`physionet-data.mimiciv_3_1_hosp`.patients",
        "`physionet-data`.`mimiciv_3_1_hosp`.`patients`",
        "physionet-data.mimiciv_3_1_hosp.patients",
        "`physionet-data.mimiciv_hosp.patients`",
        "mimiciv_3_1_hosp.patients",
        "mimiciv_hosp.patients",
        "`mimiciv_hosp.patients` AS p",
    ],
)
def test_a_table_has_many_names(records: Database, table: str) -> None:
    assert records.execute(f"SELECT COUNT(subject_id) AS n FROM {table}").rows == [(40,)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "`bigquery-public-data.mimiciv_hosp.patients`",
            "Dataset bigquery-public-data:mimiciv_hosp",
        ),
        ("mimiciii.patients", "Dataset physionet-data:mimiciii was not found"),
        ("mimiciv_2_2_hosp.patients", "Dataset physionet-data:mimiciv_2_2_hosp was not found"),
        ("mimiciv_3_1_icu.patients", "Table physionet-data:mimiciv_3_1_icu.patients was not found"),
        ("mimiciv_hosp.icustays", "was not found"),
        ("mimiciv_hosp.nothing", "was not found"),
        ("mimiciv_derived.sofa", "was not found"),
        ("main.patients", "Dataset physionet-data:main was not found"),
        ("somewhere", "must be qualified with a dataset"),
        ("mimiciv_hosp.INFORMATION_SCHEMA.TABLES", "was not found"),
        ("read_csv('x.csv')", "Table-valued function not found"),
        ("duckdb_tables()", "Function not found"),
    ],
)
def test_another_dataset_or_table_is_refused(records: Database, table: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        records.execute(f"SELECT * FROM {table}")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT `physionet-data.mimiciv_hosp.patients`.gender"
        " FROM `physionet-data.mimiciv_hosp.patients`",
        "SELECT mimiciv_hosp.patients.gender FROM mimiciv_hosp.patients",
        "SELECT patients.gender FROM `physionet-data`.mimiciv_hosp.patients",
        "WITH patients AS (SELECT gender FROM mimiciv_hosp.patients) SELECT gender FROM patients",
        "WITH a AS (SELECT 1 AS gender) SELECT a.gender FROM A, mimiciv_hosp.patients",
        "SELECT gender FROM mimiciv_hosp.patients AS `order`",
    ],
)
def test_a_column_has_many_names(records: Database, sql: str) -> None:
    result = records.execute(sql, rows=None)
    assert (result.columns, len(result.rows)) == (("gender",), 40)


def test_columns_have_the_published_types(records: Database) -> None:
    types = {column.name: column.type for column in records.columns("admissions")}
    assert (types["subject_id"], types["admittime"], types["race"]) == (
        "INT64",
        "DATETIME",
        "STRING",
    )
    assert {column.name: column.type for column in records.columns("patients")}["dod"] == "DATE"
    assert {c.name: c.type for c in records.columns("labevents")}["valuenum"] == "FLOAT64"


def test_samples_need_no_dataset(records: Database) -> None:
    assert len(records.sample("patients", 2).rows) == 2


def test_charlson_has_a_row_for_each_admission(records: Database) -> None:
    result = records.execute(
        "SELECT c.hadm_id, c.charlson_comorbidity_index AS i, c.age_score, c.renal_disease,"
        " (SELECT COUNTIF(d.icd_version = 10 AND d.icd_code LIKE 'N18%' OR"
        " d.icd_version = 9 AND d.icd_code LIKE '585%') FROM mimiciv_hosp.diagnoses_icd AS d"
        " WHERE d.hadm_id = c.hadm_id) AS kidneys"
        " FROM `physionet-data.mimiciv_derived.charlson` AS c",
        rows=None,
    )
    admissions = records.execute("SELECT COUNT(*) AS n FROM mimiciv_hosp.admissions").rows[0][0]
    assert len({row[0] for row in result.rows}) == len(result.rows) == admissions
    rows = [[int(str(cell)) for cell in row] for row in result.rows]
    assert all(renal == 1 for _, _, _, renal, kidneys in rows if kidneys)
    assert all(index >= age + 2 * renal for _, index, age, renal, _ in rows)
    assert max(index for _, index, *_ in rows) == 9


def test_charlson_counts_the_graver_of_two_conditions() -> None:
    import duckdb

    from wardround.ehr.database.googlesql.names import Names
    from wardround.ehr.database.googlesql.translation import to_duckdb

    names = Names({"admissions": ("hadm_id",), "patients": (), "diagnoses_icd": ()})
    sql = to_duckdb("SELECT * FROM mimiciv_derived.charlson", names)
    with duckdb.connect() as made:
        made.execute(
            "CREATE TABLE patients AS SELECT 1 subject_id, 72 anchor_age, 2150 anchor_year"
        )
        made.execute(
            "CREATE TABLE admissions AS"
            " SELECT 1 subject_id, 2 hadm_id, TIMESTAMP '2151-01-01' admittime"
        )
        made.execute(
            "CREATE TABLE diagnoses_icd AS"
            " SELECT 2 hadm_id, unnest(['I5021', 'E1122', 'E119', 'C787',"
            " 'C509', 'K7290', 'K7460', '0700']) icd_code, 10 icd_version"
        )
        found = made.execute(sql)
        row = dict(zip((c[0] for c in found.description or ()), found.fetchall()[0], strict=True))
    assert row["age_score"] == 3
    assert (row["diabetes_with_cc"], row["diabetes_without_cc"], row["aids"]) == (1, 1, 0)
    # Age 3, heart failure 1, diabetes with complications 2, metastases 6, severe liver disease 3.
    assert row["charlson_comorbidity_index"] == 15
