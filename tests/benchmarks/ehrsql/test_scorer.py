import pytest

from wardround.benchmarks.ehrsql.judge import ITEM, evidence
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.benchmarks.ehrsql.scorer import explanation
from wardround.benchmarks.ehrsql.tasks import EhrsqlHidden, EhrsqlPublic, EhrsqlTask
from wardround.benchmarks.ehrsql.tools import SUBMIT
from wardround.core.task import Task
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.core.verdict import Verdict

GOLD = "SELECT count(*) FROM patients"


def a_task(gold: str) -> EhrsqlTask:
    hidden = EhrsqlHidden(gold, "ehrsql-2024")
    return Task("q1", EhrsqlPublic("How many patients?", "2100-12-31 23:59:00"), hidden)


def test_explanation_shows_question_and_gold_beside_the_answer() -> None:
    trajectory = Trajectory([Called(SUBMIT, {"query": "SELECT 2"}), Returned(SUBMIT, "ok")])
    verdict = Verdict(ITEM, "program:strict", "failed", evidence="want 1 row: (7)")
    result = explanation(a_task(GOLD), trajectory, [verdict])
    assert (result.request, result.gold) == ("How many patients?", GOLD)
    assert (result.attempt, result.difference) == ("SELECT 2", "want 1 row: (7)")


@pytest.mark.parametrize(
    ("gold", "answer", "text"),
    [
        (Ran(((7,),), "", ""), Ran(((2,),), "", ""), "got 1 row: (2)"),
        (Ran(((7,),), "", ""), Ran(None, "syntax", ""), "got no result"),
        (Ran(((7,),), "", ""), None, "got a refusal"),
        (None, Ran(((2,),), "", ""), "want a refusal"),
    ],
)
def test_evidence_has_expected_and_actual_value(
    gold: Ran | None, answer: Ran | None, text: str
) -> None:
    assert text in evidence(gold, answer)
