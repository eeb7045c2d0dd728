"""BigQuery's meaning: `meanings.tsv`, a case a line."""

from ast import literal_eval
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.ehr.database import Database

_NUMBERS = "WITH numbers AS (SELECT x FROM UNNEST([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NULL]) AS x) "


def _cases() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("meanings.tsv").read_text().splitlines()
    cases = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(case[0], case[1], case[2] if len(case) > 2 else "") for case in cases]


def _query(expression: str, query: str) -> str:
    if not query:
        return f"SELECT {expression} AS v"
    if query == "numbers":
        return f"{_NUMBERS}SELECT {expression} AS v FROM numbers"
    settings, mark, select = query.rpartition("; ")
    return settings + mark + (_NUMBERS if "FROM numbers" in select else "") + select


@for_each(_cases())
def test_an_expression_means_what_it_means_in_bigquery(
    expression: str, expected: str, query: str, *, records: Database
) -> None:
    result = records.execute(_query(expression, query))
    # 1 is not 1.0: the type counts too.
    assert repr(result.rows[0]) == repr(literal_eval(f"({expected},)"))
    if query.startswith(("SELECT", "DECLARE")):
        assert ", ".join(result.columns) == expression


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "DIV(1, 0)",
        "MOD(1, 0)",
        "LN(0)",
        "CAST('apple' AS INT64)",
        "CAST('2.5' AS INT64)",
        "[1, 2][OFFSET(2)]",
        "PARSE_DATE('%Y%m%d', 'no date')",
        "FORMAT('%d')",
        "FORMAT('%d', 1, 2)",
        "APPROX_QUANTILES(1, 4)[OFFSET(5)]",
        "FILE_SIZE('x')",
        "1 AS a, 2 AS A",
    ],
)
def test_what_fails_in_bigquery_fails(records: Database, expression: str) -> None:
    from wardround.ehr.database import QueryError

    with pytest.raises(QueryError):
        records.execute(f"SELECT {expression}")


def test_a_fingerprint_is_bigquerys(records: Database) -> None:
    """The rows and values of the reference."""
    found = records.execute(
        "SELECT FARM_FINGERPRINT(CONCAT(CAST(x AS STRING), y, CAST(z AS STRING))) AS f"
        " FROM UNNEST([STRUCT(1 AS x, 'foo' AS y, true AS z), (2, 'apple', false), (3, '', true)])"
        " UNION ALL SELECT FARM_FINGERPRINT(CAST(NULL AS STRING))"
    )
    expected = [-4880158226897771312, -1541654101129638711, 2794438866806483259]
    values = [row[0] for row in found.rows]
    assert sorted(value for value in values if value is not None) == expected
    assert values.count(None) == 1


def test_a_fingerprint_of_a_number_is_refused(records: Database) -> None:
    from wardround.ehr.database import QueryError

    with pytest.raises(QueryError):
        records.execute("SELECT FARM_FINGERPRINT(1) AS f")
