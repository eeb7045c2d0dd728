"""One trial: attempts at one task by one agent, reviewed, scored and made into a record."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

from wardround.core.benchmark import (
    AgentContext,
    AgentMaker,
    Benchmark,
    Review,
    TrialContext,
)
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.loop import Ending, converse
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.task import Task
from wardround.core.trajectory import Called, Ledger, Noted, Said, Trajectory

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one attempt came to, before it is written down."""

    trajectory: Trajectory
    outcome: Outcome
    reason: str = ""
    ending: str = ""
    rewards: dict[str, float] | None = None
    measures: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """A trial with all its attempts, the last one being the one that counts."""

    task: Task[Any, Any]
    trial: int
    seed: int
    attempts: tuple[Attempt, ...]
    seconds: float


RunTrial: TypeAlias = Callable[[Task[Any, Any], int], Awaitable[FinishedTrial]]


async def run_trial(
    benchmark: Benchmark,
    make_agent: AgentMaker,
    task: Task[Any, Any],
    trial: int,
    *,
    run_seed: int = 0,
    limits: Limits | None = None,
    attempts: int = 3,
) -> FinishedTrial:
    """Runs a trial, again while the validator finds that the simulated person broke its rules.

    Args:
        benchmark: makes the room and grades.
        make_agent: makes the agent from its briefing.
        task: what to do.
        trial: the trial's number, from 0.
        run_seed: the run's seed, from which the trial's own is derived.
        limits: where it is cut off; EHR-ChatQA's by default.
        attempts: how often it is run at most.

    Returns:
        The finished trial; faults of agent, room and grader are outcomes, never exceptions.

    Raises:
        UserError: no trial of this run can work until the user mends its settings.
    """
    started = perf_counter()
    done: list[Attempt] = []
    lessons: tuple[str, ...] = ()
    while len(done) < attempts:
        seed = derive_seed(run_seed, task.id, trial, len(done))
        context = TrialContext(seed, limits or Limits(), Trajectory(), lessons)
        done.append(await _attempt(benchmark, make_agent, task, context))
        if done[-1].outcome is not Outcome.USER_ERROR:
            break
        lessons = (*lessons, done[-1].reason)
    seed = derive_seed(run_seed, task.id, trial)
    return FinishedTrial(task, trial, seed, tuple(done), perf_counter() - started)


def count_turns(trajectory: Trajectory) -> dict[str, int]:
    """How often the agent spoke to a person, called a tool, and acted in all (paper, 5.2)."""
    kinds = Counter(type(event) for event in trajectory.events)
    said = sum(isinstance(e, Said) and e.speaker == "agent" for e in trajectory.events)
    return {"user_turns": said, "tool_calls": kinds[Called], "actions": said + kinds[Called]}


async def _attempt(
    benchmark: Benchmark, make_agent: AgentMaker, task: Task[Any, Any], context: TrialContext
) -> Attempt:
    """One attempt; whatever goes wrong in the room or at a provider is told as its outcome."""
    trajectory = context.trajectory
    try:
        ending = await _live(benchmark, make_agent, task, context)
        review = await benchmark.review(task, trajectory, context)
    except UserError:
        raise
    except Exception as error:
        log.warning("task %s: trial ended by %s", task.id, type(error).__name__)
        return Attempt(trajectory, Outcome.INFRA_ERROR, _reason(error))
    return await grade(benchmark, task, trajectory, ending, review)


async def _live(
    benchmark: Benchmark, make_agent: AgentMaker, task: Task[Any, Any], context: TrialContext
) -> Ending:
    environment = await benchmark.environment(task, context)
    try:
        ledger = Ledger()
        agent_seed = derive_seed(context.seed, "agent")
        agent = make_agent(environment.briefing, AgentContext(agent_seed, ledger))
        return await converse(agent, environment, context.trajectory, context.limits, ledger)
    finally:
        await environment.close()


async def grade(
    benchmark: Benchmark, task: Task[Any, Any], trajectory: Trajectory, ending: str, review: Review
) -> Attempt:
    """Scores what happened, if the review lets it count."""
    if review.verdict == "user_error":
        return Attempt(trajectory, Outcome.USER_ERROR, review.explanation, ending)
    if review.verdict == "undecided":
        return Attempt(trajectory, Outcome.UNSCORED, review.explanation, ending)
    try:
        score = await asyncio.to_thread(benchmark.score, task, trajectory)
    except Exception as error:
        log.warning("task %s: grading ended by %s", task.id, type(error).__name__)
        return Attempt(trajectory, Outcome.UNSCORED, f"grading failed: {_reason(error)}", ending)
    outcome = Outcome.PASSED if score.passed else Outcome.FAILED
    why = _why(score.note, trajectory)
    return Attempt(trajectory, outcome, why, ending, score.rewards, score.measures)


def _why(note: str, trajectory: Trajectory) -> str:
    """The score's note, or the agent's own failure when that ended the trial."""
    failures = [
        str(event.data["reason"])
        for event in trajectory.events
        if isinstance(event, Noted) and event.subject == "agent_error"
    ]
    return "; ".join([*failures, *([note] if note else [])])


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
