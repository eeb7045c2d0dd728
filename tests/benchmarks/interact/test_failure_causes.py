"""Causes of failed trials, from the questions and submissions of the agent."""

import pytest

from wardround.benchmarks.interact.published import shipped_suite
from wardround.benchmarks.interact.scorer import Try, measures
from wardround.core.trajectory import Noted, Trajectory
from wardround.core.verdict import Verdict
from wardround.people.clarifying.questions import CLARIFICATION

TASK = next(task for task in shipped_suite().tasks if len(task.hidden.ambiguities) > 1)
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
        (TERMS, [("first", "failed")], "wrong query"),
        ([], [("first", "passed"), ("second", "failed")], "wrong query"),
        ([], [("first", "passed"), ("second", "passed")], ""),
    ],
)
def test_a_failure_has_a_cause(terms: list[str], tries: list[tuple[str, str]], cause: str) -> None:
    wanted = TASK.hidden.requests.keys()
    submissions = [tried(*each) for each in tries if each[0] in wanted]
    assert measures(TASK, submissions, asked(*terms)).failure == cause
