from pathlib import Path

import duckdb
import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import QueryError, open_database


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    path = tmp_path / "ward.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE patients (subject_id BIGINT, gender VARCHAR)")
        made.execute("INSERT INTO patients VALUES (1, 'F'), (2, 'M'), (3, 'F')")
    return path


@pytest.mark.parametrize(
    "table", ["`physionet-data.mimiciv_3_1_hosp.patients`", "mimiciv_hosp.patients"]
)
def test_a_query_runs_whatever_dataset_its_tables_name(ward: Path, table: str) -> None:
    database = open_database(f"googlesql:{ward}")
    assert database.dialect == "bigquery"
    result = database.execute(f"SELECT COUNTIF(gender = 'F') AS women FROM {table}")
    assert (result.columns, result.rows) == (("women",), [(2,)])
    database.close()


def test_a_table_without_a_dataset_is_refused(ward: Path) -> None:
    database = open_database(f"googlesql:{ward}")
    with pytest.raises(QueryError, match="without a dataset"):
        database.execute("SELECT COUNT(*) AS n FROM patients")
    database.close()


@pytest.mark.parametrize("sql", ["SELECT 1; SELECT 2", "SELECT FROM WHERE", "DROP TABLE patients"])
def test_what_is_no_single_query_is_refused(ward: Path, sql: str) -> None:
    database = open_database(f"googlesql:{ward}")
    with pytest.raises(QueryError):
        database.execute(sql)
    database.close()


def test_another_engines_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        open_database(f"googlesql:{tmp_path}/missing.duckdb")
