from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import one_in
from wardround.benchmarks.clinsql.gold.cohorts import (
    NoCohortError,
    cohort_queries,
    overlap,
)
from wardround.ehr.database import Database, open_database

CASES = [
    orjson.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "cohorts.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize(
    "case", one_in(3, [c for c in CASES if c["cohorts"]]), ids=lambda c: c["case"]
)
def test_a_cohort_is_what_reaches_the_final_aggregation(
    case: dict[str, Any], hospital: Path, records: Database
) -> None:
    plain = open_database(hospital)
    found = cohort_queries(case["sql"])
    assert found.keys() == case["cohorts"].keys()
    for key, query in found.items():
        ids = records.execute(query, rows=None).rows
        assert ids
        assert sorted(ids) == sorted(plain.execute(case["cohorts"][key], rows=None).rows)
    plain.close()


@pytest.mark.parametrize("case", [c for c in CASES if not c["cohorts"]], ids=lambda c: c["case"])
def test_a_query_without_lineage_has_no_cohort(case: dict[str, Any]) -> None:
    with pytest.raises(NoCohortError):
        cohort_queries(case["sql"])


ids = st.sets(st.integers(0, 9))


@given(ids, ids)
def test_overlap_is_whole_exactly_for_equal_cohorts(cohort: set[int], gold: set[int]) -> None:
    found = overlap(cohort, gold)
    assert (found.f1 == 1) == (cohort == gold)
    assert (found.precision, found.recall) == (
        overlap(gold, cohort).recall,
        overlap(gold, cohort).precision,
    )
