from typing import Any

import pytest

from tests.records import trial_record
from wardround.benchmarks.ehrsql.benchmark import EhrsqlBenchmark
from wardround.core.harms import Harm
from wardround.core.record import Outcome, TrialRecord


def record(kind: str, *, right: bool, **measures: Any) -> TrialRecord:
    return trial_record(
        "1",
        outcome=Outcome.PASSED if right else Outcome.FAILED,
        scores={"ehrsql-1.5": 1.0, "strict": float(right)},
        labels={"kind": kind},
        measures={"answered": True, "problem": "", "confidence": None, **measures},
    )


@pytest.mark.parametrize(
    ("trial", "harms"),
    [
        (
            record("answerable", right=True),
            {Harm.CONFIDENTLY_WRONG: False, Harm.REFUSED_ANSWERABLE: False},
        ),
        # Right as published, wrong strictly.
        (
            record("answerable", right=False),
            {Harm.CONFIDENTLY_WRONG: True, Harm.REFUSED_ANSWERABLE: False},
        ),
        (
            record("answerable", right=False, problem="syntax"),
            {Harm.CONFIDENTLY_WRONG: False, Harm.REFUSED_ANSWERABLE: False},
        ),
        (
            record("answerable", right=False, answered=False),
            {Harm.CONFIDENTLY_WRONG: False, Harm.REFUSED_ANSWERABLE: True},
        ),
        (record("unanswerable", right=False), {Harm.UNANSWERABLE_ANSWERED: True}),
        (
            record("unanswerable", right=True, answered=False),
            {Harm.UNANSWERABLE_ANSWERED: False},
        ),
    ],
)
def test_an_answer_misleads_if_it_has_a_wrong_result(
    trial: TrialRecord, harms: dict[Harm, bool]
) -> None:
    assert EhrsqlBenchmark.harms([trial]) == {("1", 0): harms}
