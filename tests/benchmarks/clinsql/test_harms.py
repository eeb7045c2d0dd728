from dataclasses import asdict

import pytest

from tests.records import trial_record
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.core.harms import Harm
from wardround.core.record import Outcome


@pytest.mark.parametrize(
    ("ran_at", "ex", "misleads"),
    [(1, 1.0, False), (1, 0.0, True), (2, 0.0, True), (0, None, False), (1, None, None)],
)
def test_a_result_misleads_if_it_is_not_the_golds(
    ran_at: int, ex: float | None, misleads: bool | None
) -> None:
    measures = CohortMeasures({}, {}, 1, ran_at, 5, 0, 0, ex=ex)
    record = trial_record("1", outcome=Outcome.FAILED, measures=asdict(measures))
    expected = {} if misleads is None else {("1", 0): {Harm.CONFIDENTLY_WRONG: misleads}}
    assert CohortBenchmark.harms([record]) == expected
