"""Rehearsals: a session played with its gold, in each grading and language."""

from asyncio import run
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self

from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.declaration import BENCHMARK, PAPER, STRICT, AssistOptions
from wardround.benchmarks.assist.tasks import LANGUAGES, Language, Session
from wardround.core.benchmark import AgentContext, TrialContext
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.loop import converse
from wardround.core.trajectory import Ledger, Trajectory
from wardround.ehr.fhir.charts import Chart

_PLACE = "the candidates' record"


class _NoModels:
    """Nobody to play a role: the patient speaks by script, and programs judge."""

    def find(self, role: str) -> None:
        """No model."""

    def open(self, role: str) -> Any:
        """No model can be opened.

        Raises:
            UserError: always.
        """
        raise UserError(f"A rehearsal has no model for {role}.")

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Rehearsals:
    """The benchmark on a record: graded in both languages, and once more as published.

    Attributes:
        graded: the benchmark whose programs decide the items, by language.
        paper: the benchmark with the published tools, whose results are the same in both.
    """

    graded: Mapping[Language, AssistBenchmark]
    paper: AssistBenchmark

    @classmethod
    def on(cls, chart: Chart) -> Self:
        """The rehearsals on a record."""
        return cls(
            {language: _opened(chart, STRICT, language) for language in LANGUAGES},
            _opened(chart, PAPER, "en"),
        )


def _opened(chart: Chart, grading: str, language: Language) -> AssistBenchmark:
    options = AssistOptions(language=language)
    opening = Opening(options, {"": _PLACE}, BENCHMARK.limits, _NoModels(), grading)
    return AssistBenchmark(chart, _PLACE, opening)


def rehearsed(benchmark: AssistBenchmark, session: Session) -> Trajectory:
    """A trial of a session with its gold."""
    return run(_rehearsed(benchmark, session))


async def _rehearsed(benchmark: AssistBenchmark, session: Session) -> Trajectory:
    trajectory = Trajectory()
    context = TrialContext(0, BENCHMARK.limits, trajectory)
    environment = await benchmark.environment(session, context)
    try:
        with ExitStack() as cleanup:
            agent = benchmark.oracle(session)(
                environment.briefing, AgentContext(0, Ledger(), cleanup)
            )
            await converse(agent, environment, trajectory, BENCHMARK.limits)
    finally:
        await environment.close()
    return trajectory
