"""Functions nested in each other: the work of reading and translating is linear in their depth."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from sqlglot import exp, parse_one

from tests.cases import for_each, one_in
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.statements import DEEPEST_CALLS
from wardround.ehr.database.googlesql.strictness.check import check
from wardround.ehr.database.googlesql.strictness.word_lists import word_list
from wardround.ehr.database.googlesql.translation import to_duckdb
from wardround.ehr.database.interface import QueryError

TYPES = {"patients": {"subject_id": "INT64", "gender": "STRING", "dod": "DATE"}}
NAMES = Names({table: tuple(columns) for table, columns in TYPES.items()})
DEPTHS = (10, 50)
# Calls of Python functions at the larger depth for each at the smaller one: a straight line has 5,
# and an exponential millions. sqlglot reads some arguments again while they are small.
MOST_TIMES = 8
# At even steps a straight line grows by the same each time, a square by 5/3.
EVEN_DEPTHS = (16, 22, 28)
FUNCTIONS = sorted(word_list("functions.txt") - {"IF"})
SHAPES = ("{f}({x})", "{f}({x}, 1)", "{f}(1, {x})", "{f}({x}, 'a', 2)", "SAFE.{f}({x})")
FORMS = (
    "CAST({x} AS INT64)",
    "CAST({x} AS STRING)",
    "SAFE_CAST({x} AS NUMERIC)",
    "EXTRACT(WEEK FROM {x})",
    "DATE_ADD({x}, INTERVAL 1 DAY)",
    "DATE_TRUNC({x}, WEEK(MONDAY))",
    "TIMESTAMP_DIFF({x}, CURRENT_TIMESTAMP(), HOUR)",
    "FORMAT('%T%t', {x}, 1)",
    "IF({x} > 1, 1, 2)",
    "CASE {x} WHEN 1 THEN 2 END",
    "1 / ({x})",
    "({x}) LIKE ANY ('a', 'b')",
    "[{x}][OFFSET(0)]",
    "STRUCT({x})",
    "(SELECT {x})",
    "EXISTS(SELECT 1 FROM mimiciv_hosp.patients WHERE {x} = 1)",
)
# Subqueries that stand in each other, with the clauses that name a value or an array again.
SUBQUERIES = (
    "(SELECT STRING_AGG(CAST({x} AS STRING), ',') FROM UNNEST([1, 2]) AS n)",
    "(SELECT STRING_AGG(DISTINCT {x}, ',' LIMIT 2) FROM UNNEST([1, 2]) AS n)",
    "(SELECT ARRAY_AGG({x} IGNORE NULLS)[OFFSET(0)] FROM UNNEST([1, 2]) AS n)",
    "(SELECT ARRAY_AGG({x} LIMIT 1)[SAFE_OFFSET(0)] FROM UNNEST([1, 2]) AS n)",
    "(SELECT MAX(value) FROM UNNEST([{x}]) AS value WITH OFFSET AS place)",
    "(SELECT MAX(part) FROM UNNEST([STRUCT({x} AS part)]))",
    "ARRAY(SELECT value FROM UNNEST({x}) AS value WITH OFFSET AS place)",
    "(SELECT APPROX_QUANTILES({x}, 2)[OFFSET(1)] FROM UNNEST([1, 2]) AS n)",
    "(SELECT COUNTIF({x} IS NULL) FROM UNNEST([1, 2]) AS n)",
    "(SELECT SAFE_DIVIDE({x}, COUNT(*)) FROM UNNEST([1, 2]) AS n)",
)
# Values of more nodes than are written twice, some or all of them NULL.
_NULL_IF_FEMALE = "IF(gender = 'F' AND subject_id + 1 + 2 + 3 + 4 > 0, NULL, subject_id)"
_NULL = "IF(subject_id + 1 + 2 + 3 + 4 + 5 + 6 > 0, NULL, subject_id)"


@pytest.fixture(autouse=True)
def deep_calls() -> Iterator[None]:
    """As deep as calls may go in the process that runs statements."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEPEST_CALLS)
    yield
    sys.setrecursionlimit(before)


def nested(form: str, depth: int) -> str:
    value = "subject_id"
    for _ in range(depth):
        value = form.replace("{x}", value)
    return f"SELECT {value} AS found FROM mimiciv_hosp.patients"


def calls(work: Any) -> int:
    """The number of calls of Python functions, which does not depend on the machine."""
    counted = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    profiler = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    except QueryError:
        pass  # that it is refused is no fault
    finally:
        sys.setprofile(profiler)
    return counted


def work(form: str, depth: int) -> int:
    sql = nested(form, depth)
    return calls(lambda: to_duckdb(sql, NAMES)) + calls(lambda: check(sql, TYPES))


@for_each(SUBQUERIES)
def test_the_text_grows_with_the_depth_of_subqueries(form: str) -> None:
    small, large = (len(to_duckdb(nested(form, depth), NAMES)) for depth in (4, 12))
    assert large < 4 * small


@for_each(one_in(4, FORMS))
def test_the_work_grows_with_the_depth(form: str) -> None:
    small, large = (work(form, depth) for depth in DEPTHS)
    assert large < MOST_TIMES * small


@for_each(FUNCTIONS)
def test_nodes_and_text_grow_with_the_depth_of_any_function(name: str) -> None:
    made = 0
    make = exp.Expr.__init__

    def counted(node: exp.Expr, **args: Any) -> None:
        nonlocal made
        made += 1
        make(node, **args)

    def size(form: str, depth: int) -> tuple[int, int]:
        nonlocal made
        made, text = 0, ""
        with suppress(QueryError):
            text = to_duckdb(nested(form, depth), NAMES)
        return made, len(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exp.Expr, "__init__", counted)
        for form in accepted_forms(name):
            for first, second, third in zip(*(size(form, d) for d in EVEN_DEPTHS), strict=True):
                assert third - second <= 1.3 * (second - first) + 500, form


def accepted_forms(name: str) -> Iterator[str]:
    """The first shape that can be translated, which tells how the function is written."""
    for shape in SHAPES:
        form = shape.replace("{f}", name)
        with suppress(QueryError):
            to_duckdb(nested(form, 2), NAMES)
            yield form
            return


@for_each(one_in(6, FUNCTIONS))
def test_any_function_is_checked_or_refused(name: str) -> None:
    for shape in SHAPES:
        with suppress(QueryError):
            check(nested(shape.replace("{f}", name), 2), TYPES)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STRUCT(1 AS a, 2 AS b) AS s",
        "SELECT STRUCT<a INT64>(1) AS s",
        "SELECT SAFE.SUBSTR('a', 0, 1) AS s",
        "SELECT t.safe FROM mimiciv_hosp.patients AS t",
        "SELECT CAST(x AS STRUCT<a INT64>) AS s",
        "SELECT ARRAY<STRUCT<a INT64>>[STRUCT(1)] AS s",
    ],
)
def test_the_grammar_reads_what_sqlglots_does(sql: str) -> None:
    assert parse_one(sql, read=GoogleSql) == parse_one(sql, read="bigquery")


def test_a_repeated_large_argument_is_written_once() -> None:
    sql = to_duckdb(nested("CAST({x} AS INT64)", 3), NAMES)
    assert sql.count('"subject_id"') <= 8
    assert parse_one(sql, read="duckdb").find(exp.Lambda) is not None


def test_the_query_of_exists_stays_a_query(records: Database) -> None:
    codes = " OR ".join(
        f"(d.icd_version = {version} AND d.icd_code LIKE '{code}%' AND LENGTH(d.icd_code) > 2)"
        for version, code in ((9, "401"), (10, "I10"), (10, "I12"))
    )
    admissions = "FROM mimiciv_hosp.admissions AS a WHERE"
    inner = f"FROM mimiciv_hosp.diagnoses_icd AS d WHERE d.hadm_id = a.hadm_id AND ({codes})"
    exists = f"SELECT COUNT(*) AS n {admissions} EXISTS (SELECT 1 {inner})"
    in_list = f"SELECT COUNT(*) AS n {admissions} a.hadm_id IN (SELECT d.hadm_id {inner})"
    assert records.execute(exists).rows == records.execute(in_list).rows


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST(CAST(CAST(subject_id + 0.6 AS STRING) AS FLOAT64) + 0 AS INT64) - subject_id", 1),
        ("LENGTH(SUBSTR(CONCAT(CAST(subject_id AS STRING), 'abc'), -3))", 3),
        (
            "DATE_DIFF(DATE_ADD(DATE_TRUNC(DATE '2020-05-05', WEEK), INTERVAL 9 DAY),"
            " DATE '2020-05-05', WEEK)",
            1,
        ),
        ("GREATEST(LENGTH(TRIM(REPLACE(gender, gender, 'four'))), 1, 2)", 4),
        (
            "(SELECT CAST(ROUND(CAST(MAX(subject_id) - MIN(subject_id) AS FLOAT64) * 0 + 2.5)"
            " AS INT64) FROM mimiciv_hosp.patients)",
            3,
        ),
    ],
)
def test_a_value_computed_once_is_the_same(expression: str, value: int, records: Database) -> None:
    sql = f"SELECT DISTINCT {expression} AS found FROM mimiciv_hosp.patients"
    assert records.execute(sql).rows == [(value,)]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("SAFE.COUNT(subject_id)", 40),
        ("CAST(IEEE_DIVIDE(COUNT(*), 0) > 1e300 AS INT64)", 1),
        ("IEEE_DIVIDE(COUNT(*), 80)", 0.5),
        ("ARRAY_AGG(1 RESPECT NULLS)[OFFSET(0)]", 1),
        ("STRING_AGG(DISTINCT gender, '/' ORDER BY gender DESC)", "M/F"),
        ("STRING_AGG(DISTINCT gender, '/' ORDER BY gender LIMIT 1)", "F"),
        ("COALESCE(STRING_AGG(NULLIF(gender, gender)), 'none')", "none"),
        ("COALESCE(STRING_AGG(NULLIF(gender, gender) LIMIT 2), 'none')", "none"),
        (f"ARRAY_LENGTH(ARRAY_AGG({_NULL_IF_FEMALE} IGNORE NULLS LIMIT 5))", 5),
        (f"COALESCE(ARRAY_LENGTH(ARRAY_AGG({_NULL} IGNORE NULLS)), -1)", -1),
        (
            "(SELECT STRING_AGG(CONCAT(v, CAST(place AS STRING)), '' ORDER BY place) FROM"
            " UNNEST([MIN(gender), MAX(gender)]) AS v WITH OFFSET AS place)",
            "F0M1",
        ),
        (
            "MAX((SELECT STRING_AGG((SELECT STRING_AGG(CONCAT(v, w), '') FROM UNNEST(['x', 'y'])"
            " AS w WITH OFFSET AS inside), '-' ORDER BY place) FROM UNNEST(['a', 'b']) AS v"
            " WITH OFFSET AS place))",
            "axay-bxby",
        ),
    ],
)
def test_forms_of_bigquery_run(expression: str, value: float | str, records: Database) -> None:
    sql = f"SELECT {expression} AS found FROM mimiciv_hosp.patients"
    assert records.execute(sql).rows == [(value,)]


def test_a_query_that_is_read_without_end_ends_alone(records: Database) -> None:
    sql = f"DECLARE a INT64 DEFAULT 1; {'SET a = a + a; ' * 40} SELECT a AS n"
    with pytest.raises(QueryError):
        records.execute(sql, seconds=2)
    deep = nested("STRUCT({x})", 400).replace("found", "n")
    with pytest.raises(QueryError):
        records.execute(deep, seconds=5)
    assert records.execute("SELECT COUNT(*) AS n FROM mimiciv_hosp.patients").rows == [(40,)]
