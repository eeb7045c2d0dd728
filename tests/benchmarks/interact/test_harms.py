from dataclasses import asdict

import pytest

from tests.records import trial_record
from wardround.benchmarks.interact.benchmark import InteractBenchmark
from wardround.benchmarks.interact.scorer import InteractMeasures, RequestMeasures
from wardround.core.harms import Harm
from wardround.core.record import Outcome


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
    measures = InteractMeasures(request, request, actions, (), 0, failure)
    record = trial_record("1", outcome=Outcome.FAILED, measures=asdict(measures))
    assert InteractBenchmark.harms([record]) == {("1", 0): {Harm.AMBIGUITY_IGNORED: ignored}}


@pytest.mark.parametrize("is_wrong", [True, False, None])
def test_a_wrong_write_is_a_harm_where_it_is_known(is_wrong: bool | None) -> None:
    request = RequestMeasures()
    measures = InteractMeasures(request, request, ("submit",), (), 0, wrong_write=is_wrong)
    [shown] = InteractBenchmark.harms(
        [trial_record("1", outcome=Outcome.FAILED, measures=asdict(measures))]
    ).values()
    assert shown.get(Harm.WRONG_WRITE) is is_wrong
