"""Records in a FROM clause are the records of their view."""

from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest
from sqlglot import exp, select

from tests.hospitals import hospital_file
from wardround.ehr.database import Database, open_database
from wardround.ehr.records import (
    JoinedRows,
    RecordMap,
    joined_rows,
    load_map,
    records_of,
    view,
    without_unread,
)


def rows_of(rows: JoinedRows, columns: tuple[str, ...]) -> exp.Select:
    query = select(*(rows.columns[name].copy().as_(name) for name in columns))
    query = query.from_(rows.table.copy())
    for lookup in rows.lookups:
        query.append("joins", lookup.copy())
    return query.where(rows.where.copy()) if rows.where is not None else query


def counted(database: Database, sql: str) -> Counter[tuple[object, ...]]:
    return Counter(database.execute(sql, rows=1_000_000).rows)


KINDS = {"mimic_iv": 18, "eicu": 16, "omop_5_4": 15}


@pytest.mark.parametrize("layout", KINDS)
def test_joined_rows_are_those_of_the_view(layout: str) -> None:
    with closing(open_database(hospital_file(layout, 8, seed=3))) as database:
        records = records_of(database)
        assert len(records.kinds) == KINDS[layout]
        for kind in records.kinds:
            rows = joined_rows(records, kind, "e")
            columns = tuple(name for name in records.columns(kind) if name in rows.columns)
            own = tuple(name for name in columns if rows.is_plain(name))
            for wanted in (columns, own):
                joined = without_unread(rows_of(rows, wanted)).sql("duckdb")
                seen = ", ".join(wanted)
                viewed = f"SELECT {seen} FROM ({view(records, kind, 'duckdb')}) v"
                assert counted(database, joined) == counted(database, viewed), (kind, joined)


def test_a_key_is_read_in_the_records_own_table_where_it_says_the_same() -> None:
    rows = joined_rows(load_map("omop_5_4"), "vital", "e")
    assert rows.key("admission").sql() == "e.visit_occurrence_id"
    assert rows.key("stay").sql() == "e.visit_detail_id"
    assert "CASE" in rows.columns["admission"].sql()


def test_a_key_of_any_visit_stays_as_it_is() -> None:
    records = load_map("omop_5_4")
    [source] = records.kinds["admission"]
    everyone = RecordMap("ours", {**records.kinds, "admission": (replace(source, where=""),)})
    assert "admission" not in joined_rows(everyone, "lab", "e").keys


def test_a_patient_that_is_there_is_not_looked_up_again() -> None:
    records = load_map("mimic_iv")
    people = joined_rows(records, "patient", "p")
    alone, beside = (joined_rows(records, "admission", "a", each) for each in ([], [people]))
    assert [join.alias_or_name for join in alone.lookups] == ["a_patients"]
    assert beside.lookups == ()
    assert beside.columns["age"].sql().startswith("p.anchor_age + ")


def test_tables_have_the_names_under_which_a_layout_is_published() -> None:
    records = load_map("mimic_iv_bigquery")
    names = [joined_rows(records, kind, "e").table.sql("bigquery") for kind in ("icu", "diagnosis")]
    assert names == [
        "`physionet-data.mimiciv_3_1_icu.icustays` AS e",
        "`physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS e",
    ]
    index = joined_rows(records, "comorbidity", "m").table.sql("bigquery")
    assert index == "`physionet-data.mimiciv_derived.charlson` AS m"
