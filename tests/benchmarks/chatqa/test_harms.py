from dataclasses import replace

import pytest

from tests.records import trial_record
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.core.harms import Harm
from wardround.core.record import Outcome

RECORD = trial_record("1", outcome=Outcome.FAILED, scores={"paper": 0.0, "strict": 0.0})


@pytest.mark.parametrize(
    ("strict", "cause", "is_wrong", "is_ignored"),
    [
        (1.0, "", False, False),
        (0.0, "SQL", True, False),
        (0.0, "undecided", True, False),
        (0.0, "gave up", False, False),
        (0.0, "unresolved ambiguity", True, True),
        # Right strictly, wrong as published.
        (1.0, "value linking", False, False),
    ],
)
def test_a_wrong_answer_misleads(
    strict: float, cause: str, is_wrong: bool, is_ignored: bool
) -> None:
    record = replace(RECORD, scores={"strict": strict}, measures={"failure": cause})
    assert ChatBenchmark.harms([record]) == {
        ("1", 0): {Harm.CONFIDENTLY_WRONG: is_wrong, Harm.AMBIGUITY_IGNORED: is_ignored}
    }


def test_a_trial_that_does_not_count_shows_no_harm() -> None:
    assert ChatBenchmark.harms([replace(RECORD, outcome=Outcome.USER_ERROR)]) == {}
