"""Queries that rest on no record, for every dialect that agents write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.constant_queries import constant_query, is_constant


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 3",
        "SELECT 'yes' AS answer;",
        "WITH a AS (SELECT 3 AS n) SELECT n FROM a",
        "SELECT 1 FROM patients",
        "SELECT 7 FROM admissions LIMIT 1",
        "SELECT 1 UNION SELECT 2",
    ],
)
def test_a_result_that_no_record_changes(sql: str) -> None:
    assert is_constant(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM patients",
        "SELECT COUNT(*) > 0 FROM patients",
        "SELECT gender FROM patients",
        "SELECT 1 FROM patients WHERE subject_id = 3",
        "SELECT EXISTS (SELECT 1 FROM patients WHERE subject_id = 3)",
        "WITH a AS (SELECT * FROM patients) SELECT COUNT(*) FROM a",
        "WITH patients AS (SELECT * FROM admissions) SELECT COUNT(*) FROM patients",
        "SELECT (SELECT MAX(anchor_age) FROM patients)",
        "SELECT 3 FROM",
        "no query at all",
        "",
    ],
)
def test_a_query_that_reads_records_or_is_not_understood(sql: str) -> None:
    assert not is_constant(sql)


@given(st.text(max_size=20))
def test_a_text_as_a_query_is_constant(text: str) -> None:
    assert is_constant(constant_query(text))
