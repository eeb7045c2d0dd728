"""A hidden patient, and attempts to reach it all the same: `attacks.txt`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, open_database

_ATTACKS = [
    line
    for line in Path(__file__).with_name("attacks.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def hidden(records: Database) -> int:
    # A patient with rows in all that an attack names.
    sql = (
        "SELECT p.subject_id FROM mimiciv_hosp.patients AS p"
        " JOIN mimiciv_icu.chartevents AS c USING (subject_id)"
        " JOIN mimiciv_hosp.omr AS o USING (subject_id)"
        " JOIN mimiciv_hosp.poe_detail AS e USING (subject_id)"
        " ORDER BY p.subject_id LIMIT 1"
    )
    return int(str(records.execute(sql).rows[0][0]))


@pytest.fixture(scope="module")
def overlay(hospital: Path, hidden: int) -> Iterator[Database]:
    database = open_database(f"googlesql:{hospital}?without={hidden}")
    yield database
    database.close()


@for_each(_ATTACKS)
def test_nothing_reaches_the_hidden_patient(attack: str, *, overlay: Database, hidden: int) -> None:
    try:
        result = overlay.execute(attack.format(id=hidden), rows=None)
    except QueryError:
        return
    assert all(cell in (None, 0) or cell != hidden for row in result.rows for cell in row)
    assert result.columns not in (("n",), ("found",)) or result.rows == [(0,)]


def test_no_table_has_the_hidden_patients_rows(
    records: Database, overlay: Database, hidden: int
) -> None:
    for table in overlay.tables():
        names = [column.name for column in overlay.columns(table)]
        module = "icu" if table in _icu() else "hosp"
        total = f"SELECT COUNT(*) AS n FROM mimiciv_{module}.{table}"
        without = f"{total} WHERE subject_id <> {hidden}" if "subject_id" in names else total
        assert overlay.execute(total).rows == records.execute(without).rows


def _icu() -> set[str]:
    from wardround.ehr.database.googlesql.names import ICU

    return ICU


def test_a_database_can_hide_a_patient_of_each_task(
    records: Database, hidden: int, overlay: Database
) -> None:
    one = records.hiding(hidden)
    assert one.url == overlay.url
    assert one.fingerprint() == overlay.fingerprint() != records.fingerprint()
    assert one.execute("SELECT COUNT(*) AS n FROM mimiciv_hosp.patients").rows == [(39,)]
    one.close()
    assert records.execute("SELECT COUNT(*) AS n FROM mimiciv_hosp.patients").rows == [(40,)]
    assert all(hidden not in row for row in overlay.sample("patients", 40).rows)


@pytest.mark.parametrize("option", ["?without=me", "?with=1", "?without="])
def test_an_unknown_option_is_refused(hospital: Path, option: str) -> None:
    with pytest.raises(UserError, match="unknown option"):
        open_database(f"googlesql:{hospital}{option}")


def test_other_engines_hide_nobody(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "ward.duckdb")) as made:
        made.execute("CREATE TABLE patients (subject_id BIGINT)")
    database = open_database(tmp_path / "ward.duckdb")
    with pytest.raises(UserError, match="cannot hide a patient"):
        database.hiding(1)
    database.close()
