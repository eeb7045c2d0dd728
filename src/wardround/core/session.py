"""A trial played step by step by its caller: attempts, each validated, then the score."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Self, TypeAlias

from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentContext, AgentMaker, TrialContext, TrialMaker
from wardround.core.capabilities import AttemptValidator, Validation
from wardround.core.environment import Environment
from wardround.core.errors import AgentError, UserError, WardroundError
from wardround.core.limits import Limits
from wardround.core.loop import Ending, Turns, converse
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.task import Briefing, Task
from wardround.core.trajectory import Ledger, Trajectory
from wardround.core.trial import Attempt, FinishedTrial, judge_trial, reason_of, score_trial
from wardround.core.verdict import Verdict

log = logging.getLogger(__name__)


Surround: TypeAlias = Callable[[Environment, TrialContext], Environment]


def unchanged(environment: Environment, context: TrialContext) -> Environment:
    """The environment as it is."""
    return environment


class AttemptFaultError(WardroundError):
    """An attempt broke off by a fault that is not its agent's; that is the attempt's outcome."""


@dataclass(slots=True)
class _OpenAttempt:
    """An attempt in progress; it has no turns while its environment is opened."""

    context: TrialContext
    started: float = field(default_factory=perf_counter)
    ledger: Ledger = field(default_factory=Ledger)
    environment: Environment | None = None
    turns: Turns | None = None
    ending: str = ""
    fault: str = ""


class TrialSession:
    """One trial, driven from outside: by an agent's loop, a server or a training environment.

    Each attempt is opened, started, stepped and ended. It counts unless a simulated person broke
    its rules; then the trial is not over yet. The attempt that counts is judged and scored.

    Args:
        benchmark: makes the environment, validates, judges and scores.
        task: the task.
        trial: the trial's number, from 0.
        run_seed: the run's seed, from which the trial's own is derived.
        limits: limits of an attempt.
        attempts: the maximum number of attempts.
        surround: puts something around the environment of each attempt.

    The message of a fault may hold values of the database or of the gold: it is for logs of the
    driver, and never for the agent.

    Example:
        async with TrialSession(benchmark, task) as session:
            while not session.is_over:
                briefing = await session.open()
                observation = await session.start()
                while not observation.done:
                    observation = await session.step(decide(briefing, observation))
                await session.end()
            trial = await session.finish()
    """

    def __init__(
        self,
        benchmark: TrialMaker,
        task: Task[Any, Any],
        trial: int = 0,
        *,
        run_seed: int = 0,
        limits: Limits | None = None,
        attempts: int = 3,
        surround: Surround = unchanged,
    ) -> None:
        self._benchmark = benchmark
        self._task = task
        self._trial = trial
        self._run_seed = run_seed
        self._limits = limits or Limits()
        self._most_attempts = attempts
        self._surround = surround
        self._attempts: list[Attempt] = []
        self._seconds = 0.0
        self._open: _OpenAttempt | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @property
    def is_over(self) -> bool:
        """True if the last attempt counts or cannot be repeated."""
        if not self._attempts:
            return False
        is_rejected = self._attempts[-1].outcome is Outcome.USER_ERROR
        return not is_rejected or len(self._attempts) >= self._most_attempts

    @property
    def played(self) -> FinishedTrial:
        """The trial with the attempts that are over; the last has no outcome yet if it counts."""
        seed = derive_seed(self._run_seed, self._task.id, self._trial)
        attempts = tuple(self._attempts)
        return FinishedTrial(self._task, self._trial, seed, attempts, self._seconds)

    async def open(self) -> Briefing:
        """Opens the environment of the next attempt.

        Returns:
            The briefing of the attempt's agent.

        Raises:
            AttemptFaultError: the environment cannot be opened.
            UserError: the settings are wrong, so that every trial of the run would fail.
            RuntimeError: the trial is over, or its last attempt has not ended.
        """
        if self.is_over or self._open:
            raise RuntimeError("the trial is over" if self.is_over else "end the attempt first")
        self._open = attempt = _OpenAttempt(self._context(Trajectory()))
        with self._faults(attempt):
            environment = await self._benchmark.environment(self._task, attempt.context)
            environment = self._surround(environment, attempt.context)
            attempt.environment = environment
            trajectory, limits = attempt.context.trajectory, attempt.context.limits
            attempt.turns = Turns(environment, trajectory, limits, attempt.ledger)
            return environment.briefing

    async def start(self) -> Observation:
        """Starts the task of an opened attempt; returns the first observation.

        Raises:
            AttemptFaultError: the environment failed.
            UserError: the settings are wrong.
        """
        attempt, turns = self._turns()
        with self._faults(attempt):
            return await turns.start()

    async def step(self, action: Action) -> Observation:
        """Carries out an action; the observation is done if the attempt allows no further one.

        Raises:
            AttemptFaultError: the environment failed.
            UserError: the settings are wrong.
            RuntimeError: no attempt is open, or its last observation was done.
        """
        attempt, turns = self._turns()
        with self._faults(attempt):
            return await turns.step(action)

    def fail(self, error: AgentError) -> None:
        """Notes a failure of the agent, which gives no further action."""
        self._turns()[1].fail(error)

    async def end(self) -> None:
        """Ends the open attempt: closes its environment, and validates it.

        An unfinished attempt counts as it is.

        Raises:
            UserError: the settings are wrong.
            RuntimeError: no attempt is open.
        """
        attempt = self._current()
        if attempt.turns is not None:
            attempt.ending = attempt.turns.ending or Ending.STOPPED
        self._attempts.append(await self._ended(attempt))
        self._seconds += perf_counter() - attempt.started
        self._open = None

    async def play(self, make_agent: AgentMaker) -> None:
        """Plays the next attempt with an agent of this process, from opening to end.

        Raises:
            UserError: the settings are wrong.
        """
        with suppress(AttemptFaultError):
            briefing = await self.open()
            attempt, turns = self._turns()
            seed = derive_seed(attempt.context.seed, "agent")
            with self._faults(attempt):
                async with AsyncExitStack() as cleanup:
                    agent = make_agent(briefing, AgentContext(seed, attempt.ledger, cleanup))
                    await converse(agent, turns)
        await self.end()

    async def resume(self, unvalidated: FinishedTrial) -> None:
        """Takes up a trial whose last attempt no validator could decide on, and validates it again.

        Raises:
            UserError: the settings are wrong.
        """
        *self._attempts, last = unvalidated.attempts
        self._seconds = unvalidated.seconds
        self._open = _OpenAttempt(self._context(last.trajectory), ending=last.ending)
        await self.end()

    async def finish(self, grading: str = "") -> FinishedTrial:
        """Judges and scores the attempt that counts; without one the trial has its outcome.

        Args:
            grading: the grading that decides; by default the score's first.

        Raises:
            UserError: the settings are wrong.
        """
        played = self.played
        verdicts: list[Verdict] = list(played.last.verdicts)
        problem = await judge_trial(
            self._benchmark, played, verdicts, lambda verdict, _: verdicts.append(verdict)
        )
        return score_trial(self._benchmark.score, played, verdicts, grading, problem)

    async def close(self) -> None:
        """Closes the environment of an attempt that has not ended; the attempt is forgotten."""
        attempt, self._open = self._open, None
        if attempt is not None and attempt.environment is not None:
            await attempt.environment.close()

    def _context(self, trajectory: Trajectory) -> TrialContext:
        seed = derive_seed(self._run_seed, self._task.id, self._trial, len(self._attempts))
        lessons = tuple(attempt.reason for attempt in self._attempts)
        return TrialContext(seed, self._limits, trajectory, lessons)

    def _current(self) -> _OpenAttempt:
        if self._open is None:
            raise RuntimeError("no attempt is open")
        return self._open

    def _turns(self) -> tuple[_OpenAttempt, Turns]:
        attempt = self._current()
        if attempt.turns is None or attempt.fault:
            raise RuntimeError("the attempt broke off; end it")
        if attempt.turns.ending is not None:
            raise RuntimeError("the attempt is over; end it")
        return attempt, attempt.turns

    async def _ended(self, attempt: _OpenAttempt) -> Attempt:
        """The attempt with its outcome, if it has one already."""
        trajectory = attempt.context.trajectory
        with suppress(AttemptFaultError), self._faults(attempt):
            environment, attempt.environment = attempt.environment, None
            if environment is not None:
                await environment.close()
            if not attempt.fault:
                validation = await self._validation(attempt.context)
                return _validated(attempt, validation)
        return Attempt(trajectory, Outcome.INFRA_ERROR, attempt.fault)

    async def _validation(self, context: TrialContext) -> Validation:
        """The benchmark's decision; an attempt counts where nobody validates."""
        if not isinstance(self._benchmark, AttemptValidator):
            return Validation()
        return await self._benchmark.validate(self._task, context.trajectory, context)

    @contextmanager
    def _faults(self, attempt: _OpenAttempt) -> Iterator[None]:
        """Notes a fault as the outcome of an attempt."""
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            log.info("task %s: trial ended by %s", self._task.id, type(error).__name__)
            attempt.fault = attempt.fault or reason_of(error)
            raise AttemptFaultError(f"The attempt broke off ({attempt.fault}); end it.") from error


async def play_trial(
    benchmark: TrialMaker,
    make_agent: AgentMaker,
    task: Task[Any, Any],
    trial: int,
    *,
    run_seed: int = 0,
    limits: Limits | None = None,
    attempts: int = 3,
    unvalidated: FinishedTrial | None = None,
    surround: Surround = unchanged,
) -> FinishedTrial:
    """Plays a trial with agents of this process; judges nothing.

    Args:
        benchmark: makes the environment and validates.
        make_agent: makes the agent of an attempt from its briefing.
        task: the task.
        trial: the trial's number, from 0.
        run_seed: the run's seed, from which the trial's own is derived.
        limits: limits of an attempt.
        attempts: the maximum number of attempts.
        unvalidated: the trial as it was played before, if its validator could not decide on the
            last attempt, which is then validated again and not played again.
        surround: puts something around the environment of each attempt.

    Returns:
        The trial; its last attempt has no outcome yet if it counts; faults of agent and environment
        are outcomes, never exceptions.

    Raises:
        UserError: the settings are wrong, so that every trial of the run would fail.
    """
    session = TrialSession(
        benchmark,
        task,
        trial,
        run_seed=run_seed,
        limits=limits,
        attempts=attempts,
        surround=surround,
    )
    async with session:
        if unvalidated is not None:
            await session.resume(unvalidated)
        while not session.is_over:
            await session.play(make_agent)
        return session.played


def _validated(attempt: _OpenAttempt, validation: Validation) -> Attempt:
    trajectory, ending = attempt.context.trajectory, attempt.ending
    match validation.state:
        case "user_error":
            return Attempt(trajectory, Outcome.USER_ERROR, validation.explanation, ending)
        case "undecided":
            return Attempt(trajectory, Outcome.UNSCORED, validation.explanation, ending)
        case "valid":
            stages = [v for stage in trajectory.graded_stages() for v in stage.verdicts]
            verdicts = (*stages, *attempt.context.verdicts)
            return Attempt(trajectory, ending=ending, verdicts=verdicts)
