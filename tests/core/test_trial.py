"""Trials: attempts, validation, grading, and faults as outcomes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.trials import run_trial
from wardround.core.actions import Observation
from wardround.core.benchmark import AgentMaker
from wardround.core.capabilities import Validation
from wardround.core.errors import InfraError
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.session import play_trial
from wardround.core.task import Task
from wardround.core.verdict import Verdict

TASK: Task[Any, Any] = Task("t", None, "yes")


@pytest.mark.parametrize(("word", "outcome"), [("yes", "passed"), ("no", "failed")])
async def test_a_trial_is_graded(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker], word: str, outcome: str
) -> None:
    finished = await run_trial(benchmark_factory(), parrot_maker(word), TASK, 2, run_seed=5)
    assert finished.attempts[-1].outcome == outcome
    assert finished.attempts[-1].rewards == {"paper": float(word == "yes"), "strict": 0.0}
    assert (finished.trial, finished.seed) == (2, derive_seed(5, "t", 2))


async def test_user_error_repeats_the_trial_with_feedback_and_another_seed(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    validations = [
        Validation("user_error", "gave it away"),
        Validation("user_error", "left too early"),
    ]
    benchmark = benchmark_factory(validations=validations)
    finished = await run_trial(benchmark, parrot_maker("yes"), TASK, 0)
    assert [a.outcome for a in finished.attempts] == ["user_error", "user_error", "passed"]
    lessons = [context.lessons for context in benchmark.contexts]
    assert lessons == [(), ("gave it away",), ("gave it away", "left too early")]
    assert len({context.seed for context in benchmark.contexts}) == 3


async def test_rejected_attempts_are_bounded_and_recorded(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    validations = [Validation("user_error", "again")] * 9
    finished = await run_trial(
        benchmark_factory(validations=validations), parrot_maker("yes"), TASK, 0, attempts=2
    )
    assert [a.outcome for a in finished.attempts] == [Outcome.USER_ERROR] * 2


async def test_undecided_validator_leaves_the_trial_unscored(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    benchmark = benchmark_factory(validations=[Validation("undecided", "no verdict")])
    finished = await run_trial(benchmark, parrot_maker("yes"), TASK, 0)
    assert finished.attempts[-1].outcome is Outcome.UNSCORED
    assert finished.attempts[-1].rewards is None


async def test_undecided_attempt_is_validated_again_and_not_played_again(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    benchmark = benchmark_factory(validations=[Validation("undecided", "no verdict")])
    played = await play_trial(benchmark, parrot_maker("yes"), TASK, 0)
    again = await play_trial(benchmark, parrot_maker("no"), TASK, 0, unvalidated=played)
    assert len(benchmark.contexts) == 1
    assert [attempt.outcome for attempt in again.attempts] == [None]
    assert again.last.trajectory.said_by("agent") == ["yes"]
    assert again.last.ending == played.last.ending
    assert again.seconds > played.seconds


async def test_undecided_attempt_that_turns_out_a_user_error_is_followed_by_the_next(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    validations = [
        Validation("user_error", "gave it away"),
        Validation("undecided", "no verdict"),
        Validation("user_error", "left too early"),
    ]
    benchmark = benchmark_factory(validations=validations)
    played = await play_trial(benchmark, parrot_maker("yes"), TASK, 0)
    again = await play_trial(benchmark, parrot_maker("yes"), TASK, 0, unvalidated=played)
    assert [attempt.outcome for attempt in again.attempts] == ["user_error", "user_error", None]
    lessons = [context.lessons for context in benchmark.contexts]
    assert lessons == [(), ("gave it away",), ("gave it away", "left too early")]
    assert len({context.seed for context in benchmark.contexts}) == 3


class Broken:
    """An environment whose provider or database fails at the start."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.closed = False

    @property
    def briefing(self) -> Any:
        raise self.error

    async def start(self) -> Observation:
        raise AssertionError("never reached")

    async def step(self, action: Any) -> Observation:
        raise AssertionError("never reached")

    async def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("error", [InfraError("429 too often"), OSError("disk full")])
async def test_environment_faults_become_outcomes_and_close_the_environment(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker], error: Exception
) -> None:
    environment = Broken(error)
    benchmark = benchmark_factory(make_environment=lambda: environment)
    finished = await run_trial(benchmark, parrot_maker("yes"), TASK, 0)
    assert finished.attempts[-1].outcome is Outcome.INFRA_ERROR
    assert str(error) in finished.attempts[-1].reason
    assert environment.closed


async def test_crashing_grader_affects_one_trial_only(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    task: Task[Any, Any] = Task("t", None, None)
    benchmark = benchmark_factory()
    benchmark.score = {}.__getitem__
    finished = await run_trial(benchmark, parrot_maker("yes"), task, 0)
    assert finished.attempts[-1].outcome is Outcome.UNSCORED
    assert "grading failed" in finished.attempts[-1].reason


LEAF, DOUBT = Verdict("leaf", "model:judge", "passed"), Verdict("doubt", "model:judge", "undecided")


@pytest.mark.parametrize(
    ("word", "verdicts", "outcome"),
    [
        ("yes", [LEAF], "passed"),
        ("yes", [LEAF, DOUBT], "unscored"),
        ("no", [LEAF, DOUBT], "failed"),
        ("yes", [replace(LEAF, state="failed"), DOUBT], "failed"),
        ("yes", [DOUBT, replace(DOUBT, state="passed")], "passed"),
    ],
)
async def test_undecided_items_affect_only_their_scores(
    benchmark_factory: Any,
    parrot_maker: Callable[[str], AgentMaker],
    word: str,
    verdicts: list[Verdict],
    outcome: str,
) -> None:
    benchmark = benchmark_factory(verdicts=verdicts)
    finished = await run_trial(benchmark, parrot_maker(word), TASK, 0)
    assert finished.last.outcome == outcome


async def test_chosen_grading_decides_the_outcome(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    finished = await run_trial(benchmark_factory(), parrot_maker("yes"), TASK, 0, grading="strict")
    assert finished.last.outcome is Outcome.FAILED


async def test_failing_judge_leaves_the_trial_unscored(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    benchmark = benchmark_factory()
    benchmark.judge = {}.__getitem__
    finished = await run_trial(benchmark, parrot_maker("yes"), TASK, 0)
    assert finished.last.outcome is Outcome.UNSCORED
    assert "judging failed" in finished.last.reason


async def test_only_attempts_that_count_are_judged(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    benchmark = benchmark_factory(validations=[Validation("undecided", "no finding")])
    benchmark.judge = {}.__getitem__
    finished = await run_trial(benchmark, parrot_maker("yes"), TASK, 0)
    assert finished.last.reason == "no finding"
