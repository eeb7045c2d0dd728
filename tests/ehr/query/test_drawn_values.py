"""Where the values of queries come from, a query a line."""

from pathlib import Path

from tests.cases import for_each
from wardround.ehr.query.drawn_values import origin_of_values

CASES = (Path(__file__).parent / "drawn_values.tsv").read_text("utf-8").splitlines()


@for_each(CASES)
def test_values_come_from_where_the_file_says(case: str) -> None:
    origin, sql = case.split("\t")
    assert origin_of_values(sql, "duckdb") == origin


def test_a_query_too_deep_to_read_is_not_understood() -> None:
    sql = f"SELECT {'+'.join(['COUNT(*)'] * 5000)} FROM patients"
    assert origin_of_values(sql, "duckdb") == "unknown"
