"""Causes of failed trials, from the questions and submissions of the agent."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.interact.failures.causes import (
    CONSTRAINT,
    OTHER_COLUMNS,
    OTHER_RESULT,
    SQL_ERROR,
    UNREAD,
    query_fault,
)
from wardround.benchmarks.interact.scorer import Try, measures
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.core.trajectory import Noted, Trajectory
from wardround.core.verdict import Verdict
from wardround.people.clarifying.questions.recorded import CLARIFICATION

TASK = next(task for task in shipped_tasks().tasks if len(task.hidden.ambiguities) > 1)
TERMS = [point.term for point in TASK.hidden.ambiguities]


def asked(*terms: str) -> Trajectory:
    """A trial in which the agent asked about ambiguities."""
    notes = [{"action": "AMB", "term": term, "leaks": 0, "reply": "Yes."} for term in terms]
    return Trajectory([Noted(CLARIFICATION, note) for note in notes])


def tried(stage: str, state: str) -> Try:
    """A submission with its verdict."""
    verdict = Verdict("submission 1", "program:paper", state)  # type: ignore[arg-type]
    return Try(stage, "SELECT 1", verdict, strict=False)


@pytest.mark.parametrize(
    ("terms", "tries", "cause"),
    [
        ([], [], "ambiguity: asked about none"),
        (TERMS[:1], [("first", "failed")], "ambiguity: asked about some"),
        (TERMS, [], "gave up"),
        (TERMS, [("first", "failed")], "query: other columns"),
        ([], [("first", "passed"), ("second", "failed")], "query: other columns"),
        ([], [("first", "passed"), ("second", "passed")], ""),
    ],
)
def test_a_failure_has_a_cause(terms: list[str], tries: list[tuple[str, str]], cause: str) -> None:
    wanted = TASK.hidden.requests.keys()
    submissions = [tried(*each) for each in tries if each[0] in wanted]
    assert measures(TASK, submissions, asked(*terms)).failure == cause


GOLD = ("WITH s AS (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) SELECT sex, n FROM s",)
RESULT = "The result is not what was wanted."


@for_each(
    [
        ("SELECT sex FRM visits", 'syntax error at or near "visits"', SQL_ERROR),
        ("SELECT gender FROM visits", 'column "gender" does not exist', SQL_ERROR),
        ("SELECT sex FROM visits", "canceling statement due to statement timeout", SQL_ERROR),
        (
            "INSERT INTO visits VALUES (1)",
            'duplicate key value violates unique constraint "visits_pkey"',
            CONSTRAINT,
        ),
        ("UPDATE visits SET sex = NULL", 'null value in column "sex" violates it', CONSTRAINT),
        ("SELECT sex, COUNT(*) FROM visits WHERE age > 3 GROUP BY sex", RESULT, OTHER_RESULT),
        ("SELECT s.sex, s.n FROM (SELECT sex, COUNT(*) n FROM visits) s", RESULT, OTHER_RESULT),
        ("SELECT age, COUNT(*) FROM visits GROUP BY age", RESULT, OTHER_COLUMNS),
        ("SELECT COUNT(*) FROM visits", "The statements give no rows.", OTHER_COLUMNS),
        ("SELECT * FROM visits", RESULT, UNREAD),
        ("UPDATE visits SET sex = 'f'", "its test fails: 3 rows are other ones.", UNREAD),
    ]
)
def test_a_wrong_query_has_a_fault(sql: str, reason: str, cause: str) -> None:
    verdict = Verdict("submission 1", "program:paper", "failed", reason=reason)
    assert query_fault(GOLD, sql, verdict) == cause
