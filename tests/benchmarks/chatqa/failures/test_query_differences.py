"""Facts of queries, and their differences from golds."""

import pytest

from tests.cases import for_each, one_in
from wardround.benchmarks.chatqa.failures.fact_reader import read_query
from wardround.benchmarks.chatqa.failures.query_differences import query_differences
from wardround.benchmarks.chatqa.failures.query_facts import QueryFacts
from wardround.benchmarks.chatqa.tasks import ChatTask, shipped_tasks

TASKS = shipped_tasks("chatqa-2026.1").tasks
STAYS = "SELECT COUNT(DISTINCT admissionid) FROM hospitaladmissions WHERE "


def facts(sql: str) -> QueryFacts:
    found = read_query(sql)
    assert found is not None
    return found


@pytest.mark.parametrize(("decimals", "differences"), [(4, []), (6, []), (1, ["unclear"])])
def test_a_result_may_be_rounded_as_the_rules_ask(decimals: int, differences: list[str]) -> None:
    gold = "SELECT AVG(age) FROM hospitaladmissions"
    rounded = f"SELECT ROUND(AVG(age), {decimals}) FROM hospitaladmissions"
    assert query_differences(facts(gold), facts(rounded)) == differences


@pytest.mark.parametrize(
    ("attempt", "differences"),
    [
        ("SELECT COUNT(*) FROM (SELECT DISTINCT patientid FROM hospitaladmissions)", []),
        ("SELECT COUNT(*) FROM (SELECT patientid FROM hospitaladmissions GROUP BY patientid)", []),
        ("SELECT COUNT(*) FROM (SELECT patientid FROM hospitaladmissions)", ["unclear"]),
        (
            "SELECT COUNT(*) FROM (SELECT patientid FROM hospitaladmissions GROUP BY age)",
            ["unclear"],
        ),
        (
            "SELECT COUNT(*) FROM (SELECT DISTINCT admissionid FROM hospitaladmissions)",
            ["changed"],
        ),
    ],
)
def test_rows_of_a_nested_query_may_be_one_a_key(attempt: str, differences: list[str]) -> None:
    gold = "SELECT COUNT(DISTINCT patientid) FROM hospitaladmissions"
    assert query_differences(facts(gold), facts(attempt)) == differences


@for_each(one_in(6, TASKS))
def test_a_gold_does_not_differ_from_itself(task: ChatTask) -> None:
    gold = facts(task.hidden.gold_sql)
    assert not gold.is_unclear
    assert query_differences(gold, gold) == []


@for_each(
    [
        ("age >= 40", "NOT age < 40", []),
        ("age >= 40", "40 <= age", []),
        ("age >= 40", "age * 2 >= 80", []),
        ("age >= 40", "-age <= -40", ["unclear"]),
        ("age >= 40", "age > 39", ["unclear"]),
        ("age >= 40", "age > 40", ["changed"]),
        ("age >= 40", "age <= 40", ["changed"]),
        ("age >= 40 AND language = 'english'", "age >= 40", ["lost"]),
        (
            "age >= 40 AND language = 'english'",
            "age >= 40 OR language = 'english'",
            ["changed"] * 2,
        ),
        ("language = 'english'", "language = 'english' AND maritalstatus = 'single'", ["unclear"]),
        ("language = 'english'", "maritalstatus = 'single'", ["unclear"]),
        ("language IN ('a', 'b')", "language = 'b' OR language = 'a'", []),
        ("language = 'english'", "language LIKE 'Eng%'", []),
        ("language = 'english'", "language = 'English'", ["other names"]),
        ("language = 'english'", "LOWER(language) = 'english'", []),
        ("NOT language = 'english'", "language <> 'english'", []),
        ("language = 'english'", "language <> 'english'", ["changed"]),
        ("age < 5", "age < 5 AND admitdatetime > DATE('now')", ["clock"]),
    ]
)
def test_differences_of_conditions(gold: str, attempt: str, differences: list[str]) -> None:
    assert query_differences(facts(STAYS + gold), facts(STAYS + attempt)) == differences


@for_each(
    [
        "SELECT 1 UNION SELECT age FROM hospitaladmissions",
        "WITH RECURSIVE c AS (SELECT 1 n UNION ALL SELECT n + 1 FROM c) SELECT n FROM c LIMIT 5",
        "SELECT COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1",
        "SELECT a FROM t WHERE x = (SELECT MAX(x) FROM t)",
        "SELECT a FROM t WHERE x IN ('a', y)",
        "SELECT a FROM t NATURAL JOIN u",
        "SELECT a FROM t LEFT JOIN u ON u.a = t.a WHERE u.a IS NULL",
        "PRAGMA table_info(t)",
        "SELECT a FROM t WHERE " + " AND ".join(["x > 1"] * 3000),
        "SELECT " + "(" * 500 + "1" + ")" * 500,
    ]
)
def test_queries_that_are_not_understood_are_unclear(sql: str) -> None:
    assert facts(sql).is_unclear


def test_a_factor_that_vanishes_divides_nothing() -> None:
    assert facts("SELECT a FROM t WHERE x * 1e-300 * 1e-300 > 5").bounds
