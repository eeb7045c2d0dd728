from dataclasses import asdict

import pytest

from wardround.benchmarks.interact.benchmark import InteractBenchmark
from wardround.benchmarks.interact.scorer import InteractMeasures, RequestMeasures
from wardround.core.harms import Harm
from wardround.core.record import ByteRange, Outcome, TrialRecord


@pytest.mark.parametrize(
    ("failure", "actions", "ignored"),
    [
        ("", ("ask", "submit"), False),
        ("ambiguity: asked about none", ("execute", "submit"), True),
        ("ambiguity: asked about some", ("ask", "submit"), True),
        ("ambiguity: asked about none", ("execute",), False),
        ("query: other result", ("ask", "submit"), False),
    ],
)
def test_an_ambiguity_is_ignored_by_a_guess_that_fails(
    failure: str, actions: tuple[str, ...], ignored: bool
) -> None:
    request = RequestMeasures()
    record = TrialRecord(
        task="1",
        trial=0,
        seed=0,
        outcome=Outcome.FAILED,
        reason="",
        ending="",
        scores={},
        labels={},
        counts={},
        use={},
        seconds=0.0,
        trajectory=ByteRange(0, 0),
        measures=asdict(InteractMeasures(request, request, actions, (), 0, failure)),
    )
    assert InteractBenchmark.harms([record]) == {("1", 0): {Harm.AMBIGUITY_IGNORED: ignored}}
